"""A page about a made-up class of sixty: its numbers, its looks, whom it names, and what it says if there's nothing."""

import hashlib
import json
import re
import shutil
import sqlite3
import struct
from collections import Counter
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

import pytest

from sdpa_classroom import charts, counts
from sdpa_classroom.report import main
from sdpa_course.figures.kit.defects import defects
from sdpa_course.homework.tasks import PROBLEM_SETS, tasks_of
from tests.site.reading import LOOKS, PROBLEMS, SIZES

from .grade_command import LIMITS, grade, hand_in
from .hostile import with_softmax
from .made_up_class import ABSENT, EMPTY, NAMES, make_class

pytestmark = pytest.mark.filterwarnings("ignore")  # nbgrader's own
HOSTILE = "<img src=x onerror=alert(1)>"
SETS = ("ps02", "ps03")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    folder = tmp_path_factory.mktemp("course")
    make_class(folder, SETS, names=(*NAMES[:-1], HOSTILE))
    return folder


@pytest.fixture
def copy(course, tmp_path):
    """The same class, to be spoilt."""
    return Path(shutil.copytree(course, tmp_path / "course"))


@pytest.fixture(scope="module")
def page(course, tmp_path_factory):
    """The page, as it was written."""
    out = tmp_path_factory.mktemp("page") / "report.html"
    assert main([str(course), "--out", str(out)]) == 0
    return out


def notes(course, problem_set):
    """What the grader wrote beside the notebooks, read again without the code that is tested."""
    return [json.loads(path.read_text()) for path in course.glob(f"autograded/*/{problem_set}/grading.json")]


def refused(capsys, *arguments):
    """What the command says when it can't; it must be one sentence, and the status 2."""
    assert main([str(argument) for argument in arguments]) == 2
    printed, said = capsys.readouterr()
    assert (printed, said.count("\n")) == ("", 1), said
    return said


# ---------------------------------------------------------------- the numbers


@pytest.mark.parametrize("name", SETS)
def test_points_and_states_are_those_of_the_records(course, name):
    (one,) = counts.count(course / "gradebook.db", name)
    written = notes(course, name)
    assert one.states == dict(Counter(note["state"] for note in written))
    assert (one.students, one.handed_in, one.readable) == (60, 60 - len(ABSENT), 60 - len(ABSENT) - len(EMPTY))
    read = [note for note in written if note["state"] != "unreadable"]
    for short_name, points in zip(tasks_of(name).values(), one.points, strict=False):
        marks = [note["marks"][short_name.short_name] for note in read]
        assert sorted(points.scores) == sorted(marks)
        assert points.full == sum(mark == short_name.points for mark in marks)
        assert points.mean == pytest.approx(sum(marks) / len(marks))
    assert sorted(one.code) == sorted(sum(note["marks"].values()) for note in read)


def test_written_answers_wait_until_somebody_reads_them(course):
    (one,) = counts.count(course / "gradebook.db", "ps03")
    with sqlite3.connect(course / "gradebook.db") as database:
        rows = database.execute(
            "select b.name, g.needs_manual_grade, g.manual_score, g.auto_score from grade g "
            "join base_cell b on b.id = g.cell_id join submitted_notebook n on n.id = g.notebook_id "
            "join notebook m on m.id = n.notebook_id where m.name = 'ps03' and b.name not like '%-test'"
        ).fetchall()
    database.close()
    written = [points for points in one.points if points.written]
    assert {points.title for points in written} == {"shift-proof", "entropy-reading"}
    for points in written:
        mine = [row for row in rows if row[0] == points.title]
        assert points.waiting == sum(row[1] for row in mine) > 5
        scores = [row[2] if row[2] is not None else row[3] for row in mine if not row[1]]
        assert sorted([*points.scores, *[0.0] * len(EMPTY)]) == sorted(scores)
        assert points.full + points.some + points.none == len(points.scores)


def test_a_mistake_is_counted_once_for_each_student(course):
    """Also if both checks of one function find it."""
    (one,) = counts.count(course / "gradebook.db", "ps03")
    found = {(each.task, each.name): each.count for each in one.mistakes}
    written = [note["mistakes"] for note in notes(course, "ps03")]
    assert found["entropy", "bits"] == sum(note.get("entropy") == "bits" for note in written)
    twice = sum(note.get("softmax") == note.get("softmax_large") == "wrong axis" for note in written)
    second = sum(note.get("softmax_large") == "wrong axis" for note in written)
    assert found["softmax", "wrong axis"] == sum(note.get("softmax") == "wrong axis" for note in written)
    assert found.get(("softmax, second check", "wrong axis"), 0) == second - twice
    assert one.unnamed == sum(name == "" for note in written for name in note.values()) > 0
    assert [each.count for each in one.mistakes] == sorted(found.values(), reverse=True)

    both = [{"softmax": "wrong axis", "softmax_large": "wrong axis"}] * 3
    assert [(each.task, each.count) for each in counts.name_mistakes(tasks_of("ps03"), both)] == [("softmax", 3)]


def test_the_grader_records_the_mistakes(tmp_path):
    """A real submission, from its cells to the record."""
    hand_in(tmp_path, "one", with_softmax("e = np.exp(scores)\n    return e / e.sum(axis=0)"))
    grade(tmp_path, *LIMITS, "--trust-submissions")
    (note,) = notes(tmp_path, "ps03")
    assert note["mistakes"] == {"softmax": "wrong axis", "softmax_large": "wrong axis, no maximum"}
    assert [name for name, points in note["marks"].items() if not points] == list(note["mistakes"])


def test_records_of_an_earlier_grader_are_counted_as_missing(copy, tmp_path):
    for path in sorted(copy.glob("autograded/*/ps03/grading.json"))[:7]:
        note = json.loads(path.read_text())
        del note["mistakes"]
        path.write_text(json.dumps(note))
    path.write_text("{ half")
    (one,) = counts.count(copy / "gradebook.db", "ps03")
    assert (one.readable - one.recorded, one.states[""]) == (7, 1)
    assert main([str(copy), "--problem-set", "ps03", "--out", str(tmp_path / "r.html")]) == 0
    assert "For 7 notebooks no mistakes are on record" in (tmp_path / "r.html").read_text()


# ---------------------------------------------------------------- the page


class Tags(HTMLParser):
    """Every tag with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_the_page_names_nobody_and_loads_nothing(page):
    text = page.read_text(encoding="utf-8")
    assert "student0" not in text
    assert "onerror" not in text
    assert "http" not in text.replace("http-equiv", "")
    tags = Tags(text).found
    images = [attributes for tag, attributes in tags if tag == "img"]
    assert len(images) == len(SETS) + 1
    assert all(image["src"].startswith("data:image/png;base64,") and len(image["alt"]) > 100 for image in images)
    assert all(attributes.get("scope") for tag, attributes in tags if tag == "th")
    assert not {"script", "link", "iframe"} & {tag for tag, _ in tags}
    assert page.stat().st_mode & 0o777 == 0o600


def test_names_are_escaped_even_if_the_course_itself_has_odd_ones(course, monkeypatch, tmp_path):
    (one,) = counts.count(course / "gradebook.db", "ps03")
    odd = one.mistakes[0]._replace(name=HOSTILE, hint=f"`{HOSTILE}` costs $5$", count=9)
    points = [one.points[0]._replace(title=HOSTILE)]
    monkeypatch.setattr(counts, "count", lambda *_: [one._replace(mistakes=[odd], points=points, about=HOSTILE)])
    assert main([str(course), "--out", str(tmp_path / "r.html")]) == 0
    tags = Tags((tmp_path / "r.html").read_text()).found
    assert not any("onerror" in attributes for _, attributes in tags)


def test_the_page_in_a_browser(page, browser):
    """No width, room or printer spoils it: problems.js is what the site's own pages are held to."""
    shown, asked = browser.new_page(), []
    shown.on("request", lambda request: asked.append(request.url))
    widths = {}
    for size, room in LOOKS:
        wide, high = SIZES[size]
        shown.set_viewport_size({"width": wide, "height": high})
        shown.emulate_media(color_scheme=room)
        shown.goto(page.as_uri())
        shown.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert shown.evaluate(PROBLEMS, room) == [], (size, room)
        widths[size, room] = shown.evaluate("document.querySelector('.chart img').naturalWidth")
    assert widths == {(size, room): {"desktop": 1440, "phone": 720}[size] for size, room in LOOKS}
    shown.emulate_media(media="print", color_scheme="dark")
    assert shown.evaluate(PROBLEMS, "light") == []
    assert [url for url in asked if not url.startswith(("data:", "file:"))] == []
    shown.close()


# ---------------------------------------------------------------- the slide


def test_the_slide_says_what_the_records_say(page, course):
    slide = page.with_name("report-slide.png").read_bytes()
    assert struct.unpack(">II", slide[16:24]) == (1280, 720)
    sets = counts.count(course / "gradebook.db")
    shown = charts.for_slide(sets)
    assert shown.name == "ps03"
    count, of, task, name = re.fullmatch(
        r"(\d+) of (\d+) made the same mistake in (.+): “(.+)”", charts.assertion(shown)
    ).groups()
    short_name = next(task_.short_name for task_ in tasks_of("ps03").values() if task_.title == task)
    written = [note["mistakes"] for note in notes(course, "ps03") if note["state"] != "unreadable"]
    assert int(count) == sum(note.get(short_name) == name for note in written)
    assert int(of) == len(written)
    assert charts.assertion(shown) in page.read_text(encoding="utf-8")
    bug = next(each for each in shown.mistakes if each.name == "as given")
    said = charts.assertion(shown._replace(mistakes=[bug]))
    assert said == f"{bug.count} of {of} left the bug in mended_log_softmax as it was"


@pytest.mark.parametrize("name", PROBLEM_SETS)
def test_every_set_fits_on_a_slide_and_a_phone(course, name):
    """The longest names and hints, mistakes that everybody made, and tasks that nobody got right."""
    (one,) = counts.count(course / "gradebook.db", "ps03")
    named = [
        counts.Named(mistake.name, task.title, 60, mistake.hint, task.read)
        for task in tasks_of(name).values()
        for mistake in task.mistakes
    ]
    longest = [
        max(named, key=lambda each: len(each.hint)),
        *sorted(named, key=lambda each: -len(each.name + each.task)),
    ]
    one = one._replace(name=name, mistakes=longest, recorded=60)
    points = [counts.Points(task.title, True, task.points, (0.0,) * 59 + (1.0,), 1) for task in tasks_of(name).values()]
    assert defects(charts.slide(one)) == []
    assert charts.slide(one).paper.smallest == 22
    assert defects(charts.points_chart(points, paper="phone", room="dark")) == []
    assert import_module(f"sdpa_course.homework.{name}").__doc__.startswith("Problem set ")


def test_a_mistake_of_one_student_is_not_shown(copy, tmp_path, capsys):
    for path in copy.glob("autograded/*/*/grading.json"):
        note = json.loads(path.read_text())
        path.write_text(json.dumps(note | {"mistakes": {}}))
    path.write_text(json.dumps(note | {"mistakes": {next(iter(tasks_of(path.parts[-2]))): ""}}))
    assert main([str(copy), "--out", str(tmp_path / "r.html")]) == 0
    assert "there's no slide, because no two students made the same mistake" in capsys.readouterr().out
    assert not (tmp_path / "r-slide.png").exists()
    assert "None that the checks know." in (tmp_path / "r.html").read_text()


# ---------------------------------------------------------------- what can't be


def test_a_missing_an_empty_and_a_broken_gradebook(tmp_path, capsys):
    assert "gradebook.db doesn't exist" in refused(capsys, tmp_path)
    path = tmp_path / "gradebook.db"
    path.touch()
    assert "is empty; grade something first" in refused(capsys, path)
    assert path.read_bytes() == b""
    path.write_bytes(b"not a database at all" * 100)
    assert "is not a readable gradebook" in refused(capsys, path)
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("create table student (id text)")
    database.close()
    assert "can't be read as nbgrader's gradebook" in refused(capsys, path)


def test_a_gradebook_that_cannot_be_looked_at(capsys):
    assert "File name too long" in refused(capsys, "x" * 300)


def test_nothing_graded_yet(tmp_path, capsys):
    assert "has no submission of a problem set yet" in refused(capsys, make_class(tmp_path, ()))


def test_a_locked_gradebook(copy, tmp_path, capsys):
    database = sqlite3.connect(copy / "gradebook.db", isolation_level=None)
    database.execute("begin exclusive")
    assert "is in use by another program" in refused(capsys, copy, "--out", tmp_path / "r.html")
    database.close()
    assert not (tmp_path / "r.html").exists()


def test_another_problem_set_and_bad_names_for_the_page(course, tmp_path, capsys):
    assert "has no submission of ps09, only of ps02, ps03" in refused(capsys, course, "--problem-set", "ps09")
    before = hashlib.sha256((course / "gradebook.db").read_bytes()).digest()
    assert "expected a name that ends in .html" in refused(capsys, course, "--out", course / "gradebook.db")
    (tmp_path / "file").touch()
    assert "can't be written" in refused(capsys, course, "--out", tmp_path / "file" / "report.html")
    (tmp_path / "report.html").mkdir()
    assert "can't be written (Is a directory)" in refused(capsys, course, "--out", tmp_path / "report.html")
    assert hashlib.sha256((course / "gradebook.db").read_bytes()).digest() == before
