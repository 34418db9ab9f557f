"""`sdpa-course lab` gives the reader a copy and never writes over it."""

import json
import subprocess
import sys

import pytest

from sdpa_course import command, lab


@pytest.fixture(autouse=True)
def trusted(monkeypatch):
    """Which notebooks would have been signed."""
    found = []
    monkeypatch.setattr(lab, "trust", found.extend)
    return found


@pytest.fixture
def course(tmp_path):
    """A small course."""
    return written(
        tmp_path / "course", {"notebooks/00.ipynb": "first", "exercises/ps01/ps01.ipynb": "task", "LICENSE": "L"}
    )


def written(folder, texts):
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def contents(folder):
    return {name.as_posix(): (folder / name).read_text() for name in lab.files(folder) if name.name != lab.MARK}


def test_an_empty_folder_gets_everything(course, tmp_path, trusted):
    target = lab.place(course, tmp_path / "mine", "1.0")
    assert target == tmp_path / "mine"
    assert contents(target) == contents(course)
    assert [path.name for path in trusted] == ["ps01.ipynb", "00.ipynb"]


def test_run_again_nothing_is_lost(course, tmp_path, trusted):
    target = lab.place(course, tmp_path / "mine", "1.0")
    mine = {"notebooks/00.ipynb": "my notes", "notebooks/new.ipynb": "my own"}
    written(target, mine)
    (target / "LICENSE").unlink()
    trusted.clear()
    assert lab.place(course, tmp_path / "mine", "1.0") == target
    assert contents(target) == contents(course) | mine  # what was removed is there again
    assert trusted == []  # and nothing of the reader's was signed


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_another_course_goes_beside_it(course, tmp_path, version):
    target = lab.place(course, tmp_path / "mine", "1.0")
    written(target, {"notebooks/00.ipynb": "my notes"})
    written(course, {"notebooks/00.ipynb": "rewritten"})
    beside = lab.place(course, tmp_path / "mine", version)
    assert beside == tmp_path / f"mine-{version}"
    assert contents(target)["notebooks/00.ipynb"] == "my notes"
    assert contents(beside)["notebooks/00.ipynb"] == "rewritten"
    assert lab.place(course, tmp_path / "mine", version) == beside  # found again
    written(course, {"notebooks/00.ipynb": "again"})
    assert lab.place(course, tmp_path / "mine", version) == tmp_path / f"mine-{version}-2"


def test_somebody_elses_folder_gets_a_folder_inside(course, tmp_path):
    there = written(tmp_path / "documents", {"letter.txt": "dear", "notebooks/00.ipynb": "not ours"})
    assert lab.place(course, there, "1.0") == there / "sdpa-course"
    assert contents(there)["notebooks/00.ipynb"] == "not ours"


def test_a_clone_is_opened_where_it_lies(monkeypatch, tmp_path):
    monkeypatch.setattr(lab, "PACKAGE", tmp_path / "sdpa_course")
    opened = []
    monkeypatch.setattr(lab, "open_lab", lambda folder, options: opened.append((folder, options)) or 0)
    assert command.main(["lab", "--port", "8899"]) == 0
    assert opened == [(tmp_path, ["--port", "8899"])]
    assert not list(tmp_path.iterdir())


def test_without_jupyterlab_it_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    assert command.main(["lab"]) == 2
    assert 'pip install "sdpa-course[lab]"' in capsys.readouterr().err


def test_the_wheel_carries_the_course_and_no_mark_of_the_grader(tmp_path):
    code = "import setup, pathlib, sys; setup.put_course(pathlib.Path(sys.argv[1]))"
    program = f"import setuptools; setuptools.setup = lambda **given: None; {code}"
    subprocess.run([sys.executable, "-c", program, tmp_path / "course"], check=True, cwd=lab.PACKAGE.parent)
    root = lab.PACKAGE.parent
    for folder in ("notebooks", "exercises"):
        for path in (root / folder).rglob("*.ipynb"):
            if ".ipynb_checkpoints" not in path.parts:
                assert (tmp_path / "course" / path.relative_to(root)).read_bytes() == path.read_bytes()
    solved = sorted((tmp_path / "course" / "solutions").rglob("*.ipynb"))
    assert len(solved) == len(list((root / "solutions").rglob("ps*.ipynb")))
    for path in solved:
        sources = ["".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
        assert not any(
            "### " in line and ("BEGIN" in line or "END" in line) for source in sources for line in source.split("\n")
        )
        assert not any("unseen=True" in source for source in sources)
