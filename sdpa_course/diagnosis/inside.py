"""What's inside: values, the axis of softmax, what the score is made of, its factor, its cap, a sink."""

import re
import warnings
from contextlib import suppress
from functools import cache

import numpy as np

from ..kernels.softmax import softmax_forward
from .calling import SIZES, Box, Enough, Sizes
from .fitting import TYPICAL, Formula, formulas, kinds_of_score, reading, slope
from .hiding import Hiding, probe_options
from .report import Report, first, words

AXES = {"keys": 3, "queries": 2, "heads": 1, "batch": 0, "queries and keys together": (2, 3)}
BENDS = {"cap": lambda x, b: b * np.tanh(x / b), "clip": lambda x, b: np.clip(x, -b, b)}


class Examination:
    """What's known so far about the function in its box. Each probe needs the answers of those before it."""

    def __init__(self, box: Box, intended: str):
        self.box, self.intended, self.report = box, intended, Report()
        self.say, self.bent, self.rows = self.report.say, lambda x: x, None
        self.score, self.c = "", 0.0  # what the score is a multiple of, and the factor, once they're known
        self.built_in = cache(lambda s: Hiding(self, {}, s))

    @property
    def is_dot_product(self) -> bool:
        """Whether it's softmax of a multiple of q·k over keys, or over keys and a sink, as far as that's known."""
        return self.score == "q·k" and bool(self.c) and self.axis in ("keys", "")

    def run(self) -> Report:
        """The probes in their order, up to the one that finds that it's enough."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                for probe in (self.values, self.softmax, self.scores):
                    probe()
                for probe in (self.factor, self.cap, self.check) if self.score else ():
                    probe()
                probe_options(self)
            except Enough as end:
                self.say(end.key, **end.numbers)
            if self.rows is not None and "softmax" not in self.report.findings and self.level.how != "after":
                self.say("row sums", low=self.rows.min(), high=self.rows.max())
        return self.report

    def values(self) -> None:
        """Whether it gives the same twice, and the output is weights times values; and how precisely."""
        self.box.settle()
        self.s, box = self.box.fit(SIZES[0]), self.box
        s, (q, k, v) = self.s, box.draw(self.s, 3)
        out, none = box(s, q, k, v), box(s, q, k, 0 * v)
        box.offset = np.abs(none).max() > 1e-6
        w = box.weights(s, q, k)
        off = np.abs(out - none - w @ v).max() / np.abs(out).max()
        box.residual = s.queries == s.keys and (np.diagonal(w, axis1=2, axis2=3) > 1).all() and w.max() < 2
        uneven = np.abs(w.sum(axis=-1) - 1 - box.residual).max()
        if box.mutates:
            self.say("mutates")
        stops = {"dropout": box.random and (w == 0).any(), "random": box.random, "mixes": box.mixes}
        stops |= {"nan": not np.isfinite(out).all(), "no values": np.array_equal(out, none), "not linear": off > 0.05}
        if key := first(stops):
            raise Enough(key, zeros=np.mean(w == 0), nans=np.mean(~np.isfinite(out)), value=off)
        if box.offset:  # from here on it's subtracted
            self.say("residual" if none.shape == q.shape and np.allclose(none, q, atol=1e-3) else "offset")
        if box.residual:
            self.say("residual v")
        noise = max(off, uneven if uneven < 0.02 else 0)  # double, single or half precision inside?
        limits = (1e-4, 1e-5, 1e-9) if noise < 1e-11 else (0.02, 2e-3, 1e-4) if noise < 1e-5 else (1.0, 0.015, 0.02)
        self.spread, self.near, self.exact = limits  # of log weights; what's allowed in a formula, in a weight

    def softmax(self) -> None:
        """The axis along which weights sum to the same; then what's built in by position."""
        s, (q, k, w), near = self.s, self.box.sample(self.s, 5), 10 * self.exact
        dots = q @ k.swapaxes(-1, -2)
        sums, rows = {name: w.sum(axis=axis) for name, axis in AXES.items()}, w.sum(axis=-1)
        even = {n: x.mean() for n, x in sums.items() if x.size < w.size and np.ptp(x) < near * max(1, np.abs(x).max())}
        self.axis = first({name: abs(x - 1) < near for name, x in even.items()}) or ("keys" if "keys" in even else "")
        self.sum_axis = AXES[self.axis or "keys"]
        if np.abs(w - 1).max() < near:
            raise Enough("all ones")
        other_q, other_k, _ = self.box.draw(s, 13)
        changed = {"q": self.box.weights(s, other_q, k), "k": self.box.weights(s, q, other_k)}
        needs = [name for name, x in changed.items() if not np.allclose(x, w, rtol=0, atol=1e-12, equal_nan=True)]
        if len(needs) == 1:
            raise Enough("one side", name=needs[0])
        if not self.axis or (w < -near).any():
            odd = {"linear": w, "relu": np.where(w > 0, w, np.nan), "exp": np.log(w), "sigmoid": np.log(w / (1 - w))}
            for name, y in odd.items():
                factor, off = slope(dots, y, np.isfinite(y), (0, 1, 2, 3) if name == "sigmoid" else None)
                if np.isfinite(y).mean() > (0.2 if name == "relu" else 0.99) and off < 1e-3:
                    raise Enough(name, value=factor, total=rows[0, 0, 0], d_k=s.d_k)
            if (w < -near).any():
                raise Enough("negative", value=w.min())
        elif self.axis != "keys" or abs(even["keys"] - 1) < near:
            key = f"over {self.axis}" if self.axis in ("keys", "queries") else "axis"
            self.say(key, axis=self.axis, low=rows.min(), high=rows.max())
        self.rows, self.level = rows, self.built_in(s)
        right = softmax_forward(np.where(self.level.hidden, -np.inf, dots[0, 0] / s.d_k**0.5))
        self.report.weights = w[0, 0], right
        how, faint = self.level.how, self.box.weights(s, q / 10, k)
        if key := first({"built-in nan": how == "nan", "selects": ((faint == 0) != (self.level.w == 0)).any()}):
            raise Enough(key)
        if how != "none":
            what = self.level.name or "some keys by their position"
            self.say(f"built-in {how}", what=what, **self.level.numbers)

    def fits(self, s: Sizes) -> dict[str, tuple[float, float]]:
        """For each kind of score, its factor and how far off that is, from faint scores between long vectors."""
        size, level = self.spread, self.built_in(s)
        for _ in range(3):
            q, k, _ = self.box.draw(s, 6)
            q[..., s.d_k // 2 :] *= size
            k[..., : s.d_k // 2] *= size
            w = self.box.weights(s, q, k)
            logs, seen = np.log(w / level.w), (w > 0) & (level.w > 0) & ~level.idle
            spread = np.sqrt(np.nanmean(np.nanvar(np.where(seen, logs, np.nan), axis=self.sum_axis)))
            if spread < 1e-12 or 0.1 < spread / self.spread < 10:
                break
            size *= self.spread / spread
        kinds = kinds_of_score(q, k) if spread > 1e-4 * self.spread else {"q·k": q @ k.swapaxes(-1, -2)}
        fits = {name: slope(x, logs, seen, self.sum_axis) for name, x in kinds.items()}
        return fits | ({"by row": slope(kinds["q·k"], logs, seen, self.sum_axis, own=-1)} if len(fits) > 1 else {})

    def scores(self) -> None:
        """What the score is a multiple of; if of nothing, what it depends on."""
        fits, s, near, (q, k, w) = self.fits(self.s), self.s, 10 * self.near, self.box.sample(self.s, 12)
        change = w / self.level.w  # by large scores; if `fits` saw nothing of faint ones, both should do nothing
        if len(fits) == 1 and np.nanmax(change) - np.nanmin(change) > near:
            raise Enough("rounded")
        kind = first({name: off < near or len(fits) == 1 for name, (_, off) in fits.items()})
        if kind == "by row":
            return self.say(kind)
        if kind:
            self.score = kind
            return None if kind == "q·k" else self.say(kind)
        if self.axis != "keys":
            raise Enough("not q·k")
        other_q, other_k = q.copy(), k.copy()
        other_q[0, 0, 0] *= -2
        other_k[..., 0, :] *= -2
        change = np.abs(self.box.weights(s, other_q, k) - w)
        if change.sum() - change[0, 0, 0].sum() > near:
            raise Enough("queries mixed")
        change = np.log(self.box.weights(s, q, other_k) / w)
        moved = np.abs(change - np.nanmedian(change, axis=-1, keepdims=True)).max(axis=(0, 1, 2)) > near
        if moved[1:].any():
            raise Enough("keys mixed" if moved.sum() > 1 else "keys shuffled")
        q[...] = one = q[:1, :1, :1]
        k += (1 - (k * one).sum(axis=-1, keepdims=True)) * one / (one * one).sum()  # now each has q · k = 1
        even = self.box.weights(s, q, k) / self.level.w
        return self.say("bent q·k" if np.nanmax(np.ptp(even, axis=-1)) < near else "not q·k")

    def factor(self) -> None:
        """The factor on the scores, and that on the weights if there is one, at every size that works."""
        found = []
        for s in dict.fromkeys(map(self.box.fit, SIZES)):
            with suppress(Enough):
                total = self.box.sample(s, 5)[2].sum(axis=self.sum_axis).mean()
                factor, _ = self.fits(s).get(self.score, (np.nan, 1))
                found += [(s, factor, total)] if np.isfinite(factor) else []
        if not found:
            raise Enough("not q·k")
        sizes, factors, totals = map(list, zip(*found, strict=True))
        known = formulas(factors, sizes, max(self.near, 0 if self.score == "q·k" else 2e-3))
        self.c = 0.0 if known and not known[0].factor else factors[0]  # if it's 0, what's left is rounding
        self.by_size = list(zip(sizes, factors, strict=True))
        self.tell(known)
        if self.axis == "keys" and "softmax" not in self.report.findings:
            on = formulas(totals, sizes, self.near)
            self.say("on weights", formula=" or ".join(x.text for x in on) or f"{totals[0]:.3g}")

    def tell(self, known: list[Formula]) -> None:
        """Say which factor it is, what it resembles and what it does."""
        names, formula = " or ".join(x.text for x in known), known[0].text if len(known) == 1 else None
        tried = ", ".join(dict.fromkeys(str(s.d_k) for s, _ in self.by_size))
        listed = "; ".join(f"{x:.4g} at d_k = {s.d_k}, {x * s.d_k**0.5:.4g} times 1/√d_k" for s, x in self.by_size)
        _, factor, typical = known[0] if known else Formula("", 0.0, 0.0)
        constant, other, meant = factor == typical, self.score != "q·k", self.intended in names.split(" or ")
        cases = {"no formula": not known, "normalised": other and abs(typical) >= 0.5, "too flat": other}
        key = first({**cases, "as meant": meant and formula, "one of": meant, "some": not formula, "scale": True})
        self.say(key, formula, factor if key == "scale" and constant else None, names=names, tried=tried, listed=listed)
        if key != "scale":
            return
        resembles, variance = f"like {formula.removeprefix('−')}", typical**2 * TYPICAL.d_k
        if resembles in words("sentences"):
            self.say(resembles)
        elif constant and reading(factor):
            self.say("constant", reading=reading(factor))
        if factor < 0:
            self.say("negative scale")
        if abs(variance - 1) > 0.01 and not re.search("keys|queries|batch", formula):
            scores = np.random.default_rng(0).standard_normal((400, 64, 1)) * [variance**0.5, 1]
            top, right = softmax_forward(scores, axis=1).max(axis=1).mean(axis=0)
            said = f"1/{1 / variance:.0f}" if 0 < variance < 0.1 else f"{variance:.4g}"
            self.say("effect", variance=said, top=top, right=right)

    def asked(self, scores: np.ndarray, s: Sizes, c: float, **options) -> np.ndarray:
        """The weights (Tq, Tk) of one head if every query gets these scores, one for each key, with the factor c."""
        q, k = (np.zeros_like(x) for x in self.box.draw(s, 1)[:2])
        q[..., 0], k[..., 0] = 1, scores / c
        return self.box.weights(s, q, k, **options)[0, 0]

    def gap(self, x: float, s: Sizes, c: float, **options) -> float:
        """The log ratio of the weights of two keys whose scores would differ by x."""
        flat, number = self.asked(np.zeros(s.keys), s, c, **options), np.arange(s.keys)
        row = s.queries - 1 - int(np.argmax((flat > 0).sum(axis=1)[::-1]))
        one, other = number[flat[row] > 0][:2]
        with suppress(Enough):
            w = self.asked(x * (number == one), s, c, **options)[row] / flat[row]
            return float(np.log(w[one] / w[other]))
        return np.inf  # it refuses such scores

    def cap(self) -> None:
        """A cap on the scores: what a huge one comes to, at the first and the last width."""
        if not self.is_dot_product:
            return
        first_size, last = self.by_size[0], self.by_size[-1]
        b, other = self.gap(1e4, *first_size), self.gap(1e4, *last)
        near = 0.01 if self.exact < 1e-6 else 0.05
        if not np.isfinite(b):
            kept = [x for x in (3, 10, 30, 80, 200, 600) if abs(self.gap(x, *first_size) / x - 1) < near]
            return self.say("no cap", value=max(kept, default=0))
        tries = b * np.array([0.5, 1])
        seen = [self.gap(x, *first_size) for x in tries]
        how = first({how: np.allclose(seen, bend(tries, b), rtol=near) for how, bend in BENDS.items()})
        self.bent = (lambda x: BENDS[how](x, b)) if how else self.bent
        steady, early = abs(other / b - 1) < 0.02, abs(other / b / (last[1] / self.c) - 1) < 0.02
        self.say((how if steady else "early cap" if early else "") or "bends", value=b if steady else b / self.c)

    def check(self) -> None:
        """Compare fresh weights with all that was found, and look for a sink in what's left."""
        s, level, axis, (q, k, _) = self.s, self.level, self.sum_axis, self.box.draw(self.s, 7)
        q *= 1 / (abs(self.c) * s.d_k**0.5) if self.c and self.score == "q·k" else 1
        w, x = self.box.weights(s, q, k), self.bent(self.c * kinds_of_score(q, k)[self.score])
        exps = np.exp(x) * (1 if level.how == "after" else level.w / level.w.max(axis=-1, keepdims=True))
        sums, limit = exps.sum(axis=axis, keepdims=True), max(1e3 * self.exact, 1e-6 if self.score == "q·k" else 1e-3)
        models = {"": exps / sums * (w.sum(axis=axis).mean() if self.axis else 1) * (level.w > 0)}
        sink = np.median(s.keys * (1 / level.w.sum(axis=-1) - 1), axis=(0, 2))[:, None, None]
        if not self.axis:
            models |= {"sink": exps / (sums + sink), "late sink": exps / (sums + np.exp(x.max(axis=-1, keepdims=True)))}
        gaps = {name: np.nan_to_num(np.abs(model - w), nan=1).max() for name, model in models.items()}
        best = min(gaps, key=gaps.get)
        if best and gaps[best] < limit:
            self.say(best, value=np.log(sink.mean()).round(6) + 0.0, low=self.rows.min())
        if gaps[best] > limit and not level.idle.any():
            self.say("unexplained", value=gaps[best])
