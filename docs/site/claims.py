"""The page of claims: each one tested again, with what was measured, the verdict and the notebook that decides it."""

from concurrent.futures import Executor

from sdpa_course.trial import THEMES, count_verdicts, try_claims
from sdpa_course.trial.claims import Trial
from sdpa_course.trial.tables import MARKS, SYMBOLS

from .typesetting import typeset

HEAD = """# The claims and their verdicts

What people say about $1/\\sqrt{{d_k}}$ and attention, put to the test. Each claim is split into parts, and each part is
measured. If every part is right, the claim **holds**. If none is, it **fails**. Otherwise it's **half true**, and the
marks say which half. The numbers were computed when this page was built; in [notebook 11](notebooks/11_claims.ipynb)
you can run every test yourself.

{counts}
"""


def claims_page(pool: Executor) -> str:
    """The page as Markdown."""
    trials = [trial for found in pool.map(try_claims, THEMES) for trial in found]
    counts = " · ".join(f"{SYMBOLS[v]} {v}: **{count}**" for v, count in count_verdicts(trials).items())
    lines = [HEAD.format(counts=f"{len(trials)} claims. {counts}")]
    for theme, title in THEMES.items():
        lines += [f"## {title}", *(entry(trial) for trial in trials if trial.claim.theme == theme)]
    return "\n\n".join(lines) + "\n"


def entry(trial: Trial) -> str:
    """One claim: what it says, the verdict, where it was decided, what was measured part by part."""
    claim, verdict = trial.claim, trial.verdict
    parts = "\n".join(f"- {MARKS[part.met]} *{typeset(part.says)}*: {typeset(part.evidence)}" for part in trial.parts)
    where = f"[notebook {claim.notebook[:2]}](notebooks/{claim.notebook}.ipynb)"
    badge = f'<span class="verdict {verdict.replace(" ", "-")}">{SYMBOLS[verdict]} {verdict}</span>'
    return f"({claim.id})=\n### {claim.id}. {typeset(claim.statement)}\n\n{badge} · decided in {where}\n\n{parts}"
