"""The command `sdpa-course`: `sdpa-course grade` grades a class."""

import sys


def main() -> int:
    """Run the command, or say what is missing for it."""
    try:
        from .grading.command import main as run
    except ImportError as missing:
        need = "pip install -e '.[homework]' in the course's folder"
        print(f"sdpa-course: {missing.name} is not installed, and grading needs it: {need}", file=sys.stderr)
        return 2
    return run()


if __name__ == "__main__":
    sys.exit(main())
