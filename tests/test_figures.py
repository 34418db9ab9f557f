"""Figure functions draw what they are given, describe it, and leave matplotlib as it was."""

import io

import matplotlib
import matplotlib.image
import numpy as np
import pytest

from sdpa_course.figures import new, show
from sdpa_course.figures.axes import ends, log_axes
from sdpa_course.figures.drawing import picture_of


def test_logarithmic_axes_have_plain_numbers_and_nothing_between_them():
    figure, ax = new()
    log_axes(ax, (1, 64.0), (1e-5, 0.25))
    figure.canvas.draw()
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "64"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0.00001", "0.25"]
    assert not ax.xaxis.get_minorticklocs().size
    _, one = new()
    log_axes(one, (1, 2))
    assert one.get_yscale() == "linear"


def test_ends_in_words():
    assert ends([0.5, 3, 0.9]) == "0.50 to 0.90"
    assert ends([0.5, 0.9], ".1f", "d_k = ", (1, 64)) == "0.5 at d_k = 1 to 0.9 at d_k = 64"


def test_the_picture_is_what_was_drawn():
    figure, ax = new(size=(4, 3))
    ax.plot([0, 1])
    figure.canvas.draw()
    picture = matplotlib.image.imread(io.BytesIO(picture_of(figure)))
    drawn = np.asarray(figure.canvas.buffer_rgba())
    assert picture.shape == (300, 400, 3)  # no transparency
    np.testing.assert_allclose(picture, drawn[..., :3] / 255, atol=1e-6)


def test_a_figure_without_words_is_refused():
    figure, _ = new()
    with pytest.raises(ValueError, match="alt is empty"):
        show(figure, alt=" ", caption="Notice this.")
    with pytest.raises(ValueError, match="caption is empty"):
        show(figure, alt="A line.", caption="")
