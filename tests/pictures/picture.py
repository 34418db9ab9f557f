"""Draw a sample, turn it into a small picture, and say how far two pictures differ where they differ most."""

import numpy as np
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure

from sdpa_course.figures import new
from sdpa_course.figures.drawing import styled
from tests.pictures.samples import SAMPLES

WINDOW = 8  # pixels: about one letter


class OutlineRenderer(RendererAgg):
    """Letters as outlines of the font that matplotlib ships: hinting and the smoothing of text change nothing."""

    get_text_width_height_descent = RendererBase.get_text_width_height_descent

    def draw_text(self, gc, *args, **keywords):
        gc.set_antialiased(True)
        RendererBase.draw_text(self, gc, *args, **keywords)


class OutlineCanvas(FigureCanvasAgg):
    """A canvas that keeps one `OutlineRenderer`."""

    def get_renderer(self):
        width, height = self.figure.bbox.size
        if not isinstance(getattr(self, "renderer", None), OutlineRenderer):
            self.renderer = OutlineRenderer(width, height, self.figure.dpi)
            self._lastKey = (width, height, self.figure.dpi)
        return self.renderer


def name_of(function) -> str:
    """module.function: two modules have a `score_histogram`."""
    return f"{function.__module__.rsplit('.', 1)[-1]}.{function.__name__}"


def draw(function) -> Figure:
    """The figure of a function's sample."""
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
    """Root mean square difference (of 255) within the square of WINDOW pixels where it is largest.

    Over the whole picture one changed digit would drown: it is a few dozen of 100,000 pixels.
    """
    if a.shape != b.shape:
        return float("inf")
    squares = ((a.astype(float) - b) ** 2).mean(axis=-1)  # (height, width)
    for axis in (0, 1):
        sums = np.cumsum(np.insert(squares, 0, 0, axis=axis), axis=axis)
        ahead, behind = (np.take(sums, range(*ends), axis=axis) for ends in window_ends(sums.shape[axis]))
        squares = (ahead - behind) / WINDOW
    return float(np.sqrt(max(squares.max(), 0)))


def window_ends(n: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where the windows end and where they start, among n cumulated sums."""
    return (WINDOW, n), (0, n - WINDOW)
