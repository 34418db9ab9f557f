"""How each scale and scoring rule is named and drawn: the same in every figure, and never by colour alone."""

from typing import NamedTuple

from ..kernels.scores import SCALES
from .kit.palette import colour


class Rule(NamedTuple):
    """One rule on charts and in words."""

    name: str  # in code, as in `kernels.scores.SCALES` or `experiments.layers.SCORING_RULES`
    text: str  # in a sentence
    label: str  # on a chart, typeset
    colour: str
    marker: str
    dash: str = "-"

    @property
    def words(self) -> str:
        """As part of a sentence: "no scale", "scale 1/√d_k"."""
        return self.text if self.name == "1" else f"scale {self.text}"

    @property
    def title(self) -> str:
        """For a title that changes: a typeset root would make it taller."""
        return self.words.replace("d_model", "$d_{model}$").replace("d_k", "$d_k$")

    @property
    def looks(self) -> dict:
        """How its lines are drawn."""
        return {"color": self.colour, "marker": self.marker}

    @property
    def open(self) -> dict:
        """How the second of two lines for one rule is drawn: dashed, with empty marks."""
        return self.looks | {"linestyle": "--", "markerfacecolor": "white"}


RULES = {
    rule.name: rule
    for rule in (
        Rule("1", SCALES["1"].formula, "no scale", colour("nothing"), "o", "--"),
        Rule("1/sqrt(d_k)", SCALES["1/sqrt(d_k)"].formula, r"$1/\sqrt{d_k}$", colour("root"), "s", "-"),
        Rule("1/d_k", SCALES["1/d_k"].formula, "$1/d_k$", colour("full"), "^", ":"),
        Rule("1/sqrt(d_model)", SCALES["1/sqrt(d_model)"].formula, r"$1/\sqrt{d_{model}}$", colour("model"), "D", "-."),
        Rule("learned", "learned from 1/√d_k", r"learned from $1/\sqrt{d_k}$", "C4", "v"),
        Rule("learned from 1", "learned from 1", "learned from 1", "C5", "P"),
        Rule("QK-norm", "QK-norm", "QK-norm", "C6", "X"),
        Rule("cos", "cos", "cos", "C5", "<"),
        Rule("sqrt(d_k) cos", "√d_k cos", r"$\sqrt{d_k}$ cos", "C6", ">"),
        Rule("1, capped", "no scale, capped", "no scale, capped", "C3", "d"),
        Rule("1/sqrt(d_k), capped", "1/√d_k, capped", r"$1/\sqrt{d_k}$, capped", "C4", "h"),
    )
}
