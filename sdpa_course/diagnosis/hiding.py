"""What's hidden, by position or on request; and the options that only some functions have."""

from bisect import bisect_left
from contextlib import suppress
from copy import copy
from itertools import product

import numpy as np

from .calling import Enough, arguments_of, named
from .fitting import slope
from .report import first, words

FUTURE, FROM_THE_END, *_ = words("patterns")
CORNERS = {FUTURE: "top left", FROM_THE_END: "bottom right"}


def alike(w: np.ndarray) -> bool:
    """Whether the weights are the same in all heads and batch entries."""
    return np.allclose(w, w[:1, :1], equal_nan=True)


class Hiding:
    """Which keys have no say under some options, and what becomes of them."""

    def __init__(self, e, options: dict, s, free: np.ndarray | None = None):
        near, (q, k, _) = max(1e-6, 10 * e.exact), e.box.draw(s, 8)
        q[...], k[...] = q[:1, :1, :1], k[:1, :1, :1]  # the same everywhere, and q · k = 0
        q[..., s.d_k // 2 :] = k[..., : s.d_k // 2] = 0
        self.w = e.box.weights(s, q, k, **options)
        w, moved = self.w[0, 0], np.ones((s.queries, s.keys), bool)
        lost = np.isnan(w).any(axis=1, keepdims=True)  # rows that see nothing, unless all of them are lost
        zero, logs = (w < 1e-30) | lost, np.log(w)
        for j in range(s.keys if e.axis in ("keys", "") else 0):  # raise one key's scores: who notices?
            raised = k.copy()
            raised[..., j, :] += 4 * q[0, 0, 0] / (q[0, 0, 0] ** 2).sum()
            change = np.log(e.box.weights(s, q, raised, **options)[0, 0]) - logs
            moved[:, j] = np.where(zero, 0, np.abs(change - change[:, [j]])).max(axis=1) > near
        self.idle = ~zero & ~moved & ((~zero).sum(axis=1, keepdims=True) > 1) & moved.any()
        self.hidden = zero | self.idle
        before = np.full(w.shape, 1 / s.keys) if free is None else free[0, 0]
        above = logs - np.log(np.where(before > 0, before, 1))
        above -= np.where(self.hidden, -np.inf, above).max(axis=1, keepdims=True)
        biased = ~self.hidden & (np.abs(above) > near)
        values = above[self.idle | biased] if (self.idle | biased).any() else np.zeros(1)
        value, vague = float(np.median(values)), self.idle & (np.ptp(values) > 1e3 * near)
        late = not zero.all() and np.allclose(w[~zero], before[~zero], rtol=1e-3)
        uneven, new = free is not None and alike(free) and not alike(self.w), zero & (before > 0)
        found = {"uneven": np.array(uneven), "nan": lost & lost.all(), "after": new & late, "exact": new}
        found |= {"vague": vague, "multiplied": self.idle & (abs(value) < near), "replaced": self.idle, "added": biased}
        self.how = first({how: where.any() for how, where in found.items()}) or ("exact" if zero.any() else "none")
        ahead, patterns = np.arange(s.keys) - np.arange(s.queries)[:, None], words("patterns").items()
        hides = {name: sign * ahead > more + end * (s.keys - s.queries) for name, (sign, more, end) in patterns}
        self.name = first({name: np.array_equal(self.hidden, where) for name, where in hides.items()})
        self.numbers = {"value": value, "low": self.w.sum(axis=-1).min()}


def probe_options(e) -> None:
    """Everything that's asked for by an argument, and what only some functions can do."""
    names = arguments_of(e.box.open(e.s)[0])
    for what, probe in {"causal": causal, "mask": mask, "scale": option, "softcap": option}.items():
        name = named(names, what)
        if name and probe != option and e.axis not in ("keys", ""):
            e.say(f"{what} left out", name=name, axis=e.axis)
        elif name and (probe != option or e.is_dot_product):
            with suppress(Enough):
                probe(e, what, name)
    for probe in (groups, float16):
        with suppress(Enough):
            probe(e)
    layout = ", returned as ".join(dict.fromkeys((e.box.layout, e.box.returned)))
    e.say("call", layout=layout, kind=np.dtype(e.box.kind[1]).name)


def causal(e, what: str, name: str) -> None:
    """With as many queries as keys the future has to be hidden; then which corner it starts from."""
    square = e.s._replace(queries=e.s.keys)
    found = Hiding(e, {name: True}, square, e.built_in(square).w)
    if found.how == "exact" and found.name != FUTURE:
        return e.say("causal wrong", what=found.name or "other keys than the future")
    e.say(f"causal {found.how}", name=name, **found.numbers)
    if found.how == "exact" and not e.box.square:
        e.say("causal corner", what=CORNERS.get(Hiding(e, {name: True}, e.s).name, "neither corner"))


def mask(e, what: str, name: str) -> None:
    """A mask as booleans, or 0 and 1; then as numbers to add."""
    s, rng, free = e.s, np.random.default_rng(9), e.built_in(e.s)
    shows = rng.random((s.queries, s.keys)) < 0.6
    shows[:, 1], shows[:, 2], shows[0] = True, False, np.arange(s.keys) != 2

    def ask(kind: type, lead: tuple, x: np.ndarray) -> dict:
        return {name: np.broadcast_to(x, (*lead, *x.shape)).astype(kind if x.dtype == bool else float)}

    for form in product((bool, np.int64, float), ((), (s.batch, s.heads), (s.batch, 1))):
        with suppress(Enough):
            found = Hiding(e, ask(*form, shows), s, free.w)
            break
    else:
        return e.say("mask refused", name=name)
    flip, plain = (np.array_equal(found.hidden, hides | free.hidden) for hides in (shows, ~shows))
    known = found.how not in ("added", "none") and (flip or plain or found.how in ("nan", "uneven"))
    if known:
        e.say(f"mask {found.how}", way="True = hidden" if flip else "True = may attend", **found.numbers)
        if found.how == "exact" and e.is_dot_product:
            stand_in(e, found.hidden, lambda hidden: ask(*form, hidden == flip))
    bias = rng.standard_normal(shows.shape)
    y = np.log(e.box.sample(s, 8, **ask(*form, bias))[2] / e.box.sample(s, 8)[2])[0, 0]
    factor, off = slope(bias, y, ~free.hidden, 1)
    if off < 0.01 and abs(factor) > 1e-6:
        scaled = "bias scaled" if e.c and abs(factor / e.c - 1) < 0.01 else "bias factor"
        e.say("bias" if abs(factor - 1) < 0.01 else scaled, value=factor)
    elif not known:
        ignored = np.nanmax(np.abs(y)) < 1e-6 and np.array_equal(found.hidden, free.hidden)
        e.say("mask ignored" if ignored else "mask unclear", name=name)


def stand_in(e, hidden: np.ndarray, ask) -> None:
    """What hidden scores are replaced by, or what's added to them, and a row that sees nothing."""
    row = int(np.argmax(hidden.any(axis=1)))
    one, sizes = np.arange(e.s.keys) == np.argmax(hidden[row]), np.geomspace(1, 1e30, 70_000)  # 0.1 % apart

    def leaks(size: float, up: bool) -> bool:
        return e.asked(size * one if up else -size * ~one, e.s, e.c, **ask(hidden))[row, one].item() > 0.1

    up = leaks(1e30, True)
    if up or leaks(1e30, False):
        enough = bisect_left(sizes, True, key=lambda size: leaks(size, up))
        e.say(f"stand-in {'added' if up else 'replaced'}", value=-sizes[enough])
    nothing = hidden | (np.arange(e.s.queries) == row)[:, None]
    w, free = (e.box.sample(e.s, 7, **options)[2][0, 0, row] for options in (ask(nothing), {}))
    kinds = {"nan": np.isnan(w).any(), "zeros": not w.any(), "uniform": np.ptp(w) < 1e-6}
    e.say("empty " + (first(kinds) or ("free" if np.allclose(w, free, atol=1e-4) else "other")))


def option(e, what: str, name: str) -> None:
    """Whether scale=0.3 is the factor, from what becomes of a score of 1; whether softcap=5 caps a score of 30."""
    factors = {"used": 0.3 / e.c, "ignored": 1, "on top": 0.3, "divides": 1 / (0.3 * e.c)}
    asked, score, guesses = (0.3, 1, factors) if what == "scale" else (5.0, 30, {"used": 5, "ignored": 30})
    seen = e.gap(score, *e.by_size[0], **{name: asked})
    key = first({key: abs(seen / value - 1) < 0.02 for key, value in guesses.items()}) or "other"
    e.say(f"{what} {key}", name=name, value=seen)


def groups(e) -> None:
    """Four query heads on two key heads, each with its number as its values: who reads whom?"""
    if e.box.layout not in ("(B, H, T, D)", "(B, T, H, D)", "(H, T, D)") or e.box.make or "heads" in e.box.given:
        return
    q, k, v = e.box.draw(e.s._replace(heads=4), 11)
    v[:] = np.arange(4)[:, None, None]
    options = {"enable_gqa": True} if "enable_gqa" in e.box.names else {}
    reads = e.box(e.s._replace(heads=4), q, k[:, :2], v[:, :2], **options)[0, :, 0, 0]
    if reads.round(3).tolist() in ([0, 0, 1, 1], [0, 1, 0, 1]):
        e.say("repeated" if reads[1] < 0.5 else "tiled")


def float16(e) -> None:
    """Equal keys of growing score share the weight until something overflows: exp, the product or the score."""
    if not e.is_dot_product:
        return
    half, (q, k, _), c = copy(e.box), e.box.draw(e.s, 1), abs(e.c)
    half.kind = (half.kind[0], np.float16)
    for raw in sorted((8 / c, 20 / c, 1e3, 1e4, 6.5e4, 6.6e4, 2e5, 6e5)):
        q[:] = k[:] = (raw / e.s.d_k) ** 0.5
        if not np.allclose(half.weights(e.s, q, k).sum(axis=-1), e.box.weights(e.s, q, k).sum(axis=-1), rtol=0.1):
            how = first({"float16 exp": raw == 20 / c, "float16 late": raw * c < 6.5e4 < raw}) or "float16"
            return e.say(how, value=raw, scaled=raw * c)
    e.say("float16 holds", value=raw)
