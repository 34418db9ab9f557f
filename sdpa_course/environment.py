"""Check that everything the course needs is installed, and say how to fix what isn't. Used in notebook 00."""

import re
import sys
from importlib import metadata

import numpy as np

OLDEST_PYTHON = (3, 11)
REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*>=\s*([0-9.]+)")


def check_environment() -> bool:
    """Print one line for each thing the notebooks need, and return whether all of it is there."""
    problems = [
        *check_python(sys.version_info[:2]),
        *check_packages(runtime_requirements(), installed_version),
        *check_kernels(),
    ]
    if not problems:
        print("Everything the course needs is here. Go on.")
    for problem in problems:
        print("To fix this:", problem)
    return not problems


def check_python(version: tuple[int, int]) -> list[str]:
    """What's wrong with the Python that runs this kernel, if anything."""
    oldest = ".".join(map(str, OLDEST_PYTHON))
    print(f"Python {oldest} or newer".ljust(30), "yes" if version >= OLDEST_PYTHON else "no")
    if version >= OLDEST_PYTHON:
        return []
    found = ".".join(map(str, version))
    return [f"this kernel runs Python {found}; start the course with `make lab`, which creates its own environment"]


def check_packages(requirements: list[tuple[str, str]], version_of) -> list[str]:
    """Which of the `(name, oldest version)` requirements are missing or too old."""
    problems = []
    for name, oldest in requirements:
        found = version_of(name)
        good = found is not None and as_numbers(found) >= as_numbers(oldest)
        print(f"{name} {oldest} or newer".ljust(30), "yes" if good else "no")
        if not good:
            state = "is missing" if found is None else f"is {found}"
            problems.append(f"{name} {state}; run `pip install '{name}>={oldest}'` and restart the kernel")
    return problems


def check_kernels() -> list[str]:
    """Check that attention agrees with the slow loops on this machine."""
    from .kernels.blocked import attention
    from .verify.reference import attention_loop

    q, k, v = np.random.default_rng(0).standard_normal((3, 2, 5, 4))
    good = np.allclose(attention(q, k, v, causal=True), attention_loop(q, k, v, causal=True)[0])
    print("attention equals the loops".ljust(30), "yes" if good else "no")
    return [] if good else ["the kernels give wrong numbers here; reinstall NumPy, then run `make test`"]


def runtime_requirements() -> list[tuple[str, str]]:
    """`(name, oldest version)` for each package the course needs on every platform, from its own metadata."""
    try:
        lines = metadata.requires("sdpa-course") or []
    except metadata.PackageNotFoundError:  # imported from its folder without being installed
        return []
    return [REQUIREMENT.match(line).groups() for line in lines if ";" not in line]


def installed_version(name: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def as_numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: 2.13.0+cpu becomes (2, 13, 0)."""
    return tuple(int(part) for part in re.match(r"\d+(\.\d+)*", version)[0].split("."))
