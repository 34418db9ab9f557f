"""Files that are whole and private, and cells that no spreadsheet runs."""

import contextlib
import os
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
