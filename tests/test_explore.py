"""Every slider at the least, default and greatest value of each control; the picture follows the numbers."""

import io
from html import escape

import ipywidgets as widgets
import matplotlib.image
import pytest

from sdpa_course.explore import all_explorers

EXPLORERS = all_explorers()


def ends(control):
    """The least and the greatest value a control can take."""
    if hasattr(control, "options"):
        values = [option[1] if isinstance(option, tuple) else option for option in control.options]
        return [values[0], values[-1]]
    if hasattr(control, "min"):
        return [control.min, control.max]
    return [False, True]


@pytest.fixture(params=EXPLORERS.values(), ids=EXPLORERS)
def explorer(request):
    return request.param()


def test_every_control_at_its_ends_gives_what_the_view_gives(explorer):
    width, height = explorer.view(**explorer.values()).size
    for name, control in explorer.controls.items():
        default, pictures = control.value, set()
        for value in [*ends(control), default]:
            control.value = value
            expected = explorer.view(**explorer.values())
            assert explorer.picture.value == expected.picture, f"{name} = {value}"
            assert all(escape(number) in explorer.numbers.value for number in expected.numbers.values())
            assert escape(expected.alt) in explorer.numbers.value
            assert matplotlib.image.imread(io.BytesIO(expected.picture)).shape[:2] == (height, width)
            assert len(expected.alt.split()) >= 15
            pictures.add(expected.picture)
        assert len(pictures) > 1, f"{name} changes nothing"


def test_defaults_are_those_of_the_view(explorer):
    assert explorer.view().picture == explorer.view(**explorer.values()).picture


def test_controls_are_labelled_and_the_stored_text_names_them(explorer):
    stored = explorer._repr_mimebundle_()
    for control in explorer.controls.values():
        assert control.description
        assert not isinstance(control, widgets.Dropdown)  # cannot be moved by keyboard in JupyterLab
        assert control.description in stored["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in stored


def test_no_second_picture_appears(explorer):
    before = len(explorer.children)
    control = next(iter(explorer.controls.values()))
    for value in [*ends(control)] * 3:
        control.value = value
    assert len(explorer.children) == before == len(explorer.controls) + 2
