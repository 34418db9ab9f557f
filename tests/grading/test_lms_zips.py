"""The zips that Moodle and Canvas make of a class's submissions come in, and nothing hostile in them gets out."""

import io
import os
import zipfile

import nbformat
import pytest

from sdpa_classroom import archives
from sdpa_classroom.collecting import main

from .grade_command import LIMITS, SANDBOX, grade, grades, needs_sandbox
from .hostile import exercise, solution, with_softmax
from .lms import canvas_gradebook, canvas_name, full_name, moodle_name, moodle_number, moodle_worksheet
from .made_up_class import NAMES

ZONE = 'time_zone = "Europe/Paris"\n'
EXPORTS = {"Moodle": moodle_worksheet, "Canvas": canvas_gradebook}
BEGINS = {"Moodle": moodle_name, "Canvas": canvas_name}


class Unsaid(zipfile.ZipInfo):
    """A name in UTF-8 that doesn't say so: that's what rubyzip writes, which Canvas uses."""

    def _encodeFilenameFlags(self):
        return self.filename.encode(), self.flag_bits & ~0x800


def zipped(files, *, utf8=True):
    """A zip of (name, content)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name if utf8 else Unsaid(name), content)
    return out.getvalue()


def text_of(place):
    """A notebook that says whose it is."""
    return f'{{"cells": [], "nbformat": 4, "student": {place}}}'.encode()


def whole_class(lms, **options):
    return [(f"{BEGINS[lms](place, **options)}ps03.ipynb", text_of(place)) for place in range(len(NAMES))]


@pytest.fixture
def collect(tmp_path, capsys):
    """Give the command this zip; returns what it said."""
    (tmp_path / "class.toml").write_text(ZONE)

    def collect(lms, data, *options, export=None, status=0):
        (tmp_path / "all.zip").write_bytes(data)
        (tmp_path / "export.csv").write_bytes((export or EXPORTS[lms]()).encode())
        words = [str(tmp_path / "all.zip"), str(tmp_path / "export.csv"), "--into", str(tmp_path / "submitted")]
        got = main([*words, *options])
        said = capsys.readouterr()
        assert got == status, said
        return said.out + said.err

    return collect


def handed_in(tmp_path):
    """What's in submitted/ now, by path, with the times apart."""
    files = [path for path in (tmp_path / "submitted").rglob("*") if path.is_file()]
    return {str(path.relative_to(tmp_path / "submitted")): path.read_bytes() for path in files}


def notebooks(tmp_path):
    return {name: data for name, data in handed_in(tmp_path).items() if name.endswith(".ipynb")}


EVERYBODY = {f"{name}/ps03/ps03.ipynb": text_of(place) for place, name in enumerate(NAMES)}


@pytest.mark.parametrize(
    ("lms", "options"), [("Moodle", {"folders": True}), ("Moodle", {"folders": False}), ("Canvas", {})]
)
@pytest.mark.parametrize("utf8", [True, False])
def test_everybody_gets_a_folder(collect, tmp_path, lms, options, utf8):
    said = collect(lms, zipped(whole_class(lms, **options), utf8=utf8))
    assert notebooks(tmp_path) == EVERYBODY
    assert "ps03 of 60 students is in" in said
    assert "60 new" in said
    again = collect(lms, zipped(whole_class(lms, **options)))
    assert "60 unchanged" in again
    assert notebooks(tmp_path) == EVERYBODY
    assert not (tmp_path / "replaced").exists()


def test_moodles_worksheet_says_when(collect, tmp_path):
    worksheet = moodle_worksheet(times={NAMES[1]: "Monday, 20 July 2026, 12:05 AM", NAMES[2]: "lundi 20 juillet 2026"})
    said = collect("Moodle", zipped(whole_class("Moodle")), export=worksheet)
    times = {name.split("/")[0]: text for name, text in handed_in(tmp_path).items() if name.endswith("timestamp.txt")}
    assert times[NAMES[0]] == b"2026-11-19 22:00:00.000000 UTC"
    assert times[NAMES[1]] == b"2026-07-19 22:05:00.000000 UTC"
    assert len(times) == 59
    assert f"1 without a known time (the worksheet has none in English): {NAMES[2]}" in said


def test_without_a_time_zone_a_time_is_not_guessed(collect, tmp_path):
    (tmp_path / "class.toml").unlink()
    said = collect("Moodle", zipped(whole_class("Moodle")))
    assert "60 without a known time (to read Moodle's, class.toml must say time_zone)" in said
    assert handed_in(tmp_path) == EVERYBODY


def test_canvas_says_who_is_late_but_not_since_when(collect, tmp_path):
    files = whole_class("Canvas")
    files[4] = (f"{canvas_name(4, late=True)}ps03-2.ipynb", text_of(4))
    said = collect("Canvas", zipped(files))
    assert f"1 late, says Canvas, but its zip doesn't say since when: {NAMES[4]}" in said
    assert notebooks(tmp_path) == EVERYBODY


def test_the_newest_of_several_counts(collect, tmp_path):
    files = [(f"{canvas_name(0, age=7)}ps03.ipynb", b"old"), (f"{canvas_name(0, age=900)}ps03-1.ipynb", b"new")]
    collect("Canvas", zipped([*files, (f"{canvas_name(0, age=950)}notes.pdf", b"%PDF")]))
    assert notebooks(tmp_path) == {f"{NAMES[0]}/ps03/ps03.ipynb": b"new"}


def test_an_earlier_submission_is_kept_and_a_newer_one_stays(collect, tmp_path):
    name = f"{moodle_name(0)}ps03.ipynb"
    at = [f"Thursday, 19 November 2026, 0{hour}:00 PM" for hour in range(1, 5)]
    for hour in range(3):
        collect("Moodle", zipped([(name, f"{hour}".encode())]), export=moodle_worksheet(times={NAMES[0]: at[hour]}))
    assert (tmp_path / "submitted" / NAMES[0] / "ps03" / "ps03.ipynb").read_bytes() == b"2"
    kept = tmp_path / "replaced" / NAMES[0]
    assert [(kept / f"ps03-{n}" / "ps03.ipynb").read_bytes() for n in (1, 2)] == [b"0", b"1"]
    assert (kept / "ps03-1" / "timestamp.txt").read_text().startswith("2026-11-19 12:00")
    export = moodle_worksheet(times={NAMES[0]: at[0]})
    said = collect("Moodle", zipped([(name, b"0")]), export=export, status=1)
    assert "is older than" in said
    assert (tmp_path / "submitted" / NAMES[0] / "ps03" / "ps03.ipynb").read_bytes() == b"2"


def test_a_folder_under_another_name_is_used(collect, tmp_path):
    (tmp_path / "submitted" / f"{NAMES[0]}@example.edu").mkdir(parents=True)
    collect("Moodle", zipped(whole_class("Moodle")[:1]))
    assert list(notebooks(tmp_path)) == [f"{NAMES[0]}@example.edu/ps03/ps03.ipynb"]
    (tmp_path / "submitted" / str(moodle_number(0))).mkdir()
    assert "has more than one folder" in collect("Moodle", zipped(whole_class("Moodle")[:1]), status=1)


@pytest.mark.parametrize("around", ["", "all/"])
@pytest.mark.parametrize("end", ["/", "_/"])
def test_a_folder_with_somebody_elses_name_stays_its_makers(collect, tmp_path, around, end):
    """Moodle lets students make folders, so student 1 can make one that's called like student 0's."""
    theirs = moodle_name(0, folders=False)
    collect("Moodle", zipped([(f"{around}{moodle_name(1, folders=False)[:-1]}{end}{theirs}/ps03.ipynb", b"x")]))
    assert list(notebooks(tmp_path)) == [f"{NAMES[1]}/ps03/ps03.ipynb"]


@pytest.mark.parametrize(
    "name", ["ps03\u3000a", "ps03\u202f(1)", "ps03\u00a0a", "ps03 \u0639\u0644\u06cc\u200c\u0631\u0636\u0627"]
)
def test_unusual_spaces_are_fine(collect, tmp_path, name):
    collect("Moodle", zipped([(f"{moodle_name(1)}{name}.ipynb", b"x")]))
    assert list(notebooks(tmp_path)) == [f"{NAMES[1]}/ps03/ps03.ipynb"]


def test_a_file_without_a_name_is_passed_over(collect, tmp_path):
    data = zipped([(f"{moodle_name(1)}ps03.ipynb", b"x"), ("§", b"y")]).replace("§".encode(), b"\0\0")
    collect("Moodle", data)
    assert list(notebooks(tmp_path)) == [f"{NAMES[1]}/ps03/ps03.ipynb"]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([(f"{full_name(1)}_{moodle_number(2)}_assignsubmission_file_/ps03.ipynb", b"x")], "but not the name"),
        ([("Nobody Known_1_assignsubmission_file_/ps03.ipynb", b"x")], "Nobody Known_1 isn't in"),
        ([(f"{moodle_name(1)}essay.docx", b"x")], "has no notebook in it, but essay.docx"),
        ([(f"{moodle_name(1, plugin='onlinetext')}onlinetext.html", b"x")], "has no notebook in it, but onlinetext"),
        ([(f"{moodle_name(1)}ps04.ipynb", b"x")], "has ps04.ipynb in it, not ps03"),
        ([(f"{moodle_name(1)}{name}.ipynb", b"x") for name in "ab"], "has 2 notebooks that could be meant"),
        ([(f"{moodle_name(1)}ps03.ipynb", content) for content in (b"x", b"y")], "has 2 notebooks that could be meant"),
        ([("readme.txt", b"x")], "readme.txt isn't called as Moodle calls"),
        ([(f"../../{moodle_name(1)}ps03.ipynb", b"x")], "isn't called as Moodle calls a student's file"),
        ([(f"/tmp/{moodle_name(1)}ps03.ipynb", b"x")], "isn't called as Moodle calls a student's file"),
        ([(f"{moodle_name(1)}../../../ps03.ipynb", b"x")], "isn't called as Moodle calls a student's file"),
        ([(f"\u202e{moodle_name(1)}ps03.ipynb", b"x")], "isn't called as Moodle calls a student's file"),
        ([("x" * 5000 + f"{moodle_name(1)}ps03.ipynb", b"x")], "isn't called as Moodle calls a student's file"),
        ([(f"{moodle_name(1)}ps03.ipynb", bytes(21 * 1024**2))], "has more than 20 MB"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_has_no_owner_or_no_notebook_is_named_and_stays(collect, tmp_path, files, words):
    good = (f"{moodle_name(0)}ps03.ipynb", text_of(0))
    said = collect("Moodle", zipped([good, *files]), "--problem-set", "ps03", status=1)
    assert words in said
    assert "ps03 of 1 students" in said
    assert notebooks(tmp_path) == {f"{NAMES[0]}/ps03/ps03.ipynb": text_of(0)}
    assert {path.name for path in tmp_path.iterdir()} == {"all.zip", "class.toml", "export.csv", "submitted"}


def special(**attributes):
    """A notebook of student 1, with something wrong in its header."""
    info = zipfile.ZipInfo(f"{moodle_name(1)}ps03.ipynb")
    for key, value in attributes.items():
        setattr(info, key, value)
    return info


def encrypted():
    data = zipped([(f"{moodle_name(1)}ps03.ipynb", b"x" * 20), (f"{moodle_name(0)}ps03.ipynb", text_of(0))])
    place = data.index(b"PK\x01\x02")
    return data[: place + 8] + bytes([data[place + 8] | 1]) + data[place + 9 :]


def lying():
    """A bomb whose header promises 100 bytes."""
    data = zipped([(f"{moodle_name(1)}ps03.ipynb", bytes(10**6)), (f"{moodle_name(0)}ps03.ipynb", text_of(0))])
    place = data.index(b"PK\x01\x02")
    return data[: place + 24] + (100).to_bytes(4, "little") + data[place + 28 :]


def damaged():
    data = bytearray(zipped([(f"{moodle_name(1)}ps03.ipynb", os.urandom(1000))]))
    data[400] ^= 255
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (lambda: zipped([(special(external_attr=0o120777 << 16), "/etc/passwd")]), "is a link or something else"),
        (lambda: zipped([(special(compress_type=zipfile.ZIP_BZIP2), b"x")]), "neither Moodle nor Canvas uses"),
        (encrypted, f"{moodle_number(1)} is encrypted"),
        (lying, "is damaged"),
        (damaged, "is damaged"),
    ],
)
def test_a_bad_file_is_left_out(collect, tmp_path, data, words):
    said = collect("Moodle", data(), status=1)
    assert words in said
    assert not any(name.startswith(NAMES[1]) for name in handed_in(tmp_path))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a whole zip file"),
        (b"not a zip", "is not a whole zip file"),
        (zipped(whole_class("Moodle"))[:-500], "is not a whole zip file"),
        (zipped([]), "nothing in"),
        (zipped(whole_class("Canvas")), "and not from Canvas"),
        (zipped([(f"{moodle_name(0)}{n}.ipynb", b"x") for n in ("ps03", "ps04")]), "has ps03, ps04 in it; say which"),
    ],
)
def test_a_bad_zip_gets_one_sentence(collect, tmp_path, data, words):
    said = collect("Moodle", data, status=2)
    assert words in said
    assert said.count("\n") == 1
    assert not (tmp_path / "submitted").exists()


def test_a_bomb_of_many_files_stops(collect, tmp_path, monkeypatch):
    monkeypatch.setattr(archives, "LARGEST_IN_ALL", 3 * 1024**2)
    said = collect("Moodle", zipped([(name, bytes(10**6)) for name, _ in whole_class("Moodle")]), status=2)
    assert "unpacks to more than" in said
    assert len(notebooks(tmp_path)) == 3


def test_a_link_in_place_of_a_folder_is_not_followed(collect, tmp_path):
    (tmp_path / "submitted").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "submitted" / NAMES[0]).symlink_to(tmp_path / "elsewhere")
    assert "has a link in place of a folder" in collect("Moodle", zipped(whole_class("Moodle")), status=1)
    assert not list((tmp_path / "elsewhere").iterdir())
    assert len(notebooks(tmp_path)) == 59


@needs_sandbox
@pytest.mark.parametrize("lms", ["Moodle", "Canvas"])
def test_a_zip_is_graded(collect, tmp_path, lms):
    """Four real submissions, from the zip to the marks."""
    assert SANDBOX
    works = [
        solution(),
        exercise(),
        with_softmax("return scores"),
        with_softmax("e = np.exp(scores)\n    return e / e.sum()"),
    ]
    files = [(f"{BEGINS[lms](place)}ps03.ipynb", nbformat.writes(work)) for place, work in enumerate(works)]
    assert "ps03 of 4 students" in collect(lms, zipped(files))
    grade(tmp_path, *LIMITS)
    rows = grades(tmp_path)
    marks = [float(rows[name, "ps03"]["checked by code"]) for name in NAMES[:4]]
    assert marks[:2] == [13, 0]
    assert all(0 < mark < 13 for mark in marks[2:])
