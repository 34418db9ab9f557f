"""From numbers to formulas: what a score is made of, and its factor in d_k, d_v, d_model and others."""

import re
from collections import namedtuple
from itertools import combinations
from math import isclose

import numpy as np

from .calling import Sizes

TYPICAL = Sizes(2, 8, 64, 64, 64, 64)  # what effects are told for: 8 heads of width 64, and 64 keys
MARKS = {0.5: "√{}", 1: "{}", 0.25: "{}^¼", 0.75: "{}^¾", 1.5: "{}^1.5", 2: "{}²"}
POWERS = {sign * p: "1/" * (sign < 0) + mark for p, mark in MARKS.items() for sign in (-1, 1)}  # the likeliest first


Formula = namedtuple("Formula", "text factor typical")  # "1/√d_k times 0.5", 0.5, and what that is at typical sizes


def formulas(values, sizes: list[Sizes], tolerance: float) -> list[Formula]:
    """Every formula that gives these values at these sizes. If d_k takes many values, that's one or none."""
    if np.abs(values).max() < 0.1 * tolerance:
        return [Formula("0", 0.0, 0.0)]
    batch, heads, queries, keys, d_k, d_v = np.array([*sizes, TYPICAL], float).T
    widths = {"d_k": d_k, "d_model": heads * d_k, "d_v": d_v, "heads": heads, "keys": keys, "queries": queries}
    widths |= {"batch": batch, "(heads·d_v)": heads * d_v, "ln(keys)": np.log(keys)}  # the likeliest first
    many = len({s.d_k for s in sizes}) > 2  # then a width that's always the same can't be told from a constant
    useful = {tuple(x[:-1]): name for name, x in reversed(widths.items()) if max(x[:-1]) > (min(x[:-1]) if many else 1)}
    widths = {name: x for name, x in widths.items() if name in useful.values()}
    powers = {mark.format(name): x**p for name, x in widths.items() for p, mark in POWERS.items()}
    simple = [(name, x) for name, x in powers.items() if many and not re.search(r"d_model|·|\^|²", name)]
    pairs = {f"{a} times {b}": x * y for (a, x), (b, y) in combinations(simple, 2)}
    exact, times = [], []
    for name, x in {"": np.ones(len(sizes) + 1), **powers, **pairs}.items():
        ratio = values / x[:-1]
        if np.ptp(ratio) < tolerance * np.abs(ratio).min():
            one = isclose(np.abs(ratio).mean(), 1, rel_tol=tolerance)
            factor = float(np.sign(ratio[0]) if one else np.median(ratio))
            parts = [name] * bool(name) + [f"{abs(factor):.4g}"] * (not one or not name)
            formula = Formula("−" * (factor < 0) + " times ".join(parts), factor, factor * x[-1])
            (exact if one else times).append(formula)
    return (exact or times)[:1] if many else exact or times[:1]


def reading(number: float) -> str:
    """The whole number that a constant may come from, such as 1/√512 for 0.0442, or ""."""
    for power, mark in list(POWERS.items())[:3]:  # 1/√, √ and 1/
        whole = round(abs(number) ** (1 / power))
        if 1 < whole < 20000 and isclose(whole**power, abs(number), rel_tol=2e-4):
            return mark.format(whole)
    return ""


def slope(x: np.ndarray, y: np.ndarray, seen: np.ndarray, axis=None, own=None) -> tuple[float, float]:
    """The multiple of x that's nearest to y where it's seen, and how far off y is.

    That's up to constants along an axis, and with a multiple for each line along `own`, of which the mean is returned.
    """
    x, y = (np.where(seen, a, 0) for a in (x, y))
    if axis is not None:
        count = np.maximum(seen.sum(axis=axis, keepdims=True), 1)
        x, y = (np.where(seen, a - a.sum(axis=axis, keepdims=True) / count, 0) for a in (x, y))
    factor = (x * y).sum(axis=own, keepdims=True) / (x * x).sum(axis=own, keepdims=True)
    return float(factor.mean()), float(np.nanmax(np.abs(y - factor * x)) / (np.abs(y).max() or 1))


def kinds_of_score(q: np.ndarray, k: np.ndarray) -> dict[str, np.ndarray]:
    """What a score may be a multiple of."""
    middle_q, middle_k = (x - x.mean(axis=-1, keepdims=True) for x in (q, k))
    one_q, one_k, *middle = (x / np.sqrt((x * x).sum(axis=-1, keepdims=True)) for x in (q, k, middle_q, middle_k))
    pairs = {"q·k": (q, k), "cosine": (one_q, one_k), "layernorm": middle, "only q": (one_q, k), "only k": (q, one_k)}
    return {name: a @ b.swapaxes(-1, -2) for name, (a, b) in pairs.items()}
