"""Counterexamples: inputs that a student found, on which a given function is wrong. It's run on them here."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .answers import Answer
from .tasks import Mistake, Task

LONGEST = 8  # of any axis: a small counterexample says more than a large one


@dataclass(frozen=True)
class Hunt:
    """A given function, what it should compute, and which inputs count.

    Parameters
    ----------
    given, right : callable
        The function with the bug, and the one that it should be.
    inputs : dict
        Its arguments in order, each with the names of its axes: `{"X": "tokens d_model", "heads": ""}`. A name that
        comes twice is the same size. No axes mean a whole number.
    refuse : callable
        `refuse(*inputs) -> str`: why the task's text doesn't allow this input; empty if it does.
    gap, floor : float
        How far apart two entries have to be, relative to the largest right one, or to `floor` if that's larger: where
        everything cancels, what's left is rounding.
    largest : float
        No entry may be further from 0.
    """

    given: Callable
    right: Callable
    inputs: dict[str, str]
    refuse: Callable[..., str] = lambda *inputs: ""
    gap: float = 1e-3
    floor: float = 0.1
    largest: float = 1e3

    @property
    def asked(self) -> str:
        """The names of the arguments, as one says them."""
        *first, last = self.inputs
        return f"{', '.join(first)} and {last}" if first else last

    def read(self, answer: Answer) -> tuple[tuple, str]:
        """The inputs in an answer; or none of them, and one sentence that says why it's no such input."""
        if answer.problem:
            return (), answer.problem
        arrays = answer.arrays
        deep = {len(axes.split()) + 1 for axes in self.inputs.values()} == {arrays[0].ndim}
        if len(arrays) == 1 < len(self.inputs) and deep and len(arrays[0]) == len(self.inputs):
            arrays = tuple(arrays[0])  # a list of arrays that happen to have the same shape
        if len(arrays) > 1 == len(self.inputs) and len({array.shape for array in arrays}) == 1:
            arrays = (np.stack(arrays),)  # a tuple of rows
        if len(arrays) != len(self.inputs):
            return (), f"{'one part' if len(arrays) == 1 else f'{len(arrays)} parts'}, where {self.asked} belong"
        sizes: dict[str, int] = {}
        for (name, axes), array in zip(self.inputs.items(), arrays, strict=True):
            wanted = axes.split()
            if array.ndim != len(wanted):
                form = f"an array ({', '.join(wanted)})" if wanted else "a whole number"
                return (), f"{name} of shape {array.shape}, where {form} belongs"
            if not (np.abs(array) <= self.largest).all():
                return (), f"{name} with an entry that isn't a number from −{self.largest:g} to {self.largest:g}"
            if not wanted and array != np.round(array):
                return (), f"{name} = {array:g}, which isn't a whole number"
            for axis, size in zip(wanted, array.shape, strict=True):
                if not 1 <= size <= LONGEST:
                    return (), f"{name} of shape {array.shape}; keep every size between 1 and {LONGEST}"
                if sizes.setdefault(axis, size) != size:
                    return (), f"{name} of shape {array.shape}: {axis} is {size} here and {sizes[axis]} before"
        inputs = tuple(array.astype(np.float64) if array.ndim else int(array) for array in arrays)
        refused = self.refuse(*inputs)
        return ((), refused) if refused else (inputs, "")

    def describe(self, *inputs) -> str:
        """The inputs with their numbers, or with the first and last ones of a larger array."""
        with np.printoptions(precision=4, threshold=9, edgeitems=2, suppress=True):
            values = (" ".join(str(value).split()).replace("[ ", "[") for value in inputs)
            return ", ".join(f"{name} = {value}" for name, value in zip(self.inputs, values, strict=True))

    def found(self, *inputs) -> bool:
        """Whether the given function is wrong on these inputs."""
        with np.errstate(all="ignore"):
            got, right = np.asarray(self.given(*inputs)), np.asarray(self.right(*inputs))
        return not bool((np.abs(got - right) <= self.gap * max(np.abs(right).max(), self.floor)).all())


@dataclass(frozen=True)
class Trap(Mistake):
    """Inputs on which the given function is right: `gives` is one of them, and `fits` says which others are alike."""

    fits: Callable[..., bool] = field(default=lambda *inputs: True)


def counterexample(problem_set: str, hunt: Hunt, example: Callable, traps: tuple[Trap, ...], read: str) -> Task:
    """The task that asks for one; `example()` is one of many."""
    asks = f"{hunt.asked} for which the given function is wrong"
    return Task(f"{problem_set}.counterexample", 1, asks, read, right=example, mistakes=traps, hunt=hunt)
