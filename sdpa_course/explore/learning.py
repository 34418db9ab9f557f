"""Sliders about gradients, training and cost: notebooks 04, 06, 09, 10 and 12, appendix A2."""

from ..experiments.cures import CURES, RATES, followed
from ..experiments.cures import WIDTHS as CURE_WIDTHS
from ..experiments.layers import DEAD
from ..experiments.row_gradients import KEYS, ROWS, WIDTHS, gradient_rows, without_scale
from ..experiments.saturation import jacobian_of_four
from ..experiments.speed import tiling
from ..experiments.training import TrainingSettings, snapshot
from ..figures.claims import folk_claims
from ..figures.cures import run_curves
from ..figures.drawing import Canvas
from ..figures.gradients import row_histogram
from ..figures.jacobian import weights_and_jacobian
from ..figures.speed import tile_map
from ..figures.training_curves import weights_at_step
from .explorer import THREE_SCALES, Explorer, checkbox, number_slider, slider


def jacobian_explorer() -> Explorer:
    """Notebook 04: move two of four scores, and see which entries of the softmax Jacobian live and which die."""
    return Explorer(
        jacobian_of_four,
        weights_and_jacobian,
        canvas=Canvas(1, 2, size=(8.4, 4), width_ratios=[1, 1.1]),
        numbers=lambda result: {
            "top weight": f"{result.weights.max():.3f}",
            "‖J‖": f"{result.norm:.3f}",
        },
        first=number_slider("first score", 2.0, 0, 10, 0.5),
        second=number_slider("second score", 1.0, 0, 10, 0.5),
    )


def gradients_explorer() -> Explorer:
    """Notebook 06: move d_k, the scale and the number of keys, and see how the gradient is spread over the queries."""
    return Explorer(
        gradient_rows,
        row_histogram,
        canvas=Canvas(size=(9, 4.4)),
        numbers=lambda result: {
            "root mean square": f"{result.rms:.3g}",
            "median": f"{result.median:.3g}",
            f"dead rows (under {DEAD:.0%} of the rms)": f"{result.dead * ROWS:.0f} of {ROWS}",
            "longest tenth carries": f"{result.top_tenth:.1%} of the squares",
        },
        d_k=slider("d_k", WIDTHS, 512),
        scale=slider("scale", THREE_SCALES, "1"),
        n=slider("number of keys", KEYS, 64),
    )


def training_explorer() -> Explorer:
    """Notebook 09: walk through the steps of a training run. A new d_k or scale trains for about a second first."""
    return Explorer(
        snapshot,
        weights_at_step,
        canvas=Canvas(1, 2, size=(9.6, 4.5)),
        numbers=lambda result: {
            "accuracy": f"{result.now.accuracy:.2f}",
            "entropy ÷ log n": f"{result.now.entropy:.2f}",
            "mean top weight": f"{result.now.top:.2f}",
            "stuck rows": f"{result.now.stuck:.0%}",
        },
        main=("step", "scale"),
        step=slider("step", range(0, TrainingSettings().steps + 1, 20), 240),
        d_k=slider("d_k", (8, 64), 64),
        scale=slider("scale", ("1", "1/sqrt(d_k)"), "1/sqrt(d_k)"),
    )


def cures_explorer() -> Explorer:
    """Notebook 10: choose a rule, a learning rate and a width, and see what the stored runs did."""
    return Explorer(
        followed,
        run_curves,
        canvas=Canvas(1, 3, size=(9.6, 3.6)),
        numbers=lambda result: {
            "right answers": f"{100 * result.accuracy.mean():.0f} % ± {100 * result.accuracy.std(ddof=1):.0f} %",
            "largest score": f"{result.last('largest'):.2g}",
            "entropy ÷ log n": f"{result.last('entropy'):.2f}",
        },
        rule=slider("rule", CURES, "1/sqrt(d_k)"),
        learning_rate=slider("learning rate", RATES, 0.1),
        d_k=slider("d_k", CURE_WIDTHS, 64),
    )


def blocks_explorer() -> Explorer:
    """Notebook A2: move the block size, and see which tiles of the scores are computed and how many held at once."""
    return Explorer(
        tiling,
        tile_map,
        canvas=Canvas(1, 2, size=(9.6, 4)),
        numbers=lambda result: {
            "Tiles computed": f"{result.tiles} of {result.kinds.size} ({result.tiles / result.kinds.size:.1%})",
            "Computed but hidden": f"{result.wasted:.1%}",
            "Scores held at once": f"{result.held} of {result.T**2} ({result.held / result.T**2:.2%})",
        },
        main=("block", "causal"),
        T=slider("tokens T", (64, 128, 256, 512, 1024), 512),
        block=slider("block", (8, 16, 32, 64, 128, 256), 64),
        causal=checkbox("causal", True),
    )


def folk_explorer() -> Explorer:
    """Notebook 12: move d_k and what "explode" and "vanish" mean, and see which claims about gradients hold."""
    yes = {True: "yes", False: "no"}
    return Explorer(
        without_scale,
        folk_claims,
        canvas=Canvas(1, 2, size=(9.6, 4.2), width_ratios=[1.35, 1]),
        numbers=lambda result: {
            "The whole gradient explodes": yes[result.ratios.rms > result.factor],
            "The whole gradient vanishes": yes[result.ratios.rms < 1 / result.factor],
            "The typical query's vanishes": yes[result.ratios.median < 1 / result.factor],
        },
        d_k=slider("d_k", WIDTHS, 512),
        n=slider("number of keys", KEYS, 64),
        factor=slider("factor that counts", (1.5, 2, 3, 10, 100), 3),
    )
