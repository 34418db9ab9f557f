"""The command `sdpa-course`: `diagnose`, `lab`, and subcommands that come from other installed packages.

A package adds one through an entry point in the group `sdpa_course.commands`: a function that takes the remaining
arguments as a list of strings and returns the exit status.
"""

import os
import subprocess
import sys
from argparse import ArgumentParser
from importlib import import_module
from importlib.metadata import entry_points
from operator import attrgetter

# Commands of the course that aren't part of this package.
EXTRA = dict.fromkeys(("collect", "grade", "marks", "report"), "pip install ./classroom")


def main(arguments: list[str] | None = None) -> int:
    """Run the subcommand that the first argument names, or list what's installed."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if name in OWN:
        return OWN[name](rest)
    installed = {entry.name: entry for entry in entry_points(group="sdpa_course.commands")}
    if name in installed:
        return installed[name].load()(rest)
    if name in EXTRA:
        answer = f"{name} isn't installed; to install it, run `{EXTRA[name]}` in the course's folder"
    else:
        listing = ", ".join([*OWN, *(f"{entry.name} (from {entry.dist.name})" for entry in installed.values())])
        problem = f"there's no command {name!r}" if name.strip("-") not in ("", "h", "help") else "expected a command"
        answer = f"{problem}; installed: {listing}"
    return complain(answer)


def complain(sentence: str) -> int:
    """Say why it didn't work, and return the status that means so."""
    print(f"sdpa-course: {sentence}", file=sys.stderr)
    return 2


def diagnose(arguments: list[str]) -> int:
    """Diagnose a function in a process of its own. Status: 0 fine, 1 problems, 2 not found, 3 out of time."""
    parser = ArgumentParser(
        "sdpa-course diagnose",
        description="Say what an attention function computes. The exit status is 0 if nothing is wrong with it, 1 if "
        "something is, 2 if it can't be found, and 3 if it takes too long.",
    )
    parser.add_argument(
        "function", help="package.module:function, looked for in this folder and among what's installed"
    )
    parser.add_argument("--make", action="store_true", help="it's a factory: sizes in, function out")
    parser.add_argument("--layout", help='such as "(B, T, H, D)"; by default several are tried')
    parser.add_argument("--scale", default="1/√d_k", help='the scale you mean to have, such as "1/d_k"')
    parser.add_argument("--size", action="append", default=[], metavar="d_k=64", help="a size that it insists on")
    parser.add_argument("--seconds", type=float, default=60, help="the time limit, 60 by default")
    given = parser.parse_args(arguments)
    code = "import sys; from sdpa_course.command import diagnose_here; sys.exit(diagnose_here(*eval(sys.argv[1])))"
    task = (given.function, given.make, given.layout, given.scale, given.size)
    try:
        return subprocess.run([sys.executable, "-c", code, repr(task)], timeout=given.seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        print(f"sdpa-course: {given.function} gave no answer within {given.seconds:g} seconds", file=sys.stderr)
        return 3


def diagnose_here(place: str, factory: bool, layout: str | None, scale: str, sizes: list[str]) -> int:
    """Import the function, print its report, and return the exit status."""
    from .diagnosis import diagnose

    sys.path.insert(0, os.getcwd())
    module, _, name = place.partition(":")
    try:
        function = attrgetter(name)(import_module(module))
        numbers = {key: int(value) for key, value in (size.split("=") for size in sizes)}
    except Exception as error:
        return complain(f"{place}: expected package.module:function; {type(error).__name__}: {error}")
    report = diagnose(**{"make" if factory else "function": function}, layout=layout, scale=scale, **numbers)
    print(report)
    return 1 if report.problems else 0


def lab(arguments: list[str]) -> int:
    """Copy the course into a folder of the reader's choice and open it in JupyterLab."""
    from .lab import lab

    return lab(arguments)


OWN = {"diagnose": diagnose, "lab": lab}
