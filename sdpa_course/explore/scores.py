"""Sliders about scores and weights: notebooks 00 to 03, 05, 07 and 08."""

import ipywidgets as widgets

from ..experiments.bending import bend
from ..experiments.heads import HEADS, choose_heads
from ..experiments.histograms import score_distribution
from ..experiments.row_gradients import KEYS, WIDTHS
from ..experiments.saturation import collapse, random_weights, softmax_at_temperature
from ..experiments.scales import exponent_sweep
from ..experiments.sentence import random_attention
from ..experiments.similarity import one_draw
from ..experiments.variance import DISTRIBUTIONS
from ..figures.bending import bent_steps
from ..figures.collapse import weights_beside
from ..figures.drawing import Canvas
from ..figures.heads import one_choice
from ..figures.kit.matrices import number
from ..figures.rules import RULES
from ..figures.saturation import sharpness, softmax_bars
from ..figures.scales import exponents
from ..figures.similarity import one_range
from ..figures.variance import score_density
from ..figures.weights import weight_map
from ..kernels.scores import SCALES
from .explorer import THREE_SCALES, Explorer, checkbox, number_slider, slider

TEMPERATURES = (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20)


def sharpness_numbers(result) -> dict[str, str]:
    """How sharp the weights are."""
    return {
        "top weight": f"{result.sharpness.top:.3f}",
        "entropy ÷ log n": f"{result.sharpness.entropy:.3f}",
        "effective number of keys": f"{result.sharpness.effective_keys:.1f}",
    }


def collapse_explorer() -> Explorer:
    """Notebook 00: move d_k, and watch softmax collapse without the scale; σ breaks the assumption of unit variance."""
    return Explorer(
        collapse,
        weights_beside,
        canvas=Canvas(1, 2, size=(9, 3.8), sharey=True),
        numbers=lambda result: {
            "Typical score, no scale": f"{result.unscaled.score_std:.2f}",
            "Typical score, ÷ √d_k": f"{result.scaled.score_std:.2f}",
            "Largest weight, no scale": f"{100 * result.unscaled.largest:.1f} %",
            "Largest weight, ÷ √d_k": f"{100 * result.scaled.largest:.1f} %",
        },
        d_k=slider("d_k", WIDTHS[:11], 64),
        sigma=slider("σ of the entries", (0.5, 1.0, 2.0), 1.0),
    )


def range_explorer() -> Explorer:
    """Notebook 01: draw scores again, and more of them, and see which number for their size holds still."""
    return Explorer(
        one_draw,
        one_range,
        canvas=Canvas(2, 1, size=(9, 4.6), height_ratios=[1.3, 1]),
        numbers=lambda result: {
            "lowest": number(result.low, 0),
            "highest": number(result.high, 0),
            "standard deviation": f"{result.std:.1f}",
        },
        draw=slider("draw number", range(1, 10), 1),
        pairs=slider("pairs drawn", (10, 100, 1000, 10_000), 10),
        d_k=slider("d_k", (2, 5), 5),
        sigma=slider("σ of the entries", (1, 2, 3, 4), 4),
    )


def angles_explorer() -> Explorer:
    """Notebook 02: let the steps go along with each other, and see which divisor makes the width stop mattering."""
    return Explorer(
        bend,
        bent_steps,
        canvas=Canvas(1, 3, size=(9, 3.5)),
        numbers=lambda result: {
            "variance of the score": f"{result.variance:.1f}",
            "after ÷ √d_k": f"{result.variance / result.d_k:.2f}",
            "after ÷ d_k": f"{result.variance / result.d_k**2:.3f}",
        },
        correlation=number_slider("correlation of any two steps", 0.2, 0, 1, 0.05),
        d_k=slider("d_k", (4, 16, 64, 256), 16),
    )


def variance_explorer() -> Explorer:
    """Appendix A3: break the assumptions behind Var(q·k) = d_k, and see the scores leave N(0, 1)."""
    return Explorer(
        score_distribution,
        score_density,
        canvas=Canvas(size=(9, 3.8)),
        numbers=lambda result: {
            "variance of q·k": f"{result.measured.variance.mean:.2f}",
            "predicted": f"{result.measured.predicted_variance:.2f}",
            "measured ÷ d_k": f"{result.measured.variance.mean / result.measured.assumptions.d_k:.2f}",
            "mean of q·k": f"{result.measured.mean.mean:.2f}",
        },
        d_k=slider("d_k", WIDTHS[:9], 16),
        mean=number_slider("mean μ of q and k", 0, 0, 1, 0.05),
        sigma_q=number_slider("σ of q", 1, 0.25, 3, 0.25),
        correlation=number_slider("correlation ρ of q and k", 0.5, -1, 1, 0.05),
        distribution=slider("entries", DISTRIBUTIONS, "normal"),
    )


def temperature_explorer() -> Explorer:
    """Notebook 03: the temperature, even on a log scale, and a shift of all scores together."""
    return Explorer(
        softmax_at_temperature,
        softmax_bars,
        canvas=Canvas(1, 2, size=(9, 3.8)),
        numbers=sharpness_numbers,
        temperature=slider("temperature", TEMPERATURES, 1),
        shift=widgets.IntSlider(value=0, min=-5, max=5, description="add to every score"),
    )


def sharpness_explorer() -> Explorer:
    """Notebook 03: d_k, the scale and the number of keys, on random queries and keys."""
    return Explorer(
        random_weights,
        sharpness,
        canvas=Canvas(1, 2, size=(9, 3.8)),
        numbers=sharpness_numbers,
        d_k=slider("d_k", WIDTHS, 64),
        scale=slider("scale", THREE_SCALES, "1"),
        n=slider("number of keys", (*KEYS, 512), 64),
    )


def weights_explorer() -> Explorer:
    """Notebook 05: move d_k, the scale and the mask, and see the weights of one sentence sharpen or flatten."""
    return Explorer(
        random_attention,
        weight_map,
        canvas=Canvas(size=(8.4, 4.1)),
        numbers=lambda result: {
            "factor on the scores": f"{result.factor:.4f}",
            "largest weight of a row, average": f"{result.top:.3f}",
            "entropy ÷ log n, average": f"{result.entropy:.3f}",
        },
        main=("scale", "d_k"),
        d_k=slider("d_k", WIDTHS[:10], 64),
        scale=slider("scale", SCALES, "1/sqrt(d_k)"),
        causal=checkbox("causal mask", False),
    )


def exponent_explorer() -> Explorer:
    """Notebook 07: move the exponent of the scale d_k^(−exponent), and see at which one d_k stops to matter."""
    return Explorer(
        exponent_sweep,
        exponents,
        canvas=Canvas(1, 2, size=(9, 3.9), sharey=True),
        numbers=lambda result: {f"entropy at d_k = {d_k}": f"{result.by_width[d_k]:.3f}" for d_k in result.curves},
        exponent=number_slider("exponent", 0.5, 0, 1, 0.05),
        n=slider("number of keys", (8, 64, 512), 64),
    )


def heads_explorer() -> Explorer:
    """Notebook 08: cut the same columns into more and more heads, and compare 1/√d_k with 1/√d_model."""

    def numbers(result):
        found = {"d_k": str(result.d_model // result.h)}
        for scale, each in result.by_scale.items():
            name = RULES[scale].text.replace("/", "/\u2060")  # no line break behind the slash
            variance, theory = each.variance, each.theory[result.h]
            found[f"variance with {name}"] = f"{variance:.3f} (theory {theory:.3f})"
            found[f"entropy ÷ log n with {name}"] = f"{each.entropy:.3f}"
        return found

    return Explorer(
        choose_heads,
        one_choice,
        canvas=Canvas(1, 2, size=(9, 4)),
        numbers=numbers,
        h=slider("heads h", HEADS, 8),
        d_model=slider("d_model", (64, 128, 256, 512, 1024), 512),
        sigma=slider("σ of the tokens' entries", (1.0, 1.25, 1.5, 2.0), 1.0),
    )
