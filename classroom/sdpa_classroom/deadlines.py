"""Deadlines, and what lateness costs: class.toml beside submitted/.

time_zone = "Europe/Paris"

[late]                              # for every problem set
percent_per_day = 10                # of all points, for each day of 24 hours that has begun
grace_minutes = 15
days_accepted = 5                   # after that, nothing counts

[ps03]
deadline = 2026-11-19T23:59:00
percent_per_day = 20                # instead of the 10 above

[ps03.exceptions]
ada = 2026-11-22T23:59:00           # another deadline
"""

import math
import tomllib
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sdpa_course.homework.tasks import PROBLEM_SETS

NAME = "class.toml"
DAY = timedelta(days=1)


class Lateness(NamedTuple):
    """Whether it's late, in a sentence; the share of all points that it costs; and whether the student is told."""

    sentence: str = ""
    share: float = 0.0
    told: bool = False


UNKNOWN = Lateness("Nobody knows when this was handed in, so it doesn't count as late.")


class Rule(NamedTuple):
    """The deadline of one problem set."""

    deadline: datetime
    exceptions: dict[str, datetime]
    percent_per_day: float = 0.0
    grace_minutes: float = 0.0
    days_accepted: float = math.inf

    def judge(self, student: str, handed_in: datetime | None) -> Lateness:
        """How late is it, and what does that cost?"""
        if handed_in is None:
            return UNKNOWN
        deadline = self.exceptions.get(student, self.deadline)
        late = handed_in - deadline
        if late <= timedelta(minutes=self.grace_minutes):
            return Lateness()
        begin = f"Handed in {how_long(late)} after the deadline ({deadline.day} {deadline:%B %Y, %H:%M %Z})"
        if late / DAY > self.days_accepted:
            return Lateness(f"{begin}; nothing counts after {count(self.days_accepted, 'day')}.", 1.0, told=True)
        days = math.ceil(late / DAY)
        percent = min(100.0, days * self.percent_per_day)
        off = f"{percent:g} % of all points off for {count(days, 'day')}"
        return Lateness(f"{begin}: {off}.", percent / 100, told=True)


LIMITS = {"percent_per_day": 100.0, "grace_minutes": 1e6, "days_accepted": 1e4}


class Rules(NamedTuple):
    """All of class.toml; empty if there is none."""

    zone: tzinfo | None = None
    sets: dict[str, Rule] = {}  # noqa: RUF012 (never changed)


def read_rules(course: Path) -> Rules:
    """Read class.toml; whatever is wrong with it gets one sentence."""
    path = course / NAME
    try:
        given = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return Rules()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"{path} can't be read: {error}") from None
    try:
        return checked(given)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def checked(given: dict) -> Rules:
    """The rules, if every key and value is one that we know."""
    zone, sets = None, {}
    expect(given, {"time_zone", "late", *PROBLEM_SETS}, "")
    if "time_zone" in given:
        try:
            zone = ZoneInfo(given["time_zone"])
        except (KeyError, ValueError, OSError, TypeError):
            raise ValueError(f'time_zone is {given["time_zone"]!r}; expected one such as "Europe/Paris"') from None
    common = numbers(table(given, "late"), "late", set(LIMITS))
    for name in sorted(given.keys() & set(PROBLEM_SETS)):
        section = table(given, name)
        own = numbers(section, name, {"deadline", "exceptions", *LIMITS})
        if "deadline" not in section:
            raise ValueError(f"{name}.deadline is missing")
        exceptions = table(section, "exceptions", f"{name}.exceptions")
        moved = {who: moment(when, f"{name}.exceptions.{who}", zone) for who, when in exceptions.items()}
        sets[name] = Rule(moment(section["deadline"], f"{name}.deadline", zone), moved, **common | own)
    return Rules(zone, sets)


def expect(section: dict, known: set[str], where: str) -> None:
    """Refuse a key that nothing would read."""
    if unknown := sorted(section.keys() - known):
        raise ValueError(f"{where}{unknown[0]} isn't a setting; expected {', '.join(sorted(known))}")


def table(given: dict, key: str, where: str = "") -> dict:
    """A section; empty if it's missing."""
    section = given.get(key, {})
    if not isinstance(section, dict):
        raise ValueError(f"{where or key} is {section!r}; expected a section [{where or key}]")
    return section


def numbers(section: dict, where: str, known: set[str]) -> dict[str, float]:
    """The numbers of a section, each within its limits."""
    expect(section, known, f"{where}.")
    for key in section.keys() & LIMITS.keys():
        number = section[key]
        if type(number) not in (int, float) or not 0 <= number <= LIMITS[key]:
            raise ValueError(f"{where}.{key} is {number!r}; expected a number from 0 to {LIMITS[key]:g}")
    return {key: section[key] for key in section.keys() & LIMITS.keys()}


def moment(given, where: str, zone: tzinfo | None) -> datetime:
    """A time with a zone."""
    if isinstance(given, dict):  # what TOML makes of ada.lovelace = …
        raise ValueError(f'{where} is a section; put a name with a dot in quotes, such as "ada.lovelace"')
    if not isinstance(given, datetime):
        raise ValueError(f"{where} is {str(given)!r}; expected a date and a time, such as 2026-11-19T23:59:00")
    if given.tzinfo is None and zone is None:
        raise ValueError(f'{where} has no time zone; add time_zone = "Europe/Paris" at the top, or whichever is yours')
    return given if given.tzinfo else given.replace(tzinfo=zone)


def how_long(late: timedelta) -> str:
    """Such as "1 day and 3 hours", rounded down."""
    minutes = int(late.total_seconds() // 60)
    parts = [(minutes // 1440, "day"), (minutes // 60 % 24, "hour"), (minutes % 60, "minute")]
    said = [count(number, unit) for number, unit in parts if number][:2]
    return " and ".join(said) or "less than a minute"


def count(number: float, unit: str) -> str:
    """Such as "1 day" or "2.5 days"."""
    return f"{number:g} {unit}{'' if number == 1 else 's'}"
