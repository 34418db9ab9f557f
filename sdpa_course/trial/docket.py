"""Trials as tables: Markdown with links for the page, plain text for everything else."""

from IPython.display import display

from .verdict import SYMBOLS, Trial, Verdict

MARKS = {True: "✓", False: "✗"}


def markdown_table(trials: list[Trial]) -> str:
    """One row for each claim: what is said, what was measured part by part, the verdict, where it was decided."""
    lines = ["| | the claim | what was measured | verdict | notebook |", "|---|---|---|---|---|"]
    for claim, finding in trials:
        parts = "<br>".join(f"{MARKS[part.met]} *{part.says}*: {part.evidence}" for part in finding.parts)
        # Spaces that do not break, or a narrow column puts "half" and "true" on two lines.
        verdict = f"{SYMBOLS[finding.verdict]} **{finding.verdict}**".replace(" ", "\N{NO-BREAK SPACE}")
        link = f"[{claim.notebook[:2]}]({claim.notebook}.ipynb)"
        lines.append(f"| {claim.id} | {claim.statement} | {parts} | {verdict} | {link} |")
    return "\n".join(lines)


def plain_table(trials: list[Trial]) -> str:
    """The same as text."""
    lines = []
    for claim, finding in trials:
        lines.append(f"{claim.id}  {finding.verdict}  {claim.statement} (notebook {claim.notebook[:2]})")
        lines += [f"     {MARKS[part.met]} {part.says}: {part.evidence}" for part in finding.parts]
    return "\n".join(lines)


def show_docket(trials: list[Trial]) -> None:
    """Put the table into the notebook, and the same as text for readers that show no Markdown."""
    display({"text/markdown": markdown_table(trials), "text/plain": plain_table(trials)}, raw=True)


def count_verdicts(trials: list[Trial]) -> dict[Verdict, int]:
    """How many claims got each verdict."""
    return {verdict: sum(trial.verdict == verdict for trial in trials) for verdict in Verdict}
