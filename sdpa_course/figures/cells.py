"""Numbers written into the cells of a heat map."""

from functools import cache

import numpy as np
from matplotlib import colormaps
from matplotlib.collections import PathCollection
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D

from .kit.palette import contrast


def write_in_cells(ax, texts: np.ndarray, shades: np.ndarray, colour_map: str, points: float) -> None:
    """Write (n, n) texts into the cells, black or white; as one artist, because n² texts would slow a slider down.

    `shades` are the cells' places on the colour map, from 0 to 1.
    """
    rows, columns = np.indices(texts.shape)
    drawn = PathCollection(
        [outline(text, points) for text in texts.flat],
        offsets=np.stack([columns.ravel(), rows.ravel()], axis=1),
        offset_transform=ax.transData,
        facecolors=[ink(colour) for colour in colormaps[colour_map](shades.ravel())],
        linewidths=0,
    )
    drawn.set_transform(Affine2D().scale(ax.figure.dpi / 72))  # from points to pixels
    drawn.set_label(" ".join(texts.flat))
    ax.add_collection(drawn)


@cache
def outline(text: str, points: float) -> Path:
    """The letters of a text as one path, with its middle at the origin."""
    path = TextPath((0, 0), text, size=points)
    (left, bottom), (right, top) = path.get_extents().get_points()
    return path.transformed(Affine2D().translate(-(left + right) / 2, -(bottom + top) / 2))


def ink(colour) -> str:
    """Black or white, whichever is easier to read on `colour`."""
    return max(("black", "white"), key=lambda name: contrast(name, colour[:3]))
