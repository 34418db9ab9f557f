"""The page of claims: each one tested again, with what was measured, the verdict and the notebook that decides it."""

from concurrent.futures import Executor

from sdpa_course.trial import THEMES, count_verdicts, try_claims
from sdpa_course.trial.claims import Trial
from sdpa_course.trial.tables import MARKS, SYMBOLS

from .typesetting import typeset

HEAD = """# The claims and their verdicts

What people say about $1/\\sqrt{{d_k}}$ and attention, put to the test. A trial takes a claim apart, measures each part,
and asks three questions, in this order. *Does it happen*, where people would look for it? If not, it **fails**. *Is it
for the reason that's given?* If a control does as well without that reason, it's **not shown**. *Does it still happen
when something changes that the claim doesn't mention?* If so, it **holds**; if not, it **holds if …**. The numbers were
computed when this page was built; in [notebook 12](notebooks/12_verdict.ipynb) you can run every test yourself.

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
    """One claim: what it says, the verdict, what to say instead, where it was decided, and each part's evidence."""
    claim, verdict = trial.claim, trial.verdict
    parts = "\n".join(
        f"- {MARKS[part.met]} {part.asks} *{typeset(part.says)}*: {typeset(part.evidence)}" for part in trial.parts
    )
    where = f"[notebook {claim.notebook[:2]}](notebooks/{claim.notebook}.ipynb)"
    badge = f'<span class="verdict {verdict.replace(" ", "-")}">{SYMBOLS[verdict]} {verdict}</span>'
    condition = typeset(trial.ruling.removeprefix(verdict))
    lines = (
        f"({claim.id})=",
        f"### {claim.id}. {typeset(claim.statement)}",
        "",
        f"{badge}{condition} · decided in {where}",
        "",
        f"**The number.** {typeset(trial.number)}.",
        "",
        f"**Say instead.** {typeset(trial.instead)}",
        "",
        parts,
    )
    return "\n".join(lines)
