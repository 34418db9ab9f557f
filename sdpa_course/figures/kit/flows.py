"""Flows of matrices and boxes from left to right, the operation on the arrow; computation graphs with their blame."""

from typing import NamedTuple

import numpy as np

from .matrices import matrix
from .page import Block, Page


class Item(NamedTuple):
    """A matrix in a flow."""

    name: str
    values: np.ndarray
    colour: str
    digits: int | None = None
    rows: tuple[str, ...] = ()
    lit: tuple[tuple[int, int], ...] = ()
    below: str = ""


def flow(page: Page, y: float, parts, *, cell=34.0, now: int | None = None, steps: bool = False) -> list[Block]:
    """Lay out matrices from left to right around the line at `y`, spread over the page's width.

    Parameters
    ----------
    parts : Items and strings
        "@" stands between two factors; any other string is an operation, written on an arrow.
    now : int, optional
        The number of the matrix to look at: the others are pale.
    steps : bool
        On a slide, each arrow appears with a click, together with what follows it.
    """
    wide, high = (cell, cell) if np.isscalar(cell) else cell
    names = max(
        (page.measure(name, 13)[0] + 12 for part in parts if isinstance(part, Item) for name in part.rows), default=0
    )
    taken = sum(np.shape(part.values)[1] * wide for part in parts if isinstance(part, Item))
    signs = sum(26 for part in parts if part == "@")
    arrows = [part for part in parts if isinstance(part, str) and part != "@"]
    room = (page.width - names - taken - signs - 4) / max(1, len(arrows))
    x, blocks, click = names + 2, [], 0
    for part in parts:
        if part == "@":
            page.text(x + 13, y, "@", size=18, colour="grey")
            x += 26
        elif isinstance(part, str):
            click += 1
            with page.step(click if steps else 0):
                page.arrow((x + 8, y), (x + room - 8, y), part)
            x += room
        else:
            n, m = np.shape(part.values)
            with page.step(click if steps else 0):
                dim = now is not None and now != len(blocks)
                blocks.append(
                    matrix(
                        page, x, y - n * high / 2, part.values, colour="line" if dim else part.colour, name=part.name,
                        cell=cell, digits=part.digits, rows=part.rows, lit=part.lit, below=part.below or f"{n} × {m}",
                    )
                )  # fmt: skip
            x += m * wide
    return blocks


class Node(NamedTuple):
    """A value in a computation graph: where it stands, what it is, and its blame once it's known."""

    x: float
    y: float
    value: str
    colour: str = "score"
    name: str = ""
    blame: str = ""


def graph(page: Page, nodes: dict[str, Node], edges, *, wide: float = 74, high: float = 38) -> dict[str, Block]:
    """Values run forward in solid boxes, blame runs back in dashed ones below them.

    Parameters
    ----------
    nodes : dict of name -> Node
        A node's place is the centre of its box. A node without blame has no dashed box.
    edges : list of (from, to, operation, factor)
        The operation is written on the arrow that goes forward, the factor on the one that comes back; "" leaves
        either out, and without a factor there's no arrow back.
    """
    blocks = {}
    for key, node in nodes.items():
        blocks[key] = page.box(
            node.x - wide / 2, node.y - high / 2, wide, high, node.value, fill=node.colour, tint=0.16, edge=node.colour
        )
        if node.name:
            page.text(node.x, node.y - high / 2 - 5, node.name, at="bottom", size=13, colour=node.colour)
        if node.blame:
            page.box(
                node.x - wide / 2, node.y + high / 2 + 8, wide, high - 8, node.blame, edge="blame", dash="--",
                width=1.5, colour="blame",
            )  # fmt: skip
    for start, end, operation, factor in edges:
        page.arrow(blocks[start].right, blocks[end].left, operation, colour="grey", size=13)
        if factor:
            down = high / 2 + 8 + (high - 8) / 2
            (x0, y0), (x1, y1) = blocks[end].left, blocks[start].right
            page.arrow((x0, y0 + down), (x1, y1 + down), factor, colour="blame", dash="--", below=True, size=13)
    return blocks
