"""Read the zip of all submissions that Moodle or Canvas makes. Nothing in it is trusted, least of all a name.

Names are only compared with patterns and never become paths. Sizes are counted while reading, because a zip can lie
about them.
"""

import re
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .rosters import CANVAS, MOODLE
from .submissions import LARGEST_FILE

MOST_FILES, LARGEST_IN_ALL, LONGEST = 200_000, 4 * 1024**3, 1000
PATTERNS = {
    # mod/assign/classes/downloader.php: a folder for each student, or the same words in front of each file's name
    MOODLE: (
        r"(?P<name>[^/]+)_(?P<number>\d+)_assignsubmission_[a-z]+_?/(?:.*/)?(?P<file>[^/]+)",
        r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_[a-z]+_(?P<file>[^/]+)",
    ),
    # lib/content_zipper.rb: letters of the name, LATE, the student's number, the file's number (newer files: larger)
    CANVAS: (
        r"(?P<name>[^/]*?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<age>\d+)_(?P<file>[^/]+)",
        r"(?P<name>[^/]*?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<file>(?:text|link)\.html)",
    ),
}


class Handed(NamedTuple):
    """One file of one student."""

    name: str  # the student's, as the LMS abbreviates it
    number: str
    file: str
    age: int
    late: bool
    info: zipfile.ZipInfo


class Refused(Exception):
    """This file isn't taken; the message says why."""


class Archive:
    """An open zip."""

    def __init__(self, path: Path, lms: str):
        self.path, self.lms, self.read_so_far = path, lms, 0
        try:
            self.zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is not a whole zip file ({error}); download it again") from None
        if len(self.zip.infolist()) > MOST_FILES:
            self.zip.close()
            raise ValueError(f"{path} has more than {MOST_FILES} files in it")

    def files(self) -> Iterator[Handed | str]:
        """Every file: a student's, or its name if it isn't called as the LMS calls a student's."""
        for info in self.zip.infolist():
            name = name_of(info)
            parts = name.split("/")
            if not name or info.is_dir() or parts[0] == "__MACOSX" or parts[-1] == ".DS_Store":
                continue
            yield self.recognise(name, info) or name

    def recognise(self, name: str, info: zipfile.ZipInfo) -> Handed | None:
        """Whose file it is, if its name says so. A folder around everything is fine, a way out of it isn't.

        The outermost folder that names a student counts: Moodle lets students make folders, with anybody's name.
        """
        if len(name) > LONGEST or name[0] == "/" or ".." in name.split("/") or "\\" in name or not shows(name):
            return None
        for pattern in PATTERNS[self.lms]:
            if found := re.fullmatch(rf"(?:[^/]+/)??{pattern}", name):
                said = found.groupdict()
                age, late = int((said.get("age") or "0")[:18]), bool(said.get("late"))
                return Handed(said["name"], said["number"], said["file"], age, late, info)
        return None

    def read(self, info: zipfile.ZipInfo) -> bytes:
        """The bytes of one file; raises `Refused`."""
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind and kind != stat.S_IFREG:
            raise Refused("is a link or something else that isn't a file")
        if info.flag_bits & 1:
            raise Refused("is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):  # only these unpack bit by bit
            raise Refused("is compressed in a way that neither Moodle nor Canvas uses")
        limit = min(LARGEST_FILE, LARGEST_IN_ALL - self.read_so_far)
        try:
            with self.zip.open(info) as file:
                data = file.read(limit + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
            raise Refused(f"is damaged ({error})") from None
        self.read_so_far += len(data)
        if len(data) > limit:
            if limit < LARGEST_FILE:
                raise ValueError(
                    f"{self.path} unpacks to more than {LARGEST_IN_ALL // 1024**3} GB; is it the right file?"
                )
            raise Refused(f"has more than {LARGEST_FILE // 1024**2} MB")
        return data


def shows(name: str) -> bool:
    """Is there nothing in it that a line can't show? Names have spaces of all widths, and Persian ones joiners."""
    return all(c.isprintable() or c in "\u200c\u200d" or unicodedata.category(c) == "Zs" for c in name)


def name_of(info: zipfile.ZipInfo) -> str:
    """A file's name. Canvas writes UTF-8 and doesn't say so, and then Python reads it as the letters of an old PC."""
    if not info.flag_bits & 0x800:
        try:
            return info.filename.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return info.filename
