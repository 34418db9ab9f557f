"""Every slider: the same view is the same picture whatever came before, and the widget shows what the view gives."""

import inspect
import io
import pkgutil
from base64 import b64decode
from html import escape
from importlib import import_module

import ipywidgets as widgets
import matplotlib.image
import pytest

from sdpa_course import explore
from sdpa_course.explore import all_explorers
from sdpa_course.explore.explorer import WIDGET, Explorer
from tests import sliders


@pytest.fixture(params=sliders.NAMES)
def name(request):
    return request.param


def test_every_slider_can_be_found():
    """Whoever makes an Explorer is called x_explorer and can be imported from sdpa_course.explore."""
    modules = [import_module(f"{explore.__name__}.{found.name}") for found in pkgutil.iter_modules(explore.__path__)]
    makers = {
        name
        for module in modules
        for name, function in vars(module).items()
        if inspect.isfunction(function) and inspect.signature(function).return_annotation is Explorer
    }
    assert makers == set(sliders.NAMES)


def test_a_view_is_a_function_of_its_values(name):
    """Drawn by two explorers in opposite orders, with other views in between: the same bytes."""
    changes = [{}, *sliders.changes(name)]
    there = [sliders.view(name, **each) for each in changes]
    other = all_explorers()[name]()
    back = [other.view(**each) for each in reversed(changes)][::-1]
    for change, one, two in zip(changes, there, back, strict=True):
        assert one.picture == two.picture, change
        assert one == two
    assert sliders.explorer(name).view() == there[0]


def test_axes_that_were_kept_look_as_if_drawn_again(name):
    explorer = all_explorers()[name]()
    for change in sliders.changes(name):
        explorer.canvas.drawn_axes = None  # nothing is kept
        assert explorer.view(**change) == sliders.view(name, **change), change


def test_every_control_changes_the_picture_and_says_so(name):
    explorer, start = sliders.explorer(name), sliders.view(name)
    for key, control in explorer.controls.items():
        views = [sliders.view(name, **{key: value}) for value in sliders.ends(control)]
        assert len({view.picture for view in views}) == 2, f"{key} changes nothing"
        for view in views:
            assert matplotlib.image.imread(io.BytesIO(view.picture)).shape[1::-1] == view.size == start.size
            assert len(view.alt.split()) >= 15
            assert all(view.numbers.values())


def test_the_widget_shows_the_view_of_its_controls(name):
    explorer = all_explorers()[name]()
    before = list(explorer.children)
    for key, control in explorer.controls.items():
        for value in [*sliders.ends(control), explorer.values()[key]]:
            control.value = value
            expected = sliders.view(name, **{key: value})
            assert explorer.picture.value == expected.picture
            for label, number in expected.numbers.items():
                assert f"{escape(label)}: <b>{escape(number)}</b>" in explorer.numbers.value
            assert escape(expected.alt) in explorer.numbers.value
    assert list(explorer.children) == before  # no second picture appears


def test_a_slider_starts_at_the_defaults_of_its_experiment(name):
    explorer = sliders.explorer(name)
    defaults = inspect.signature(explorer.experiment).parameters
    assert explorer.values() == {key: defaults[key].default for key in explorer.controls}
    for control in explorer.controls.values():
        assert control.description
        assert not isinstance(control, widgets.Dropdown)  # can't be moved by keyboard in JupyterLab


def test_a_notebook_stores_the_picture_and_shows_the_widget(name, monkeypatch):
    shown = []
    for module in ("explore.explorer", "figures.drawing"):
        monkeypatch.setattr(
            f"sdpa_course.{module}.display", lambda *args, **keywords: shown.append((args[0], keywords))
        )
    view = sliders.view(name)
    sliders.explorer(name).show(caption=r"Notice $\sqrt{d_k}$ & this.")
    (picture, keywords), (text, _), (widget, _) = shown
    described = keywords["metadata"]["image/png"]
    assert picture["text/plain"] == described["alt"] == view.alt
    assert (described["width"], described["height"]) == view.size
    assert b64decode(picture["image/png"]) == view.picture
    assert text.data.startswith("*Notice $\\sqrt{d_k}$ & this.*\n\n")
    assert all(f"{label}: **{number}**" in text.data for label, number in view.numbers.items())
    assert escape(view.alt) in text.data
    assert widget[WIDGET]["model_id"] == sliders.explorer(name).model_id
    assert list(widget) == [WIDGET]  # nothing else, so that it can be left out of what is stored
    assert r"<em>Notice $\sqrt{d_k}$ &amp; this.</em>" in sliders.explorer(name).caption.value
