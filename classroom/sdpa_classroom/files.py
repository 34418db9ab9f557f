"""Files that are whole and private, databases that can be read, and cells that no spreadsheet runs."""

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path

UNFINISHED = ".unfinished-"  # how the name of a file begins while it's being written


def harmless(value):
    """A cell for a spreadsheet, which would run the text `=1+1` as a formula."""
    risky = isinstance(value, str) and value.strip().startswith(tuple("=+-@＝＋－＠"))
    return f"'{value}" if risky or (isinstance(value, str) and value.startswith(("\t", "\r", "\n"))) else value


def write_atomically(path: Path, content: str | bytes, mode: int = 0o600) -> None:
    """Write a file atomically: it's there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=UNFINISHED, delete=False) as file:
        try:
            file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
            file.flush()
            os.chmod(file.name, mode)
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


@contextlib.contextmanager
def private_files():
    """What's written meanwhile is for this account only."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def refuse_broken(database: Path) -> None:
    """Raise one sentence if this isn't a database that can be read."""
    try:
        # mode=rw creates no file, and lets SQLite roll back what a killed grader left half-written
        with contextlib.closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=rw", uri=True)) as opened:
            opened.execute("select count(*) from sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        busy = "locked" in str(error)
        words = "is in use by another program; try again when that's done" if busy else "is not a readable gradebook"
        raise ValueError(f"{database} {words} ({error}); nothing was changed") from None
