"""Where the course is published, from address.toml; empty as long as nobody has said so."""

import tomllib
from pathlib import Path
from typing import NamedTuple


class Address(NamedTuple):
    """Two addresses without a slash at the end, or empty."""

    repository: str
    site: str

    def elsewhere(self, path: str) -> dict[str, str]:
        """Links that open a notebook on Binder and on Colab, if the repository is on GitHub. Nobody has tried them."""
        owner_and_name = self.repository.removeprefix("https://github.com/")
        if not self.repository or owner_and_name == self.repository:
            return {}
        return {
            "Binder": f"https://mybinder.org/v2/gh/{owner_and_name}/HEAD?labpath={path}",
            "Colab": f"https://colab.research.google.com/github/{owner_and_name}/blob/HEAD/{path}",
        }


ADDRESS = Address(**tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")))
