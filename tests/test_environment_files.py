"""environment.yml, both pyproject.toml and constraints.txt name the same things, with bounds that agree."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import sdpa_course

ROOT = Path(__file__).parent.parent
PROJECT, CLASSROOM = (
    tomllib.loads((ROOT / path).read_text(encoding="utf-8"))["project"]
    for path in ("pyproject.toml", "classroom/pyproject.toml")
)
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # conda's matplotlib without the Qt windows


def requirements(lines):
    return {canonicalize_name(r.name): r for r in map(Requirement, lines)}


def conda_requirements():
    return requirements(line for line in CONDA["dependencies"] if isinstance(line, str))


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {canonicalize_name(n): Version(v) for n, v in (line.split("==") for line in lines if "==" in line)}


def test_conda_and_pip_name_the_same_things_with_the_same_bounds():
    pip = requirements([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["lab"]])
    conda = conda_requirements()
    assert str(conda.pop("python").specifier) == PROJECT["requires-python"]
    assert str(conda.pop("pip").specifier) == ""
    expected = {CONDA_NAMES.get(name, name): str(r.specifier) for name, r in pip.items()}
    assert {name: str(r.specifier) for name, r in conda.items()} == expected


def test_conda_installs_the_course_itself_without_letting_pip_fetch_more():
    (pip_lines,) = (line["pip"] for line in CONDA["dependencies"] if isinstance(line, dict))
    assert pip_lines == ["--no-deps -e ."]
    assert CONDA["channels"] == ["conda-forge"]


@pytest.mark.parametrize("project", [PROJECT, CLASSROOM], ids=lambda project: project["name"])
def test_every_requirement_has_a_pin_that_satisfies_it(project):
    lines = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    pinned = {**pins(), "sdpa-course": Version(sdpa_course.__version__)}
    for name, requirement in requirements(lines).items():
        assert name in pinned, f"{name} has no line in constraints.txt: run make lock"
        assert pinned[name] in requirement.specifier


def test_pins_are_plain_versions():
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]:
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line), line
