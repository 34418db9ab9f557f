"""Every figure, drawn with its sample, looks as it did: compared with the picture in tests/pictures/baseline."""

import inspect
import os
import pkgutil
from importlib import import_module
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from sdpa_course import figures
from sdpa_course.figures import drawing
from sdpa_course.figures.drawing import course_style
from sdpa_course.figures.jacobian import weights_and_jacobian
from sdpa_course.figures.scales import metrics_by_width
from sdpa_course.figures.weights import weight_map
from tests.pictures.picture import draw, largest_difference, name_of, picture
from tests.pictures.samples import SAMPLES

BASELINES = Path(__file__).parent / "baseline"
RENEW = "SDPA_RENEW_PICTURES"
# The same picture gives 0; each of the changes in the tests below gives more than 16.
TOLERANCE = 4.0
SAMPLED = pytest.mark.parametrize("function", SAMPLES, ids=name_of)


def figure_functions() -> list:
    """The public functions of the package's figure modules that draw on axes and return alt text."""
    found = []
    for module in pkgutil.iter_modules(figures.__path__):
        for name, function in vars(import_module(f"{figures.__name__}.{module.name}")).items():
            own = inspect.isfunction(function) and function.__module__ == f"{figures.__name__}.{module.name}"
            if own and not name.startswith("_"):
                first = next(iter(inspect.signature(function).parameters), "")
                returns_words = inspect.signature(function).return_annotation is str
                found += [function] if first in ("ax", "axes") and returns_words else []
    return found


def test_every_figure_function_has_a_sample_and_a_picture():
    names = {name_of(function) for function in figure_functions()}
    assert "collapse.weights_beside" in names  # a search that finds nothing would agree with anything
    assert names == {name_of(function) for function in SAMPLES}, "add or remove samples in tests/pictures"
    stored = {path.stem for path in BASELINES.glob("*.png")}
    assert stored == names, f"pictures are missing or left over; renew them: {command('')}"
    assert sum(path.stat().st_size for path in BASELINES.glob("*.png")) < 1.5e6


@pytest.mark.parametrize("function", figure_functions(), ids=name_of)
def test_every_figure_is_drawn_in_the_courses_style(function):
    assert hasattr(function, "__wrapped__"), f"{name_of(function)}: decorate it with @styled"


@SAMPLED
def test_the_figure_looks_as_it_did(function, tmp_path):
    name, drawn = name_of(function), picture(draw(function))
    path = BASELINES / f"{name}.png"
    if os.environ.get(RENEW):
        info = PngInfo()
        info.add_text("Software", f"matplotlib {matplotlib.__version__}")
        Image.fromarray(drawn).save(path, optimize=True, pnginfo=info)
        pytest.skip(f"{path.name} renewed: look at it before you commit it")
    if not path.exists():
        pytest.fail(f"{name} has no picture yet; draw it and look at it: {command(name)}", pytrace=False)
    with Image.open(path) as stored:
        expected, made_by = np.asarray(stored.convert("RGB")), stored.text["Software"]
    difference = largest_difference(drawn, expected)
    if difference > TOLERANCE:
        Image.fromarray(drawn).save(tmp_path / path.name)
        pytest.fail(
            f"{name} differs from its picture by {difference:.1f} where it differs most (allowed: {TOLERANCE}).\n"
            f"stored: {path} ({made_by})\ndrawn:  {tmp_path / path.name} (matplotlib {matplotlib.__version__})\n"
            f"If the new one is right, renew it: {command(name)}",
            pytrace=False,
        )


def command(name: str) -> str:
    """What renews one picture, or all of them."""
    chosen = f' -k "{name}"' if name else ""
    return f"{RENEW}=1 .venv/bin/python -m pytest tests/pictures{chosen}"


# The comparison itself: blind to how letters are smoothed, not to anything that is said.


@pytest.mark.parametrize(
    ("setting", "value"), [("text.hinting", "force_autohint"), ("text.hinting", "default"), ("text.antialiased", False)]
)
def test_font_rendering_makes_no_difference(setting, value, monkeypatch):
    before = picture(draw(metrics_by_width))
    style = {**course_style(), setting: value}  # a copy: the style itself is kept for all figures to come
    monkeypatch.setattr(drawing, "course_style", lambda: style)
    assert largest_difference(before, picture(draw(metrics_by_width))) < TOLERANCE / 2


def move_line(figure):
    line = figure.axes[0].lines[0]
    line.set_ydata(np.asarray(line.get_ydata()) * 1.1)  # the axis is logarithmic: this is 1 % of its height


def drop_legend_entry(figure):
    legend = figure.axes[0].get_legend()
    legend.get_texts()[-1].set_alpha(0)


def swap_colours(figure):
    first, second = (container.lines[0] for container in figure.axes[0].containers[:2])
    colours = first.get_color(), second.get_color()
    second.set_color(colours[0])
    first.set_color(colours[1])


def change_tick_label(figure):
    ax = figure.axes[0]
    labels = [text.get_text() for text in ax.get_xticklabels()]
    ax.set_xticks(ax.get_xticks(), [label.replace("8", "3") for label in labels])


def change_line_style(figure):
    figure.axes[0].lines[-1].set_linestyle(":")


def change_number(figure):
    text = figure.axes[0].texts[0]
    text.set_text(text.get_text().replace("0.500", "0.510"))


def change_outlined_cell(figure):
    numbers = figure.axes[0].collections[0]
    paths = list(numbers.get_paths())
    paths[1] = paths[0]
    numbers.set_paths(paths)


@pytest.mark.parametrize(
    ("function", "change"),
    [
        (metrics_by_width, move_line),
        (metrics_by_width, drop_legend_entry),
        (metrics_by_width, swap_colours),
        (metrics_by_width, change_tick_label),
        (metrics_by_width, change_line_style),
        (weights_and_jacobian, change_number),
        (weight_map, change_outlined_cell),
    ],
    ids=lambda value: value.__name__,
)
def test_a_change_is_seen(function, change):
    before, figure = picture(draw(function)), draw(function)
    change(figure)
    assert largest_difference(before, picture(figure)) > 4 * TOLERANCE
