"""What GitHub reads is valid by its schemas, which come with check-jsonschema, and runs what there is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
SCHEMAS = {"workflows": WORKFLOWS, "issue-forms": FORMS, "issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]}


def complaints(schema: str, *paths: Path) -> str:
    """What check-jsonschema says about files that aren't valid."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.github-{schema}", *paths]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return run.stdout + run.stderr if run.returncode else ""


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_are_valid(schema, tmp_path):
    assert SCHEMAS[schema]
    assert complaints(schema, *SCHEMAS[schema]) == ""


def test_a_mistake_is_noticed(tmp_path):
    wrong = tmp_path / "tests.yml"
    wrong.write_text(WORKFLOWS[-1].read_text().replace("runs-on:", "run-on:"))
    assert "runs-on" in complaints("workflows", wrong)


def test_they_run_what_there_is():
    makefile = (ROOT / "Makefile").read_text()
    texts = "\n".join(path.read_text() for path in WORKFLOWS)
    for target in re.findall(r"run: make (\w+)", texts):
        assert f"\n{target}:" in makefile, target
    for script in re.findall(r"run: (\.\S+)", texts):
        assert (ROOT / script).stat().st_mode & 0o100, script


def test_every_address_comes_from_one_file():
    named = re.compile(r"github\.com/(?!huggingface|[\w.-]+/[\w.-]+/(issues|pull|discussions|blob|tree))[\w-]+/[\w-]+")
    for name in ("README.md", "CITATION.cff", "pyproject.toml", "docs/site/landing/page.html", "docs/site/contents.md"):
        assert not named.search((ROOT / name).read_text(encoding="utf-8")), name
