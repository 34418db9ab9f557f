"""Call an attention function of unknown make: its layout, its kind of arrays, the names of its arguments."""

import inspect
import re
import sys
from collections import namedtuple
from itertools import product

import numpy as np

from .report import first, words

Sizes = namedtuple("Sizes", "batch heads queries keys d_k d_v")  # d_model is always heads · d_k
NUMBERS = "2 3 5 7 16 11, 3 2 6 4 9 14, 1 5 4 6 24 8, 4 2 7 5 12 20, 2 6 3 8 36 10, 5 4 8 3 64 13, 2 3 4 9 150 25"
SIZES = [Sizes(*map(int, numbers.split())) for numbers in NUMBERS.split(",")]  # never more keys than d_k or d_v
LAYOUTS = ("(B, T, H·D)", "(T, H·D)", "(B, H, T, D)", "(B, T, H, D)", "(H, T, D)", "(T, H, D)", "(T, D)")


class Enough(Exception):
    """Nothing more can be found out, for a reason that's given as a sentence of the report and its numbers."""

    def __init__(self, key: str, **numbers):
        self.key, self.numbers = key, numbers


def arguments_of(function) -> dict[str, bool]:
    """Its arguments' names, each with whether it must be given. A built-in's are read from its documentation."""
    try:
        module = not inspect.isclass(function) and hasattr(function, "forward")
        listed = inspect.signature(function.forward if module else function).parameters.values()
    except (TypeError, ValueError):
        text = re.search(r"\((.*?)\)", function.__doc__ or "", re.S)
        return {name: not value for name, value in re.findall(r"(\w+)(=?)[^,]*", text[1] if text else "q, k, v")}
    return {p.name: p.default is p.empty for p in listed if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


def named(arguments, what: str) -> str:
    """Which of the arguments has one of the usual names for this, or ""."""
    return next((name for name in arguments if name.lower() in words("names").get(what, "").split()), "")


def convert(x: np.ndarray, layout: str) -> np.ndarray:
    """(B, H, T, D) to another layout."""
    x = x.swapaxes(1, 2) if "T, H" in layout else x
    x = x.reshape(*x.shape[:2], -1) if "·" in layout else x
    return x if "B" in layout else x[0] if "H" in layout else x[0, 0]


def array(x) -> np.ndarray:
    """An array, tensor or list as a NumPy array in float64, without importing anything."""
    try:
        return np.array(x.detach().cpu().double() if hasattr(x, "detach") else x, float)
    except (ValueError, TypeError):
        return np.array(np.nan)


class Box:
    """A function that's called with (B, H, T, D) arrays whatever it takes; `settle` finds out how."""

    def __init__(self, function, make, given: dict, layout: str | None):
        self.function, self.make, self.given, self.names = function, make, given, arguments_of(make or function)
        known = named(self.names, "heads") or "heads" in given  # if not, nobody knows where a packed head begins
        self.offset = self.residual = False  # whether something is added to the weighted average; whether v is
        self.layouts = [layout] if layout else LAYOUTS if known else LAYOUTS[2:]

    def fit(self, s: Sizes) -> Sizes:
        """These sizes with what the layout has, what the caller gave and what the function insists on."""
        s = s._replace(batch=s.batch if "B" in self.layout else 1)
        s = s._replace(heads=s.heads if "H" in self.layout or self.make else 1)._replace(**self.given)
        return s._replace(queries=s.keys if self.square else s.queries, d_v=s.d_k if self.equal else s.d_v)

    def draw(self, s: Sizes, seed: int) -> list[np.ndarray]:
        """Queries, keys and values from N(0, 1); a layout without heads gets one."""
        rng, lead = np.random.default_rng(seed), (s.batch, s.heads if "H" in self.layout else 1)
        return [rng.standard_normal((*lead, *x)) for x in ((s.queries, s.d_k), (s.keys, s.d_k), (s.keys, s.d_v))]

    def open(self, s: Sizes) -> tuple:
        """The function for these sizes, and what it gets besides q, k and v."""
        known = {**s._asdict(), "d_model": s.heads * s.d_k, "dropout": 0, "causal": False, "scale": s.d_k**-0.5}
        known["mask"] = self.mask and self.mask[0]((s.queries, s.keys), self.mask[1])

        def fill(names) -> dict:
            asked = {name: first({what: named([name], what) for what in known}) for name in names}
            if "" in asked.values():
                raise Enough("asks", names=", ".join(asked))
            return {name: known[what] for name, what in asked.items()}

        function = self.make(**fill(self.names)) if self.make else self.function
        rest, packed = list(arguments_of(function).items())[3:], "·" in self.layout
        return function, fill(name for name, needed in rest if needed or (packed and named([name], "heads")))

    def __call__(self, s: Sizes, q, k, v, **options) -> np.ndarray:
        """Its output as (B, H, Tq, Dv): the first array that has this shape in its layout, or with tokens first."""
        (function, extra), (make, dtype), (b, h, t, d) = self.open(s), self.kind, (*q.shape[:3], v.shape[3])
        given = [make(np.array(convert(x, self.layout), dtype, order="C")) for x in (q, k, v)]
        before = [array(x) for x in given]
        names = {name.lower().lstrip("x")[:1]: name for name in list(arguments_of(function))[:3]}  # by letter
        extra = {name: make(x) if isinstance(x, np.ndarray) else x for name, x in {**extra, **options}.items()}
        try:
            if {*names} == {*"qkv"}:  # then their order doesn't matter
                result = function(**{names[letter]: x for letter, x in zip("qkv", given, strict=True)}, **extra)
            else:
                result = function(*given, **extra)
        except (Exception, SystemExit) as error:
            shapes = ", ".join(f"{n} {x.shape}" for n, x in zip("qkv", before, strict=True))
            said = f"{type(error).__name__} ({' '.join(str(error).split())[:160]})"
            raise Enough("raised", said=said, shapes=shapes) from error
        self.mutates |= not all(np.array_equal(array(x), y, equal_nan=True) for x, y in zip(given, before, strict=True))
        layouts = ["(B, T, H, D)", "(B, T, H·D)"] if self.layout == "(B, H, T, D)" else []
        right = {convert(np.empty((b, h, t, d)), layout).shape: layout for layout in (*layouts, self.layout)}
        parts = result if isinstance(result, tuple) else (result,)
        for x in map(array, parts):
            if x.shape in right:
                self.returned = right[x.shape]
                return x.reshape(b, t, h, d).swapaxes(1, 2) if "T, H" in self.returned else x.reshape(b, h, t, d)
        got = " and ".join(str(tuple(x.shape)) if hasattr(x, "shape") else type(x).__name__ for x in parts)
        raise Enough("returned", got=got, expected=[*right][-1])

    def weights(self, s: Sizes, q, k, **options) -> np.ndarray:
        """Its weights (B, H, Tq, Tk): with one-hot values, the output *is* the weights, but for what's added."""
        v = np.zeros((*k.shape[:3], s.d_v))
        none = self(s, q, k, v, **options) if self.offset else 0
        v[..., range(s.keys), range(s.keys)] = 1
        return (self(s, q, k, v, **options) - none - (v if self.residual else 0))[..., : s.keys]

    def sample(self, s: Sizes, seed: int, **options) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Queries and keys from N(0, 1), and the weights they get."""
        q, k, _ = self.draw(s, seed)
        return q, k, self.weights(s, q, k, **options)

    def settle(self) -> None:
        """Find a way to call it that it accepts, and in which each output takes values from its own head alone."""
        kinds = [(np.asarray, np.float64), (np.asarray, np.float32)]
        tensors = [(sys.modules["torch"].from_numpy, dtype) for _, dtype in kinds] if "torch" in sys.modules else []
        self.wants_mask = self.names.get(named(self.names, "mask"), False)  # which one hides nothing?
        masks = [None, *product((np.ones, np.zeros), (bool, float))] if self.wants_mask else [None]
        accepted, refused = [], []
        for way in product((False, True), (False, True), kinds + tensors, self.layouts, masks):
            try:
                if self.trial(*way):
                    return
                accepted.append(way)
            except Enough as error:
                refused.append(error)
        if not accepted:
            told = max(refused, key=lambda error: error.key == "returned")
            if told.key == "raised":  # arrays and tensors may be refused for different reasons
                alike = [error.numbers for error in refused if error.numbers.get("shapes") == told.numbers["shapes"]]
                told.numbers["said"] = " and ".join(dict.fromkeys(numbers["said"] for numbers in alike))
            raise told
        self.trial(*accepted[0])

    def trial(self, square: bool, equal: bool, kind: tuple, layout: str, mask) -> bool:
        """Call it this way, and see whether values stay in their own head and queries matter."""
        self.square, self.equal, self.kind, self.layout, self.mask = square, equal, kind, layout, mask
        self.mutates, s = False, self.fit(SIZES[0])
        q, k, v = self.draw(s, 1)
        out, other_q, other_v = self(s, q, k, v), q.copy(), v.copy()
        self.random = not np.array_equal(out, self(s, q, k, v), equal_nan=True)
        other_v[-1, -1, 0] += 1
        other_q[-1, -1] *= -1 if "·" in layout else 1
        changed = self(s, other_q, k, other_v) - out
        changed[-1, -1] = 0
        self.mixes = not self.random and bool(np.nan_to_num(changed).any())
        sees = not self.wants_mask or (np.isfinite(out).all() and not np.array_equal(self(s, -q, k, v), out))
        return not self.mixes and bool(sees)
