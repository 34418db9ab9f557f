"""What nbgrader puts beside a notebook that's handed in: when that was, and the secret for its feedback."""

import contextlib
import re
from datetime import UTC, datetime

from nbgrader.utils import parse_utc

from .submissions import Submission, Unreadable, read_bytes

MAX_RECEIPT = 4096  # bytes of a timestamp or a secret


def small_text(submission: Submission, name: str) -> str:
    """A small file that nbgrader put beside the notebook; empty if it's missing, a link, too large or not text."""
    with contextlib.suppress(Unreadable, OSError, UnicodeDecodeError):
        data = read_bytes(submission.path.parent / name)
        return data.decode("ascii") if len(data) <= MAX_RECEIPT else ""
    return ""


def time_of(submission: Submission) -> str:
    """What timestamp.txt says if it's a valid time, else nothing: nbgrader accepts an empty file, but not a bad one."""
    text = small_text(submission, "timestamp.txt")
    if re.search(r"(?<!\w)/|\.\.", text):  # a file's name in the place of a time zone, and that file would be opened
        return ""
    with contextlib.suppress(Exception):  # a student may have written it, and it must not stop the grading
        parse_utc(text.strip())
        return text
    return ""


def handed_in(submission: Submission) -> datetime | None:
    """When it was handed in, if timestamp.txt says so."""
    text = time_of(submission).strip()
    return parse_utc(text).replace(tzinfo=UTC) if text else None
