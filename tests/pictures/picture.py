"""Draw a sample, turn it into a small picture, and measure how far two pictures differ where they differ most.

Why not pytest-mpl or matplotlib's own comparison: they average over the whole picture, where another setting of font
hinting counts for 23 of 255 and a wrong digit for 1.5; here hinting counts for nothing and the digit for 43.
"""

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from numpy.lib.stride_tricks import sliding_window_view

from sdpa_course.figures import new
from sdpa_course.figures.drawing import styled
from tests.pictures.samples import SAMPLES

WINDOW = 8  # pixels: about one letter


class OutlineRenderer(RendererAgg):
    """Draws letters as outlines of the font that matplotlib ships, so that hinting and text smoothing don't matter."""

    get_text_width_height_descent = RendererBase.get_text_width_height_descent

    def draw_text(self, gc, *args, **keywords):
        gc.set_antialiased(True)
        RendererBase.draw_text(self, gc, *args, **keywords)


class OutlineCanvas(FigureCanvasAgg):
    """A canvas that draws with one `OutlineRenderer`."""

    def get_renderer(self):
        width, height = self.figure.bbox.size
        if not isinstance(getattr(self, "renderer", None), OutlineRenderer):
            self.renderer = OutlineRenderer(width, height, self.figure.dpi)
            self._lastKey = (width, height, self.figure.dpi)
        return self.renderer


def name_of(function) -> str:
    """module.function, as the pictures are called."""
    return f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"


def draw(function) -> Figure:
    """The figure that a function draws of its sample."""
    sample = SAMPLES[function]
    figure, axes = new(**sample.grid)
    function(axes, *sample.results, **sample.keywords)
    return figure


@styled
def picture(figure: Figure) -> np.ndarray:
    """(height, width, 3) bytes at half of the figure's size: the mean of two by two pixels."""
    OutlineCanvas(figure).draw()
    full = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(float)
    height, width = (size // 2 for size in full.shape[:2])
    halved = full[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3).mean(axis=(1, 3))
    return np.round(halved).astype(np.uint8)


def largest_difference(a: np.ndarray, b: np.ndarray) -> float:
    """Root mean square difference (of 255) within the square of WINDOW pixels where it is largest."""
    if a.shape != b.shape:
        return float("inf")
    squares = ((a.astype(float) - b) ** 2).mean(axis=-1)  # (height, width)
    return float(np.sqrt(sliding_window_view(squares, (WINDOW, WINDOW)).mean(axis=(-2, -1)).max()))
