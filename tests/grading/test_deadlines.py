"""Deadlines in class.toml: what counts as late, what it costs, and where everybody can see it."""

import csv
import math
import os
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from nbgrader.api import Gradebook

from sdpa_classroom import receipts
from sdpa_classroom.deadlines import UNKNOWN, Lateness, Rule, read_rules
from sdpa_classroom.files import private_files
from sdpa_classroom.gradebook import Course
from sdpa_classroom.lateness import apply_deadlines
from sdpa_classroom.marks import main as marks
from sdpa_classroom.submissions import Submission, find_submissions
from sdpa_classroom.working import working_folder

from .grade_command import LIMITS, grade, grades, hand_in, needs_sandbox
from .hostile import solution
from .lms import moodle_worksheet
from .made_up_class import NAMES, ROOT, make_class

CLASS = NAMES[:24]
PARIS = ZoneInfo("Europe/Paris")
DEADLINE = datetime(2026, 10, 24, 23, 59, tzinfo=PARIS)  # clocks go back in the night after
TOML = """
time_zone = "Europe/Paris"
[late]
percent_per_day = 10
grace_minutes = 15
days_accepted = 5
[ps03]
deadline = 2026-10-24T23:59:00
[ps03.exceptions]
student21 = 2026-10-28T12:00:00
"student99@example.edu" = 2026-10-28T12:00:00Z
"""


@pytest.mark.parametrize(
    ("late", "share", "words"),
    [
        (timedelta(days=-1), 0, ""),
        (timedelta(0), 0, ""),
        (timedelta(minutes=15), 0, ""),
        (
            timedelta(minutes=15, seconds=1),
            0.1,
            "Handed in 15 minutes after the deadline (24 October 2026, 23:59 CEST): ",
        ),
        (timedelta(days=1), 0.1, "Handed in 1 day after the deadline"),
        (timedelta(days=1, hours=3, minutes=5), 0.2, "Handed in 1 day and 3 hours after the deadline"),
        (timedelta(days=5), 0.5, ": 50 % of all points off for 5 days."),
        (timedelta(days=5, seconds=1), 1, "; nothing counts after 5 days."),
    ],
)
def test_a_day_has_24_hours_even_when_clocks_change(late, share, words):
    rule = Rule(DEADLINE, {}, percent_per_day=10, grace_minutes=15, days_accepted=5)
    judged = rule.judge("ada", DEADLINE.astimezone(UTC) + late)
    assert judged.share == pytest.approx(share)
    assert words in judged.sentence
    assert judged.told == bool(words)


def test_more_than_everything_is_never_taken_off_and_an_unknown_time_is_not_late():
    rule = Rule(DEADLINE, {"ada": DEADLINE + timedelta(days=60)}, percent_per_day=30)
    much_later = DEADLINE + timedelta(days=50)
    assert rule.judge("bo", much_later).share == 1
    assert rule.judge("ada", much_later) == Lateness()
    assert rule.judge("bo", None) is UNKNOWN
    assert UNKNOWN.share == 0


def test_class_toml_is_read(tmp_path):
    assert read_rules(tmp_path).sets == {}
    (tmp_path / "class.toml").write_text(TOML + "[ps04]\ndeadline = 2026-11-01T08:00:00-05:00\npercent_per_day = 2.5\n")
    rules = read_rules(tmp_path)
    assert rules.zone == PARIS
    third, fourth = rules.sets["ps03"], rules.sets["ps04"]
    assert (third.deadline, third.percent_per_day, third.grace_minutes, third.days_accepted) == (DEADLINE, 10, 15, 5)
    assert fourth.deadline == datetime(2026, 11, 1, 13, tzinfo=UTC)
    assert (fourth.percent_per_day, fourth.grace_minutes) == (2.5, 15)
    assert third.exceptions["student99@example.edu"] == datetime(2026, 10, 28, 12, tzinfo=UTC)
    (tmp_path / "class.toml").write_text("[ps03]\ndeadline = 2026-11-01T08:00:00Z\n")
    assert read_rules(tmp_path).sets["ps03"].days_accepted == math.inf


def test_the_example_in_the_docs_is_read(tmp_path):
    example = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    (tmp_path / "class.toml").write_text(example)
    rule = read_rules(tmp_path).sets["ps03"]
    assert rule.judge("bo", datetime(2026, 11, 20, 9, tzinfo=PARIS)).share == 0.2
    assert rule.judge("ada", datetime(2026, 11, 20, 9, tzinfo=PARIS)) == Lateness()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[ps03\n", "(at line 1, column 6)"),
        ('time_zone = "Paris"', "time_zone is 'Paris'; expected one such as"),
        ('time_zone = "../../etc/passwd"', "time_zone is '../../etc/passwd'"),
        ("time_zone = 1", "time_zone is 1"),
        ("[ps99]\n", "ps99 isn't a setting"),
        ("[ps03]\n", "ps03.deadline is missing"),
        ("ps03 = 3\n", "ps03 is 3; expected a section [ps03]"),
        ("[ps03]\ndeadline = 2026-10-24T23:59:00\n", "ps03.deadline has no time zone"),
        ("[ps03]\ndeadline = 2026-10-24\n", "ps03.deadline is '2026-10-24'; expected a date and a time"),
        ('[ps03]\ndeadline = "soon"\n', "ps03.deadline is 'soon'"),
        ("[ps03]\ndeadline = 2026-10-24T23:59:00Z\npercent_per_dy = 3\n", "ps03.percent_per_dy isn't a setting"),
        ("[late]\npercent_per_day = 101\n", "late.percent_per_day is 101; expected a number from 0 to 100"),
        ("[late]\ngrace_minutes = -1\n", "late.grace_minutes is -1"),
        ("[late]\ndays_accepted = nan\n", "late.days_accepted is nan"),
        ("[late]\ndays_accepted = true\n", "late.days_accepted is True"),
        ("[late]\ndeadline = 2026-10-24T23:59:00Z\n", "late.deadline isn't a setting"),
        ("[ps03]\ndeadline = 2026-10-24T23:59:00Z\nexceptions = 3\n", "ps03.exceptions is 3; expected a section"),
        ("[ps03]\ndeadline = 2026-10-24T23:59:00Z\nexceptions = {ada = 3}\n", "ps03.exceptions.ada is '3'"),
        (
            "[ps03]\ndeadline = 2026-10-24T23:59:00Z\n[ps03.exceptions]\nada.l = 2026-10-25T23:59:00Z\n",
            "ps03.exceptions.ada is a section; put a name with a dot in quotes",
        ),
    ],
)
def test_what_is_wrong_gets_one_sentence(tmp_path, text, words):
    (tmp_path / "class.toml").write_text(text)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        read_rules(tmp_path)
    assert str(tmp_path / "class.toml") in str(caught.value)
    assert words in str(caught.value)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A graded class, handed in twelve hours apart from two days before the deadline; the first time is unknown."""
    folder = tmp_path_factory.mktemp("course")
    make_class(folder, names=CLASS)
    for place, name in enumerate(CLASS[1:], 1):
        time = DEADLINE.astimezone(UTC) + timedelta(hours=12 * place - 48)
        stamp = folder / "submitted" / name / "ps03" / "timestamp.txt"
        stamp.write_text(f"{time:%Y-%m-%d %H:%M:%S.%f} UTC")
    return folder


@pytest.fixture
def folder(graded, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(graded, tmp_path / "course"))


def apply(folder, toml):
    """What `sdpa-course grade` does at its end; returns what it says."""
    if toml is None:
        (folder / "class.toml").unlink()
    else:
        (folder / "class.toml").write_text(toml)
    course = Course(folder, ROOT / "solutions")
    with private_files(), working_folder(course), pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
        submissions = find_submissions(folder / "submitted")
        said = apply_deadlines(course, submissions)
        course.write_csv(submissions)
    course.close()
    return said


def penalties(folder):
    """nbgrader's own."""
    gradebook = Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "sdpa-course")
    found = {s.student_id: s.late_submission_penalty for s in gradebook.find_assignment("ps03").submissions}
    gradebook.close()
    return found


def page_of(folder, student):
    return (folder / "feedback" / student / "ps03" / "ps03.html").read_text(encoding="utf-8")


def rows_of(folder):
    with (folder / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def test_lateness_is_in_the_gradebook_in_the_csv_and_on_the_page(folder):
    said = apply(folder, TOML)
    expected = {CLASS[0]: 0.0}
    for place, name in enumerate(CLASS[1:], 1):
        hours = 12 * place - 48 - (85.0167 if name == "student21" else 0)
        expected[name] = 20.0 if hours > 120 else max(0, math.ceil(hours / 24)) * 2.0
    assert penalties(folder) == pytest.approx(expected)
    assert expected["student21"] == 10
    assert len(set(expected.values())) == 7
    late = [name for name, points in expected.items() if points]
    assert said[0].startswith(f"{len(late)} late: ")
    assert said[1] == "1 without a known time of handing in, so not late: student01 ps03"
    assert said[2] == "1 in class.toml with another deadline, but without a submission: student99@example.edu ps03"
    rows = rows_of(folder)
    for name, points in expected.items():
        row, before = rows[name], float(rows[name]["score"]) + float(rows[name]["off for that"])
        assert float(row["off for that"]) == min(points, before)
        assert float(row["score"]) == max(0, before - points)
        assert ("after the deadline" in row["late"]) == (points > 0)
    assert rows["student01"]["late"] == UNKNOWN.sentence
    three_days = page_of(folder, CLASS[10])
    assert "Handed in 3 days after the deadline (24 October 2026, 23:59 CEST): 30 % of all points off" in three_days
    assert "Late submission penalty (Score: -6.0)" in three_days
    assert not page_of(folder, CLASS[0])


def test_marks_for_the_lms_have_it_taken_off(folder, tmp_path, capsys):
    apply(folder, TOML)
    (tmp_path / "m.csv").write_text(moodle_worksheet(CLASS), encoding="utf-8", newline="")
    assert marks([str(tmp_path / "m.csv"), "--course", str(folder), "--unread"]) == 0
    with (folder / "ps03-for-Moodle.csv").open(newline="", encoding="utf-8-sig") as file:
        found = {row["Username"]: row["Grade"] for row in csv.DictReader(file)}
    rows = rows_of(folder)
    assert {name: float(found[name]) for name in rows} == {name: float(row["score"]) for name, row in rows.items()}


def test_a_changed_rule_changes_it_back_and_forth(folder):
    """Nothing is written twice, and everything goes when the deadline does."""
    before = penalties(folder)
    apply(folder, TOML)
    after, page = penalties(folder), folder / "feedback" / CLASS[10] / "ps03" / "ps03.html"
    written = page.stat().st_mtime_ns
    apply(folder, TOML)
    assert page.stat().st_mtime_ns == written
    apply(folder, TOML.replace("percent_per_day = 10", "percent_per_day = 20"))
    assert penalties(folder)[CLASS[10]] == 2 * after[CLASS[10]] == 12
    assert "60 % of all points off" in page.read_text(encoding="utf-8")
    for nothing in ("", None):
        apply(folder, nothing)
        assert {name: points or 0 for name, points in penalties(folder).items()} == before
        assert "deadline" not in page.read_text(encoding="utf-8")
        assert {row["late"] for row in rows_of(folder).values()} == {""}
        (folder / "class.toml").touch()


@needs_sandbox
def test_the_command_grades_late_work(tmp_path):
    """On time, late, and too late; then one is handed in again, and one deadline moves."""
    (tmp_path / "class.toml").write_text(TOML)
    for name, day in (("early", 24), ("late", 26), ("never", 31)):
        path = hand_in(tmp_path, name, solution())
        path.with_name("timestamp.txt").write_text(f"2026-10-{day} 12:00:00.000000 UTC")
    said = grade(tmp_path, *LIMITS)
    assert "2 late: late ps03; never ps03" in said
    got = {name: (float(row["checked by code"]), float(row["score"])) for (name, _), row in grades(tmp_path).items()}
    assert got == {"early": (13, 13), "late": (13, 9), "never": (13, 0)}
    assert "20 % of all points off for 2 days." in page_of(tmp_path, "late")
    assert "nothing counts after 5 days." in page_of(tmp_path, "never")
    path = hand_in(tmp_path, "late", solution())
    path.write_bytes(path.read_bytes() + b"\n")
    path.with_name("timestamp.txt").write_text("2026-10-24 12:00:00.000000 UTC")
    (tmp_path / "class.toml").write_text(TOML.replace("student21", "never").replace("10-28T12", "11-28T12"))
    grade(tmp_path, *LIMITS)
    assert {name: float(row["score"]) for (name, _), row in grades(tmp_path).items()} == dict.fromkeys(got, 13)
    assert not any("after the deadline" in page_of(tmp_path, name) for name in got)
    (tmp_path / "class.toml").write_text("[ps03]\ndeadline = 3\n")
    assert "ps03.deadline is '3'" in grade(tmp_path, *LIMITS, status=2)


@pytest.mark.parametrize("zone", ["/proc/kmsg", ":/proc/kmsg", "../../proc/kmsg", "./x/../y"])
def test_a_time_zone_is_never_a_file(tmp_path, monkeypatch, zone):
    """Where a time zone goes, nbgrader opens whatever file is named. A student may have written timestamp.txt."""
    (tmp_path / "timestamp.txt").write_text(f"2026-11-19 23:59:00 {zone}")
    monkeypatch.setattr(receipts, "parse_utc", lambda text: pytest.fail(f"{text} is looked up"))
    assert receipts.time_of(Submission("ada", "ps03", tmp_path / "ps03.ipynb")) == ""


@pytest.mark.parametrize(
    "text", ["2026-11-19 23:59:00.000000 UTC", "2026-11-20 00:59:00 Europe/Paris", "2026/11/19 23:59"]
)
def test_a_time_in_any_zone_is_read(tmp_path, text):
    (tmp_path / "timestamp.txt").write_text(text)
    submission = Submission("ada", "ps03", tmp_path / "ps03.ipynb")
    assert receipts.handed_in(submission) == datetime(2026, 11, 19, 23, 59, tzinfo=UTC)
