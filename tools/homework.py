"""Copy problem sets to my_work/, where students work on them. Files that are already there are never touched.

python tools/homework.py           every set that isn't there yet
python tools/homework.py ps03      this one
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def copy(names: list[str], *, root: Path = ROOT) -> int:
    """Copy the named sets, or all of them, and return 1 if one of the named sets couldn't be copied."""
    there = sorted(path.name for path in (root / "exercises").iterdir() if path.is_dir())
    failed = False
    for name in names or there:
        name = f"ps{int(name):02d}" if name.isdigit() else name
        if name not in there:
            print(f"sdpa-course: got problem set {name!r}, expected one of {', '.join(there)}", file=sys.stderr)
            failed = True
            continue
        mine = root / "my_work" / name / f"{name}.ipynb"
        mine.parent.mkdir(parents=True, exist_ok=True)
        text = (root / "exercises" / name / f"{name}.ipynb").read_bytes()
        try:
            with mine.open("xb") as file:  # fails if the file exists
                file.write(text)
        except FileExistsError:
            print(f"sdpa-course: my_work/{name}/{name}.ipynb is your work and was left alone; rename it to start again")
            failed = failed or bool(names)
        else:
            print(f"sdpa-course: copied to my_work/{name}/{name}.ipynb")
    return int(failed)


if __name__ == "__main__":
    sys.exit(copy(sys.argv[1:]))
