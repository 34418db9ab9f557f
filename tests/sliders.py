"""The sliders of the course for the tests: every view is drawn once, whoever asks for it."""

import functools

from sdpa_course.explore import all_explorers
from sdpa_course.explore.explorer import Explorer, View

NAMES = list(all_explorers())


@functools.cache
def explorer(name: str) -> Explorer:
    """A slider that tests share: they leave its controls where they are."""
    return all_explorers()[name]()


def view(name: str, **changes) -> View:
    """What a slider shows with some of its values changed."""
    values = explorer(name).values() | changes
    return drawn(name, *values.items())


@functools.cache
def drawn(name: str, *values: tuple) -> View:
    return explorer(name).view(**dict(values))


def ends(control) -> list:
    """The least and the greatest value a control can take."""
    if hasattr(control, "options"):
        values = [option[1] if isinstance(option, tuple) else option for option in control.options]
        return [values[0], values[-1]]
    return [control.min, control.max] if hasattr(control, "min") else [False, True]


def changes(name: str) -> list[dict]:
    """Every control of a slider at its ends, one at a time, and all of them at both ends."""
    controls = explorer(name).controls
    single = [{key: value} for key, control in controls.items() for value in ends(control)]
    return single + [{key: ends(control)[i] for key, control in controls.items()} for i in (0, 1)]
