"""The page of claims: all of them tried anew, with what was measured, the verdict and where it was decided."""

from concurrent.futures import Executor

from sdpa_course.trial.claims import CLAIMS, THEMES, try_claims
from sdpa_course.trial.docket import MARKS, count_verdicts
from sdpa_course.trial.verdict import SYMBOLS, Finding, Trial

from .typesetting import typeset

HEAD = """# The claims and their verdicts

What is said about $1/\\sqrt{{d_k}}$ and attention, put on trial. Each claim is taken apart into what it says; each part
is measured. All parts met: the claim **holds**. None: it **fails**. Otherwise it is **half true**, and the marks say
which half. The numbers on this page were computed when it was made; [notebook 11](notebooks/11_claims.ipynb) runs every
trial before your eyes.

{counts}
"""


def findings(theme: str) -> list[tuple[str, Finding]]:
    """What was found, by claim. (A claim holds its experiment and does not travel between processes.)"""
    return [(trial.claim.id, trial.finding) for trial in try_claims(theme)]


def claims_page(pool: Executor) -> str:
    """The page as Markdown."""
    found = dict(pair for pairs in pool.map(findings, THEMES) for pair in pairs)
    trials = [Trial(claim, found[claim.id]) for claim in CLAIMS.values()]
    counts = " · ".join(f"{SYMBOLS[v]} {v}: **{count}**" for v, count in count_verdicts(trials).items())
    lines = [HEAD.format(counts=f"{len(trials)} claims. {counts}")]
    for theme, title in THEMES.items():
        lines += [f"## {title}", *(entry(trial) for trial in trials if trial.claim.theme == theme)]
    return "\n\n".join(lines) + "\n"


def entry(trial: Trial) -> str:
    """One claim: what is said, the verdict, what was measured part by part, the notebook."""
    claim, finding = trial
    parts = "\n".join(f"- {MARKS[part.met]} *{typeset(part.says)}*: {typeset(part.evidence)}" for part in finding.parts)
    where = f"[notebook {claim.notebook[:2]}](notebooks/{claim.notebook}.ipynb)"
    kind = finding.verdict.replace(" ", "-")
    verdict = f'<span class="verdict {kind}">{SYMBOLS[finding.verdict]} {finding.verdict}</span>'
    return f"({claim.id})=\n### {claim.id}. {typeset(claim.statement)}\n\n{verdict} · decided in {where}\n\n{parts}"
