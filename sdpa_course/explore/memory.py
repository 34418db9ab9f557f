"""The reader's guesses, remembered in one file on this machine: whatever happens to the file, nothing raises."""

import contextlib
import json
import os
import tempfile
from pathlib import Path

DAMAGED = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Guesses:
    """Guesses by name, such as "02/spread": each a dictionary with what was guessed and how far off that was.

    The file is the one that `$SDPA_GUESSES` names, or `~/.sdpa_course/guesses.json`. If it can't be written, guesses
    are kept until the kernel stops, and `trouble` says so.
    """

    def __init__(self):
        self.unsaved: dict[str, dict | None] = {}
        self.trouble = ""

    def path(self) -> Path:
        """Where the file is, or will be."""
        named = os.environ.get("SDPA_GUESSES")
        return Path(named) if named else Path.home() / ".sdpa_course" / "guesses.json"

    def read(self) -> dict[str, dict]:
        """What the file holds. A damaged file is put aside; one that can't be read is left alone, with an OSError."""
        path = self.path()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))["guesses"]
            return {name: record for name, record in found.items() if isinstance(record, dict)}
        except FileNotFoundError:
            return {}
        except DAMAGED:
            os.replace(path, path.with_suffix(".damaged"))
            return {}

    def all(self) -> dict[str, dict]:
        """Every guess, those that couldn't be saved included."""
        found = {}
        with contextlib.suppress(OSError, RuntimeError):  # RuntimeError: there's no home folder
            found = self.read()
        return {name: record for name, record in {**found, **self.unsaved}.items() if record}

    def put(self, changes: dict[str, dict | None]) -> None:
        """Remember guesses, or forget those that are None. Other notebooks may have written to the file meanwhile."""
        self.unsaved |= changes
        try:
            kept = {name: record for name, record in {**self.read(), **self.unsaved}.items() if record}
            self.write(json.dumps({"version": 1, "guesses": kept}, indent=1, ensure_ascii=False))
        except (OSError, RuntimeError, *DAMAGED) as error:
            self.trouble = f"Kept only until the kernel stops: {type(error).__name__} while saving your guess."
        else:
            self.unsaved, self.trouble = {}, ""

    def write(self, text: str) -> None:
        """Replace the file in one go, so that nobody ever reads half of it."""
        path = self.path()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise


GUESSES = Guesses()


def guesses() -> dict[str, dict]:
    """Every guess that was committed on this machine, by name.

    A record has `kind` ("pick", "number" or "curve"), `guess` (None if the reader took "Just show me"), `gap` (0 is
    right, 1 as wrong as can be, None without a guess), `question` and `when`.
    """
    return GUESSES.all()
