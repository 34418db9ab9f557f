"""Sliders without a kernel: their frames are what the slider itself shows."""

import itertools

import ipywidgets as widgets
import pytest

from lectures.frames import control_html, frames, mathematics, thinned, track, values_of
from tests import sliders


@pytest.mark.parametrize("name", sliders.NAMES)
def test_a_frame_is_what_the_slider_shows_there(name):
    explorer = sliders.explorer(name)
    drawn = frames(explorer, most=(3, 2))
    for t in drawn.tracks:
        assert t.values[t.start] == explorer.controls[t.name].value
    assert drawn.start() == sliders.view(name)
    for places in itertools.product(*(range(len(t.values)) for t in drawn.tracks)):
        values = {t.name: t.values[place] for t, place in zip(drawn.tracks, places, strict=True)}
        assert drawn.at(*places) == sliders.view(name, **values)
    assert len({view.picture for view in drawn.views}) > 1


@pytest.mark.parametrize(("count", "at", "most"), [(1, 0, 5), (5, 4, 5), (21, 0, 5), (21, 7, 5), (41, 40, 13)])
def test_thinning_keeps_the_ends_and_the_present_value(count, at, most):
    places = thinned(count, at, most)
    assert {0, at, count - 1} <= set(places)
    assert len(places) <= most
    assert places == sorted(set(places))


def test_values_of_every_kind_of_control():
    slider = widgets.FloatSlider(value=0.5, min=0, max=1, step=0.05)
    assert [reading for reading, _ in values_of(slider)][:3] == ["0", "0.05", "0.1"]
    assert len(values_of(slider)) == 21
    pairs = widgets.SelectionSlider(options=[("three", 3), ("four", 4)], value=3)
    assert values_of(pairs) == [("three", 3), ("four", 4)]
    assert track("causal", widgets.Checkbox(value=True, description="causal"), 4).start == 1


def test_labels_are_set_as_mathematics():
    labels = {
        "d_k": "<i>d</i><sub>k</sub>",
        "heads h": "heads <i>h</i>",
        "σ of q": "<i>σ</i> of <i>q</i>",
        "1/sqrt(d_model)": "1/√<i>d</i><sub>model</sub>",
        "QK-norm, no gains": "QK-norm, no gains",
        "add to every score": "add to every score",
        "a < b": "a &lt; b",
    }
    assert {label: mathematics(label) for label in labels} == labels


def test_choices_are_buttons_and_numbers_are_a_slider():
    choice = widgets.SelectionSlider(options=[("1", "1"), ("1/d_k", "1/d_k")], value="1/d_k", description="scale")
    buttons = control_html(track("scale", choice, 4))
    assert buttons.count('type="radio"') == 2
    assert buttons.index(" checked") > buttons.index('value="1"')
    number = widgets.SelectionSlider(options=[("64", 64), ("512", 512)], value=64, description="d_k")
    assert control_html(track("d_k", number, 4)).count('type="range"') == 1
