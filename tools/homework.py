"""Copy problem sets into my_work/, where a student works on them. What is already there is never touched.

python tools/homework.py           every set that is not there yet
python tools/homework.py ps03      this one
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def copy(names: list[str], *, root: Path = ROOT) -> int:
    """Copy the named sets (all of them if none is named); 1 if one could not be copied."""
    there = sorted(path.name for path in (root / "exercises").iterdir() if path.is_dir())
    failed = False
    for name in names or there:
        name = f"ps{int(name):02d}" if name.isdigit() else name
        if name not in there:
            print(f"sdpa-course: there is no problem set {name!r}; there are {', '.join(there)}", file=sys.stderr)
            failed = True
            continue
        mine = root / "my_work" / name / f"{name}.ipynb"
        mine.parent.mkdir(parents=True, exist_ok=True)
        text = (root / "exercises" / name / f"{name}.ipynb").read_bytes()
        try:
            with mine.open("xb") as file:  # fails if it exists: no look and then leap
                file.write(text)
        except FileExistsError:
            print(f"sdpa-course: my_work/{name}/{name}.ipynb is your work and stays as it is; rename it to start anew")
            failed = failed or bool(names)
        else:
            print(f"sdpa-course: copied to my_work/{name}/{name}.ipynb")
    return int(failed)


if __name__ == "__main__":
    sys.exit(copy(sys.argv[1:]))
