"""Notebook 10: move the block size, and see which tiles of the scores are computed and how many are held at once."""

import ipywidgets as widgets

from ..experiments.speed import tiling
from ..figures.drawing import Canvas, View
from ..figures.speed import tile_map
from .explorer import Explorer, steps_slider

LENGTHS = (64, 128, 256, 512, 1024)
BLOCKS = (8, 16, 32, 64, 128, 256)
canvas = Canvas(1, 2, size=(9.6, 4))


def blocks_view(T: int = 512, block: int = 64, causal: bool = True) -> View:
    """The tiles of T × T scores: whole, partly hidden or skipped."""
    result = tiling(T, block, causal=causal)
    numbers = {
        "Tiles computed": f"{result.tiles} of {result.kinds.size} ({result.tiles / result.kinds.size:.1%})",
        "Computed but hidden": f"{1 - result.needed / result.computed:.1%}",
        "Scores held at once": f"{result.held} of {T * T} ({result.held / T**2:.2%})",
    }
    return canvas.view(tile_map, result, causal, numbers=numbers)


def blocks_explorer() -> Explorer:
    """Sliders over the number of tokens and the block size, and a box that hides the future."""
    return Explorer(
        blocks_view,
        main=("block", "causal"),
        T=steps_slider("tokens T", LENGTHS, 512),
        block=steps_slider("block", BLOCKS, 64),
        causal=widgets.Checkbox(value=True, description="causal"),
    )
