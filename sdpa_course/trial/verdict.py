"""What a claim, a trial and a verdict are. Nothing is typed in: a verdict follows from the parts of a claim.

A claim says one or more things. Its trial measures each of them and notes whether it is met. All met: the claim
holds. None met: it fails. Otherwise it is half true, and the parts say which half.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """The three verdicts of the course."""

    HOLDS = "holds"
    HALF_TRUE = "half true"
    FAILS = "fails"


SYMBOLS = {Verdict.HOLDS: "✓", Verdict.HALF_TRUE: "◐", Verdict.FAILS: "✗"}


class Part(NamedTuple):
    """One thing that a claim says."""

    says: str
    met: bool
    evidence: str  # the number behind it, in words


class Finding(NamedTuple):
    """What a trial found: the parts, and the numbers by name, as they were measured."""

    parts: tuple[Part, ...]
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
    seed: int  # that of the notebook's own experiment, where it has one
    try_it: Callable[[int], Finding]


class Trial(NamedTuple):
    """A claim and what was found."""

    claim: Claim
    finding: Finding

    @property
    def verdict(self) -> Verdict:
        """The finding's."""
        return self.finding.verdict


def decide(met) -> Verdict:
    """All parts met, some of them, or none.

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


def how_equal(gap: float) -> str:
    """A difference that should be rounding, in words that do not depend on the machine.

    Examples
    --------
    >>> how_equal(3e-16), how_equal(0.25)
    ('equal to 12 digits', 'off by up to 0.25')
    """
    return "equal to 12 digits" if gap < 1e-12 else f"off by up to {gap:.2g}"
