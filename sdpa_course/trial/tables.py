"""Trials as tables: Markdown with links for notebooks, plain text for readers that show no Markdown."""

from collections.abc import Sequence

from IPython.display import display

from .claims import THEMES, Trial, Verdict

SYMBOLS = {Verdict.HOLDS: "✓", Verdict.HOLDS_IF: "◐", Verdict.NOT_SHOWN: "?", Verdict.FAILS: "✗"}
MARKS = {True: "✓", False: "✗"}


def markdown_table(trials: Sequence[Trial]) -> str:
    """One row per claim, theme by theme: what people say, verdict and number, what to say instead, where to look."""
    lines = ["| | you'll hear | verdict, and the number | say instead | see |", "|---|---|---|---|---|"]
    for theme, title in THEMES.items():
        found = [trial for trial in trials if trial.claim.theme == theme]
        if found:
            lines.append(f"| | **{title}** | | | |")
        for trial in found:
            name, notebook = trial.claim.id, trial.claim.notebook
            verdict = f"{SYMBOLS[trial.verdict]} **{trial.verdict}**{trial.ruling.removeprefix(trial.verdict)}"
            link = f"[{notebook[:2]}]({notebook}.ipynb)"
            lines.append(
                f"| {name} | {trial.claim.statement} | {verdict}.<br>{trial.number} | {trial.instead} | {link} |"
            )
    return "\n".join(lines)


def plain_table(trials: Sequence[Trial]) -> str:
    """The same as plain text."""
    lines = []
    for trial in trials:
        claim = trial.claim
        lines.append(f"{claim.id}  {claim.statement} (notebook {claim.notebook[:2]})")
        lines += [f"     {trial.ruling}: {trial.number}", f"     say instead: {trial.instead}"]
    return "\n".join(lines)


def show_verdicts(trials: Sequence[Trial], first: Sequence[str] = ()) -> None:
    """Show the table in a notebook: if some claims come `first`, the others are folded."""
    shown, folded = ([trial for trial in trials if (trial.claim.id in first) == wanted] for wanted in (True, False))
    if not shown:
        shown, folded = folded, []
    table = markdown_table(shown)
    if folded:
        table += f"\n\n<details><summary>The other {len(folded)}</summary>\n\n{markdown_table(folded)}\n\n</details>\n"
    display({"text/markdown": table, "text/plain": plain_table([*shown, *folded])}, raw=True)


def show_parts(trial: Trial) -> None:
    """Show how one verdict was reached: the three questions, what was measured for each, and the verdict."""
    lines = [f"**{trial.claim.statement}.**", "", "| the question | measured | | found |", "|---|---|---|---|"]
    plain = [f"{trial.claim.statement}."]
    for part in trial.parts:
        mark = MARKS[part.met]
        lines.append(f"| {part.asks} | {part.says} | {mark} | {part.evidence} |")
        plain.append(f"  {mark} {part.asks} {part.says}: {part.evidence}")
    lines += ["", f"Verdict: **{trial.verdict}**{trial.ruling.removeprefix(trial.verdict)}."]
    plain.append(f"Verdict: {trial.ruling}.")
    display({"text/markdown": "\n".join(lines), "text/plain": "\n".join(plain)}, raw=True)


def count_verdicts(trials: Sequence[Trial]) -> dict[Verdict, int]:
    """How many claims got each verdict."""
    return {verdict: sum(trial.verdict == verdict for trial in trials) for verdict in Verdict}
