"""Inputs for problem set 05: queries, keys and values with scores near and far from 0, and masks to hide them."""

import numpy as np

from .tasks import any_sizes


def heads(rng) -> list[dict]:
    """All sizes differ. Third case: rows of scores near 800, −800 and 5. Fourth: from −800 to 800 within a row."""
    sizes = ((3, 5, 8, 2), (6, 4, 3, 7), (3, 5, 4, 2), (3, 5, 4, 2))
    shapes = [{"Q": (Tq, d_k), "K": (Tk, d_k), "V": (Tk, d_v)} for Tq, Tk, d_k, d_v in sizes]
    cases = [{name: 1.3 * rng.normal(size=shape) for name, shape in case.items()} for case in shapes]
    cases[2]["Q"][:, 0], cases[2]["K"][:, 0] = (800.0, -800.0, 5.0), 2.0
    cases[3]["Q"][:, 0], cases[3]["K"][:, 0] = (800.0, -800.0, 5.0), (0.0, -2.0, 2.0, -2.0, 2.0)
    return cases


def some_hidden(rng) -> list[dict]:
    """Every query sees some keys and not others. Then: hidden scores above 1000; visible ones near 800 and −1200."""
    cases = heads(rng)
    for case in cases:
        places = np.arange(len(case["Q"]))[:, None] + np.arange(len(case["K"]))
        case["mask"] = places % len(case["K"]) < 3
    cases[1]["Q"][:, 0], cases[1]["K"][1] = 2 + rng.random(6), (1000.0, 0.0, 0.0)
    cases[1]["mask"][:, 1] = False
    cases[2]["Q"][1, 0] = -1200.0
    return cases


def blind_row(rng) -> list[dict]:
    """The first of these cases, with one query that may see nothing."""
    case = some_hidden(rng)[0]
    case["mask"][1] = False
    return [case]


def other_heads(rng) -> list[dict]:
    """Any sizes, then rows of scores that are hundreds apart, in mixed order."""
    cases = []
    for Tq, Tk, d_k, d_v in (sizes := any_sizes(rng, 4)):
        cases.append(
            {"Q": rng.normal(size=(Tq, d_k)), "K": rng.normal(size=(Tk, d_k)), "V": rng.normal(size=(Tk, d_v))}
        )
    for case, (Tq, _, d_k, _) in zip(cases[:2], sizes, strict=False):
        case["Q"][:, 0], case["K"][:, 0] = rng.uniform(-400, 400, Tq) * np.sqrt(d_k), 2.0
    return cases


def other_masks(rng, blind=False) -> list[dict]:
    """Any sizes and masks; if `blind`, some rows see nothing, and in the last case no row sees anything."""
    cases = other_heads(rng)
    for case in cases:
        shape = len(case["Q"]), len(case["K"])
        case["mask"] = rng.random(shape) < 0.5
        case["mask"][np.arange(shape[0]), rng.integers(shape[1], size=shape[0])] = True
        if blind:
            case["mask"][rng.random(shape[0]) < 0.5] = False
    cases[-1]["mask"][:] = not blind
    return cases
