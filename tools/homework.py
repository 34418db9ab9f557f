"""Copy problem sets to my_work/, where students work on them. Files that are already there are never touched.

python tools/homework.py           every set that isn't there yet
python tools/homework.py ps03      this one
python tools/homework.py --progress   how far each set is, going by what's saved in my_work/
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def copy(names: list[str], *, root: Path = ROOT) -> int:
    """Copy the named sets, or all of them, and return 1 if there's no such set."""
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
            print(f"sdpa-course: my_work/{name}/{name}.ipynb is there already and was left alone")
        else:
            print(f"sdpa-course: copied to my_work/{name}/{name}.ipynb")
    return int(failed)


def progress(*, root: Path = ROOT) -> int:
    """Print one line for each set: the points that the saved checks gave, and the written answers begun."""
    for exercise in sorted((root / "exercises").glob("*/*.ipynb")):
        name = exercise.stem
        mine = root / "my_work" / name / f"{name}.ipynb"
        try:
            graded, given = graded_cells(mine), graded_cells(exercise)
        except FileNotFoundError:
            print(f"{name}  not started: make homework PS={name[2:]}")
            continue
        except (ValueError, KeyError):
            print(f"{name}  my_work/{name}/{name}.ipynb isn't a notebook that can be read")
            continue
        points = {key: cell["metadata"]["nbgrader"]["points"] for key, cell in given.items() if is_code(cell)}
        earned = sum(points_shown(graded[key]) for key in points if key in graded)
        texts = {key: cell["source"] for key, cell in given.items() if not is_code(cell)}
        begun = sum(key in graded and graded[key]["source"] != text for key, text in texts.items())
        print(f"{name}  {earned:g} of {sum(points.values())} points by code, {begun} of {len(texts)} written answers")
    return 0


def graded_cells(path: Path) -> dict:
    """The cells that bring points, by nbgrader's id."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    marked = [(cell["metadata"].get("nbgrader", {}), cell) for cell in cells]
    return {marks["grade_id"]: cell for marks, cell in marked if marks.get("grade")}


def is_code(cell: dict) -> bool:
    """Whether the points come from a check; the others come from a person."""
    return cell["cell_type"] == "code"


def points_shown(cell: dict) -> float:
    """The points that a check returned when its cell last ran; 0 if it never did."""
    shown = [output.get("data", {}).get("text/plain", "0") for output in cell.get("outputs", [])]
    try:
        return float("".join(shown[-1])) if shown else 0.0
    except ValueError:
        return 0.0


if __name__ == "__main__":
    sys.exit(progress() if sys.argv[1:] == ["--progress"] else copy(sys.argv[1:]))
