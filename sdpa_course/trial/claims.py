"""What claims, trials and verdicts are, and the register of all claims.

A claim often says several things, and its trial measures each of them. If all are met the claim holds, if none is it
fails, and otherwise it's half true: the parts say which half. No verdict is typed in anywhere.

To add a claim, write its trial in the module of its theme: the docstring is the claim, and `@claim` registers it. A
trial runs the experiment of the notebook that decided the claim, from the same seed, so readers meet the same digits.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

# The modules with claims, in the order of the course, and what they're about.
THEMES = {
    "variance": "Dot products and their variance",
    "softmax": "Softmax",
    "gradients": "Gradients",
    "shapes": "Shapes and confusions",
    "alternatives": "Other scales, other scores",
    "heads": "Heads",
    "training": "Training",
}


class Verdict(StrEnum):
    """The three verdicts of the course."""

    HOLDS = "holds"
    HALF_TRUE = "half true"
    FAILS = "fails"


class Part(NamedTuple):
    """One thing that a claim says."""

    says: str
    met: bool
    evidence: str  # the measured numbers, in words


# What a trial returns: each thing the claim says -> (is it met?, the evidence), and the measured numbers by name.
Findings = tuple[dict[str, tuple[bool, str]], dict[str, float]]


class Trial(NamedTuple):
    """A claim, what was found about each part of it, and the measured numbers by name."""

    claim: "Claim"
    parts: list[Part]
    numbers: dict[str, float]

    @property
    def verdict(self) -> Verdict:
        """Follows from the parts."""
        return decide(part.met for part in self.parts)


class Claim(NamedTuple):
    """A sentence that people repeat, and the experiment that tries it."""

    id: str
    theme: str
    short: str  # a few words, for a tile of the overview
    statement: str
    notebook: str  # where it was decided
    seed: int  # the one that the notebook's own experiment starts from, if it draws random numbers
    experiment: Callable[[int], Findings]

    def try_it(self, seed: int) -> Trial:
        """Run the experiment."""
        parts, numbers = self.experiment(seed)
        return Trial(self, [Part(says, *found) for says, found in parts.items()], numbers)


CLAIMS: dict[str, Claim] = {}


def claim(id: str, notebook: str, *, short: str, seed: int = 0):
    """Put an experiment into the register: its docstring is the claim, its module the theme."""

    def register(experiment: Callable[[int], Findings]) -> Callable[[int], Findings]:
        if id in CLAIMS:
            raise ValueError(f"id: got {id!r}, which {CLAIMS[id].experiment.__name__} already has")
        theme = experiment.__module__.rpartition(".")[-1]
        CLAIMS[id] = Claim(id, theme, short, experiment.__doc__.rstrip("."), notebook, seed, experiment)
        return experiment

    return register


def try_claims(theme: str) -> list[Trial]:
    """Try every claim of one theme."""
    if theme not in THEMES:
        raise ValueError(f"theme: got {theme!r}, expected one of {', '.join(THEMES)}")
    return [claim.try_it(claim.seed) for claim in CLAIMS.values() if claim.theme == theme]


def decide(met: Iterable[bool]) -> Verdict:
    """The verdict on a claim whose parts are met or not.

    Examples
    --------
    >>> print(decide([True, False]))
    half true
    """
    met = list(met)
    if not met:
        raise ValueError("met: got no part, expected at least one")
    if all(met):
        return Verdict.HOLDS
    return Verdict.HALF_TRUE if any(met) else Verdict.FAILS


def describe_gap(gap: float) -> str:
    """Describe a difference that should be rounding, in words that are the same on every machine."""
    return "equal to 12 digits" if gap < 1e-12 else f"off by up to {gap:.2g}"
