"""What many charts do alike: group results, label logarithmic axes plainly, outline a distribution, name line ends."""

from operator import attrgetter

import numpy as np


def by(rows, *names: str) -> dict:
    """Rows grouped by these attributes, in the order they come: `by(results, "scale")`, `by(cells, "setting.d_k")`."""
    groups = {}
    for row in rows:
        groups.setdefault(attrgetter(*names)(row), []).append(row)
    return groups


def means(results, name: str) -> np.ndarray:
    """Means of the estimates called `name`."""
    return np.array([getattr(result, name).mean for result in results])


def means_and_spreads(results, name: str) -> tuple[np.ndarray, np.ndarray]:
    """The same, and the standard deviations between their draws."""
    return means(results, name), np.array([getattr(result, name).spread for result in results])


def ends(values, form: str = ".2f", at: str = "", places=None) -> str:
    """The first and last value in words: "0.50 to 0.90"; with places "0.50 at d_k = 1 to 0.90 at d_k = 64"."""
    first, last = ("", "") if places is None else (f" at {at}{places[0]}", f" at {at}{places[-1]}")
    return f"{values[0]:{form}}{first} to {values[-1]:{form}}{last}"


def log_axes(ax, x, y=()) -> None:
    """A logarithmic x axis, or both, with plain numbers as ticks: a slider can't wait for typeset powers of ten."""
    for name, places in {"x": x, "y": y}.items():
        if len(places) and getattr(ax, f"get_{name}scale")() != "log":  # setting it again makes all ticks again, slowly
            labels = [np.format_float_positional(place, trim="-") for place in places]
            ax.set(**{f"{name}scale": "log", f"{name}ticks": places, f"{name}ticklabels": labels})
    ax.minorticks_off()  # a y axis that is made logarithmic later has small ticks


def cell_ticks(ax, places, names=None) -> None:
    """The same ticks for rows and columns, and no grid over the cells."""
    ax.set_xticks(places, names)
    ax.set_yticks(places, names)
    ax.grid(False)


def theory_lines(ax, lines) -> None:
    """Each (x, y) as a dashed line over what was measured; the legend names the theory once."""
    for i, (x, y) in enumerate(lines):
        ax.plot(x, y, "k--", linewidth=1.6, zorder=5, label=None if i else "theory")


def outline(ax, values, edges, **looks) -> None:
    """The share of the values in each bin, as steps."""
    ax.stairs(np.histogram(values, edges)[0] / np.size(values), edges, **looks)
