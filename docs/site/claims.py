"""The page of claims: each one tested again, with what was measured, the verdict and the notebook that decides it."""

from concurrent.futures import Executor

from sdpa_course.trial.claims import CLAIMS, THEMES, try_claims
from sdpa_course.trial.docket import MARKS, count_verdicts
from sdpa_course.trial.verdict import SYMBOLS, Finding, Trial

from .typesetting import typeset

HEAD = """# The claims and their verdicts

What people say about $1/\\sqrt{{d_k}}$ and attention, put to the test. Each claim is split into parts, and each part is
measured. If every part is right, the claim **holds**. If none is, it **fails**. Otherwise it's **half true**, and the
marks say which half. The numbers were computed when this page was built; in [notebook 11](notebooks/11_claims.ipynb)
you can run every test yourself.

{counts}
"""


def findings(theme: str) -> list[tuple[str, Finding]]:
    """What was found, by claim id: a claim itself contains its experiment and can't be sent between processes."""
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
    """One claim: the statement, the verdict, what was measured for each part, and the notebook."""
    claim, finding = trial
    parts = "\n".join(f"- {MARKS[part.met]} *{typeset(part.says)}*: {typeset(part.evidence)}" for part in finding.parts)
    where = f"[notebook {claim.notebook[:2]}](notebooks/{claim.notebook}.ipynb)"
    kind = finding.verdict.replace(" ", "-")
    verdict = f'<span class="verdict {kind}">{SYMBOLS[finding.verdict]} {finding.verdict}</span>'
    return f"({claim.id})=\n### {claim.id}. {typeset(claim.statement)}\n\n{verdict} · decided in {where}\n\n{parts}"
