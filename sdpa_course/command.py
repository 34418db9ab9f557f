"""The command `sdpa-course`. Its subcommands come from other installed packages.

A package adds one through an entry point in the group `sdpa_course.commands`: a function that takes the remaining
arguments as a list of strings and returns the exit status.
"""

import sys
from importlib.metadata import entry_points

EXTRA = {"grade": "pip install ./classroom"}  # commands of the course that aren't part of this package


def main(arguments: list[str] | None = None) -> int:
    """Run the subcommand that the first argument names, or list what's installed."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    installed = {entry.name: entry for entry in entry_points(group="sdpa_course.commands")}
    if name in installed:
        return installed[name].load()(rest)
    if name in EXTRA:
        answer = f"{name} isn't installed; to install it, run `{EXTRA[name]}` in the course's folder"
    else:
        listing = ", ".join(f"{entry.name} (from {entry.dist.name})" for entry in installed.values()) or "none"
        problem = f"there's no command {name!r}" if name.strip("-") not in ("", "h", "help") else "expected a command"
        answer = f"{problem}; installed: {listing}"
    print(f"sdpa-course: {answer}", file=sys.stderr)
    return 2
