"""Figure functions draw what they are given, describe it, and leave matplotlib as it was."""

import io

import matplotlib
import matplotlib.image
import numpy as np
import pytest

from sdpa_course.figures import new, show
from sdpa_course.figures.collapse import weights_by_width
from sdpa_course.figures.drawing import picture_of


def test_weights_by_width_draws_and_describes_its_numbers():
    unscaled = np.array([[0.5, 0.3, 0.2], [0.9, 0.05, 0.05]])
    scaled = np.array([[0.5, 0.3, 0.2], [0.45, 0.35, 0.2]])
    before = dict(matplotlib.rcParams)
    _, axes = new(1, 2, sharey=True)
    alt = weights_by_width(axes, [1, 64], unscaled, scaled)
    assert dict(matplotlib.rcParams) == before
    np.testing.assert_allclose(axes[0].lines[1].get_ydata(), [0.9, 0.05, 0.05])
    np.testing.assert_allclose(axes[1].lines[1].get_ydata(), [0.45, 0.35, 0.2])
    assert "from 0.50 at d_k = 1 to 0.90 at d_k = 64" in alt
    assert "between 0.45 and 0.50" in alt
    assert axes[0].get_title(loc="left") == "scores as they are"  # the style holds while drawing


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
