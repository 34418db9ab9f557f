"""Check that everything the course needs is installed, and say how to fix what isn't. Used in notebook 00."""

import sys
from importlib import metadata

import numpy as np
from packaging.requirements import Requirement

OLDEST_PYTHON = (3, 11)


def check_environment() -> bool:
    """Check everything that the notebooks need: one line if all of it is there, and one for each thing to fix."""
    problems = [
        *check_python(sys.version_info[:2]),
        *check_packages(runtime_requirements(), installed_version),
        *check_kernels(),
    ]
    if not problems:
        print("Everything the course needs is here.")
    for problem in problems:
        print("To fix this:", problem)
    return not problems


def check_python(version: tuple[int, int]) -> list[str]:
    """What's wrong with the Python that runs this kernel, if anything."""
    if version >= OLDEST_PYTHON:
        return []
    found = ".".join(map(str, version))
    return [f"this kernel runs Python {found}; start the course with `make lab`, which creates its own environment"]


def check_packages(requirements: list[str], version_of) -> list[str]:
    """Which of the requirements, such as "numpy>=2.1", are missing or too old."""
    problems = []
    for needed in map(Requirement, requirements):
        found = version_of(needed.name)
        good = found is not None and needed.specifier.contains(found)
        if not good:
            state = "is missing" if found is None else f"is {found}"
            problems.append(f"{needed.name} {state}; run `pip install '{needed}'` and restart the kernel")
    return problems


def check_kernels() -> list[str]:
    """Check that attention agrees with the slow loops on this machine."""
    from .kernels.blocked import attention
    from .verify.reference import attention_loop

    q, k, v = np.random.default_rng(0).standard_normal((3, 2, 5, 4))
    good = np.allclose(attention(q, k, v, causal=True), attention_loop(q, k, v, causal=True)[0])
    return [] if good else ["the kernels give wrong numbers here; reinstall NumPy, then run `make test`"]


def runtime_requirements() -> list[str]:
    """What the course needs on every platform, from its own metadata."""
    try:
        lines = metadata.requires("sdpa-course") or []
    except metadata.PackageNotFoundError:  # imported from its folder without being installed
        return []
    return [line for line in lines if ";" not in line]


def installed_version(name: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
