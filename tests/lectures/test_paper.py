"""Pictures for the wall: a notebook that draws with the kit runs again for its slides, once."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from lectures import paper
from sdpa_course.figures.kit.picture import SLIDE


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """`stored(code)`: a notebook with this cell and no outputs, as a file."""
    monkeypatch.setattr(paper, "KEPT", tmp_path / "wall")

    def store(code: str):
        nbformat.write(new_notebook(cells=[new_code_cell(code)]), tmp_path / "02_test.ipynb")
        return tmp_path / "02_test.ipynb"

    return store


def test_a_picture_is_drawn_for_both_rooms_and_only_once(stored, monkeypatch):
    path = stored('from sdpa_course.figures import act_map\n\nact_map("02")')
    (cell,) = paper.drawn_for_the_wall(path).cells
    picture = cell.outputs[0].data[SLIDE]
    assert picture["light"].startswith("<svg")
    assert picture["dark"] != picture["light"]
    monkeypatch.setattr(paper, "NotebookClient", None)  # it can't run any more, and needn't
    assert paper.drawn_for_the_wall(path).cells == [cell]


def test_a_notebook_without_such_pictures_is_not_run(stored, monkeypatch):
    monkeypatch.setattr(paper, "NotebookClient", None)
    (cell,) = paper.drawn_for_the_wall(stored("print(1)")).cells
    assert cell.outputs == []
