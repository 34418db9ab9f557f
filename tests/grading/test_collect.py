"""`nbgrader collect` on a class's hub, where every student can make folders in the inbox, with any name."""

import os
import pwd
import stat
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from sdpa_classroom import submissions

from .accounts import ROOT

ME = pwd.getpwuid(os.getuid()).pw_name
TIME = "2026-11-16 10:00:00 UTC"


@pytest.fixture
def hub():
    """What the hub's nbgrader_config.py defines."""
    names = {"get_config": Config, "__name__": "nbgrader_config"}
    exec((ROOT / "classroom" / "hub" / "nbgrader_config.py").read_text(), names)
    return names


@pytest.fixture
def collector(hub):
    """As much of nbgrader as one submission needs."""
    warnings = []
    log = SimpleNamespace(warning=lambda text, *words: warnings.append(text % words))
    return SimpleNamespace(coursedir=SimpleNamespace(assignment_id="ps03"), log=log, warnings=warnings)


def hand_in(folder, content="{}"):
    folder.mkdir(parents=True)
    (folder / "ps03.ipynb").write_text(content)
    (folder / "timestamp.txt").write_text(TIME)
    return folder


def test_nothing_larger_than_what_is_graded_is_taken(hub, collector, tmp_path):
    """A file full of holes says it's small to the disk, and its copy would be as large as it claims."""
    inbox = hand_in(tmp_path / "inbox")
    with (inbox / "ps03.ipynb").open("wb") as file:
        file.truncate(400 * 1024**2)
    hub["Collect"].do_copy(collector, str(inbox), str(tmp_path / "taken"))
    assert list((tmp_path / "taken").iterdir()) == []
    assert "the file has 400 MB, and the limit is 20 MB" in collector.warnings[0]


def test_the_time_is_that_of_the_notebook_that_was_read(hub, collector, tmp_path, monkeypatch):
    """A student keeps an early notebook in another folder and exchanges the two while they're being collected."""
    early = hand_in(tmp_path / "early", "early")
    time.sleep(0.05)
    late = hand_in(tmp_path / "late", "late")
    written = os.stat(late / "ps03.ipynb").st_ctime
    open_file = submissions.open_file

    def exchange(path):
        opened = open_file(path)
        if late.exists() and not (tmp_path / "away").exists():
            late.rename(tmp_path / "away")
            early.rename(late)
        return opened

    monkeypatch.setattr(submissions, "open_file", exchange)
    hub["Collect"].do_copy(collector, str(late), str(tmp_path / "taken"))
    assert (tmp_path / "taken" / "ps03.ipynb").read_text() == "late"
    said = datetime.strptime((tmp_path / "taken" / "timestamp.txt").read_text(), "%Y-%m-%d %H:%M:%S.%f %Z")
    assert abs(said.replace(tzinfo=UTC).timestamp() - written) < 0.001


def make_link(path):
    path.symlink_to("nowhere")


def make_unreadable(path):
    hand_in(path)
    path.chmod(0)


def make_gone(path):
    hand_in(path)
    (path / "ps03.ipynb").unlink()


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (f"{ME}+ps03+no time at all", hand_in),
        (f"{ME}+ps03+", hand_in),
        ("somebody+ps03+99999999999999 UTC", hand_in),
        ("+ps03+\x1b[2J", hand_in),
        (f"{ME}+ps03+2027-01-01 10:00:00 UTC", make_link),
        (f"{ME}+ps03+2027-01-01 10:00:00 UTC", lambda path: path.write_text("no folder")),
        (f"somebody+ps03+{TIME}", hand_in),
    ],
)
def test_no_folder_stops_the_others(hub, tmp_path, monkeypatch, name, make):
    inbound = tmp_path / "exchange" / "sdpa-course" / "inbound"
    hand_in(inbound / f"{ME}+ps03+{TIME}", "mine")
    make(inbound / name)
    collect(hub, tmp_path, monkeypatch)
    assert (tmp_path / "course" / "submitted" / ME / "ps03" / "ps03.ipynb").read_text() == "mine"
    assert sorted(path.name for path in (tmp_path / "course" / "submitted").iterdir()) == [ME]


@pytest.mark.parametrize("make", [make_unreadable, make_gone])
def test_a_folder_without_anything_to_read_stops_nobody(hub, tmp_path, monkeypatch, make):
    inbound = tmp_path / "exchange" / "sdpa-course" / "inbound"
    inbound.mkdir(parents=True)
    make(place := inbound / f"{ME}+ps03+{TIME}")
    collect(hub, tmp_path, monkeypatch)
    place.chmod(stat.S_IRWXU)


def collect(hub, tmp_path, monkeypatch):
    """Run nbgrader's own steps."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")  # it calls alembic
    config = hub["c"]
    config.Exchange.root = str(tmp_path / "exchange")
    config.CourseDirectory.root = str(tmp_path / "course")
    config.CourseDirectory.assignment_id = "ps03"
    (tmp_path / "course").mkdir()
    hub["Collect"](coursedir=CourseDirectory(config=config), config=config).start()
