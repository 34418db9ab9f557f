"""Trials as tables: Markdown with links for notebooks, plain text for readers that show no Markdown."""

from IPython.display import display

from .claims import Trial, Verdict

SYMBOLS = {Verdict.HOLDS: "✓", Verdict.HALF_TRUE: "◐", Verdict.FAILS: "✗"}
MARKS = {True: "✓", False: "✗"}


def markdown_table(trials: list[Trial]) -> str:
    """One row per claim: what it says, what was measured part by part, the verdict, where it was decided."""
    lines = ["| | the claim | what was measured | verdict | notebook |", "|---|---|---|---|---|"]
    for trial in trials:
        claim = trial.claim
        parts = "<br>".join(f"{MARKS[part.met]} *{part.says}*: {part.evidence}" for part in trial.parts)
        # Non-breaking spaces keep a narrow column from splitting "half true" over two lines.
        verdict = f"{SYMBOLS[trial.verdict]} **{trial.verdict}**".replace(" ", "\N{NO-BREAK SPACE}")
        link = f"[{claim.notebook[:2]}]({claim.notebook}.ipynb)"
        lines.append(f"| {claim.id} | {claim.statement} | {parts} | {verdict} | {link} |")
    return "\n".join(lines)


def plain_table(trials: list[Trial]) -> str:
    """The same table as plain text."""
    lines = []
    for trial in trials:
        claim = trial.claim
        lines.append(f"{claim.id}  {trial.verdict}  {claim.statement} (notebook {claim.notebook[:2]})")
        lines += [f"     {MARKS[part.met]} {part.says}: {part.evidence}" for part in trial.parts]
    return "\n".join(lines)


def show_verdicts(trials: list[Trial]) -> None:
    """Show the table in a notebook."""
    display({"text/markdown": markdown_table(trials), "text/plain": plain_table(trials)}, raw=True)


def count_verdicts(trials: list[Trial]) -> dict[Verdict, int]:
    """How many claims got each verdict."""
    return {verdict: sum(trial.verdict == verdict for trial in trials) for verdict in Verdict}
