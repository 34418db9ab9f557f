"""The command `sdpa-course` finds its subcommands among the entry points of what's installed."""

from types import SimpleNamespace

import pytest

from sdpa_course import command


@pytest.fixture(autouse=True)
def entry_points(monkeypatch):
    """One distribution is installed, and its command returns the number of its arguments."""
    count = SimpleNamespace(name="count", load=lambda: len, dist=SimpleNamespace(name="some-plugin"))
    monkeypatch.setattr(command, "entry_points", lambda group: [count] if group == "sdpa_course.commands" else [])


def test_a_subcommand_gets_the_remaining_arguments_and_returns_the_status():
    assert command.main(["count", "--all", "these", "things"]) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "expected a command; installed: diagnose, lab, count (from some-plugin)"),
        (["--help"], "expected a command; installed: diagnose, lab, count (from some-plugin)"),
        (["sing"], "there's no command 'sing'; installed: diagnose, lab, count (from some-plugin)"),
        (["grade"], "grade isn't installed; to install it, run `pip install ./classroom` in the course's folder"),
        (["report"], "report isn't installed; to install it, run `pip install ./classroom` in the course's folder"),
    ],
)
def test_anything_else_gets_one_sentence(capsys, arguments, sentence):
    assert command.main(arguments) == 2
    assert capsys.readouterr().err == f"sdpa-course: {sentence}\n"
