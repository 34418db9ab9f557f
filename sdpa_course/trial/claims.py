"""What claims, trials and verdicts are, how a verdict is reached, and the register of all claims.

A trial takes a claim apart and asks three questions, in this order:

1. Does it happen, where people would look for it? If not, the claim **fails**.
2. Is it for the reason that's given? If a control does as well without that reason, it's **not shown**.
3. Does it still happen when something changes that the claim doesn't mention? If so, it **holds**. If not, it
   **holds if …**, and the claim's condition completes the sentence.

No verdict is typed in anywhere. Each follows from the measured parts.

To add a claim, write its trial in the module of its theme: the docstring is the claim, and `@claim` registers it. A
trial runs the experiment of the notebook that decided the claim, from the same seed, so readers meet the same digits.
"""

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

from ..kernels._checks import pick

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
    """The four verdicts of the course."""

    HOLDS = "holds"
    HOLDS_IF = "holds if"
    NOT_SHOWN = "not shown"
    FAILS = "fails"


class Question(StrEnum):
    """The three questions of a trial, each with the verdict that a "no" leads to."""

    HAPPENS = "does it happen?"
    REASON = "for that reason?"
    ALWAYS = "whatever else changes?"

    @property
    def otherwise(self) -> Verdict:
        """The verdict if the answer is no."""
        return dict(zip(Question, (Verdict.FAILS, Verdict.NOT_SHOWN, Verdict.HOLDS_IF), strict=True))[self]


class Part(NamedTuple):
    """One thing that was measured."""

    asks: Question
    says: str
    met: bool
    evidence: str  # the measured numbers, in words


def happens(says: str, met: bool, evidence: str) -> Part:
    """What the claim says, where people would look for it."""
    return Part(Question.HAPPENS, says, bool(met), evidence)


def reason(says: str, met: bool, evidence: str) -> Part:
    """A control: is it for the reason that the claim gives?"""
    return Part(Question.REASON, says, bool(met), evidence)


def always(says: str, met: bool, evidence: str) -> Part:
    """The same where something differs that the claim doesn't mention."""
    return Part(Question.ALWAYS, says, bool(met), evidence)


Findings = tuple[list[Part], dict[str, float]]  # what a trial returns: the parts, and the measured numbers by name


class Claim(NamedTuple):
    """A sentence that people repeat, and the experiment that tries it."""

    id: str
    theme: str
    short: str  # a few words, for a picture
    statement: str
    condition: str  # what comes after "holds if"
    number: str  # the one to remember, with places for measured numbers
    instead: str  # what a careful person would say, with places for measured numbers
    notebook: str  # where it was decided
    seed: int  # the one that the notebook's own experiment starts from, if it draws random numbers
    experiment: Callable[[int], Findings]

    def try_it(self, seed: int | None = None) -> "Trial":
        """Run the experiment, from its own seed if none is given."""
        return Trial(self, *self.experiment(self.seed if seed is None else seed))


class Trial(NamedTuple):
    """A claim, what was found about each part of it, and the measured numbers by name."""

    claim: Claim
    parts: list[Part]
    numbers: dict[str, float]

    @property
    def verdict(self) -> Verdict:
        """Follows from the parts."""
        return decide(self.parts)

    @property
    def ruling(self) -> str:
        """The verdict with its condition, as one reads it."""
        return f"{self.verdict} {self.claim.condition}" if self.verdict is Verdict.HOLDS_IF else str(self.verdict)

    @property
    def number(self) -> str:
        """The number to remember."""
        return with_numbers(self.claim.number, self.numbers)

    @property
    def instead(self) -> str:
        """What to say instead."""
        return with_numbers(self.claim.instead, self.numbers)


def with_numbers(text: str, numbers: dict[str, float]) -> str:
    """A text with its measured numbers, a space before % and a real minus sign.

    Examples
    --------
    >>> with_numbers("about {share:.0%}, or {slope:.1f}", {"share": 0.25, "slope": -0.5})
    'about 25 %, or −0.5'
    """
    written = {name: Written(value) for name, value in numbers.items()}
    return text.format(**written)


class Written(float):
    """A number that's formatted as the course writes it."""

    def __format__(self, spec: str) -> str:
        return super().__format__(spec).replace("%", " %").replace("-", "−")


CLAIMS: dict[str, Claim] = {}


def claim(id: str, notebook: str, *, short: str, number: str, instead: str, condition: str = "", seed: int = 0):
    """Put an experiment into the register: its docstring is the claim, its module the theme."""

    def register(experiment: Callable[[int], Findings]) -> Callable[[int], Findings]:
        if id in CLAIMS:
            raise ValueError(f"id: got {id!r}, which {CLAIMS[id].experiment.__name__} already has")
        theme, statement = experiment.__module__.rpartition(".")[-1], experiment.__doc__.rstrip(".")
        CLAIMS[id] = Claim(id, theme, short, statement, condition, number, instead, notebook, seed, experiment)
        return experiment

    return register


def try_claims(theme: str) -> list[Trial]:
    """Try every claim of one theme."""
    pick("theme", theme, THEMES)
    return [claim.try_it() for claim in CLAIMS.values() if claim.theme == theme]


def decide(parts: Iterable[Part]) -> Verdict:
    """The verdict on a claim with these parts: the first of the three questions that gets a "no" decides.

    Examples
    --------
    >>> print(decide([happens("it's sharp", True, "0.98"), always("with 64 keys, too", False, "0.46")]))
    holds if
    """
    parts = list(parts)
    if not any(part.asks is Question.HAPPENS for part in parts):
        raise ValueError("parts: got none that says what happens, expected at least one")
    unmet = {part.asks for part in parts if not part.met}
    return next((question.otherwise for question in Question if question in unmet), Verdict.HOLDS)


def describe_gap(gap: float) -> str:
    """Describe a difference that should be rounding, in words that are the same on every machine."""
    return "equal to 12 digits" if gap < 1e-12 else f"off by up to {gap:.2g}"
