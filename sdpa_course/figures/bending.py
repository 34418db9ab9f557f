"""Bend the angles: one correlation fills the table, straightens the spiral and opens the crowd. For notebook 02."""

import numpy as np
from matplotlib.colors import ListedColormap

from ..experiments.bending import Bend
from .drawing import styled
from .kit import Page, picture
from .kit.palette import colour
from .kit.papers import POINT


@picture(height={"book": 420, "phone": 830, "slide": 390})
def bent_angles(page: Page, frames: list[Bend]) -> str:
    """The table of covariances, the steps end to end and a crowd of walkers, one column for each correlation."""
    d_k = frames[0].d_k
    across, gap = (2, 20) if page.narrow else (len(frames), 24)
    wide = (page.width - gap * (across - 1)) / across
    high = 420 if page.narrow else 0
    on, ink = page.colour("lit"), page.colour("score")
    for i, frame in enumerate(frames):
        x, y = (wide + gap) * (i % across), high * (i // across)
        off = page.colour("lit", 0.06 + 0.94 * frame.correlation)
        with page.step(i):
            page.text(x + wide / 2, y, f"correlation {frame.correlation:g}", at="top", weight="bold", size=15)
            table_of_two(page.axes(x + wide / 2 - 56, y + 24, 112, 112, bare=True), d_k, on, off)
            page.text(x + wide / 2, y + 142, f"adds up to {frame.variance:.0f}", at="top", colour="grey")
            ax = page.axes(x, y + 166, wide, 0.58 * wide, bare=True)
            middle = sides(ax, frame.corners, ink, page.colour("lit edge"), width=3 * POINT)
            unit = 1.04 * d_k  # the same for all of them, so that lengths compare
            ax.set(xlim=middle[0] + unit * np.array([-0.5, 0.5]), ylim=middle[1] + unit * np.array([-0.29, 0.29]))
            reach = f"{np.sqrt(frame.variance):.1f}".removesuffix(".0")
            page.text(x + wide / 2, y + 264, f"reaches {reach}", at="top", weight="bold")
            ax = page.axes(x, y + 290, wide, 96, bare=True)
            fan(ax, frame, ink, page.colour("ink"))
            ax.set(xlim=(0, d_k), ylim=(-1.05 * d_k, 1.05 * d_k))
    walkers = len(frames[0].positions)
    page.key(f"{d_k} steps: their table, their sides end to end, and {walkers} walkers (dashed: ± the reach)")
    ends = ((f.correlation, f.variance, np.sqrt(f.variance)) for f in frames)
    said = (f"at {rho:g} it adds up to {total:.0f} and they reach {reach:.1f}" for rho, total, reach in ends)
    return (
        f"Columns for growing correlation between any two of {d_k} steps: the table of covariances fills up, the sides "
        f"laid end to end straighten, and the crowd of walkers opens. By correlation, {'; '.join(said)}."
    )


@picture(height={"book": 270, "phone": 600, "slide": 290})
def opened_crowd(page: Page, frames: list[Bend]) -> str:
    """Crowds of walkers side by side on one scale, with how far a typical one gets."""
    d_k = frames[0].d_k
    said = []
    for i, (block, frame) in enumerate(zip(page.panels(len(frames), high=270, gap=40), frames, strict=True)):
        reach = np.sqrt(frame.variance)
        name = f"correlation {frame.correlation:g}"
        with page.step(i):
            page.text(block.x + 30, block.y, name, at="top left", weight="bold", size=15)
            ax = page.axes(block.x + 34, block.y + 26, block.wide - 80, 200)
            fan(ax, frame, page.colour("score"), page.colour("ink"))
            ax.set(xlim=(0, d_k), ylim=(-d_k, d_k), xlabel="steps taken so far", yticks=[-d_k, 0, d_k])
            page.text(1.03 * d_k, reach, f"{reach:.0f}", at="left", weight="bold", size=17, ax=ax)
        said.append(f"with {name} they are typically {reach:.0f} away after {d_k} steps")
    page.caption(f"{len(frame.positions)} walkers each; dashed: how far a typical one has got")
    return f"Crowds of walkers on one scale: {'; '.join(said)}."


@styled
def bent_steps(axes, result: Bend) -> str:
    """One correlation, larger: the table, the sides from start to end, the crowd inside its typical size."""
    table, spiral, crowd = axes
    d_k, reach = result.d_k, np.sqrt(result.variance)
    table_of_two(table, d_k, colour("lit"), colour("lit", tint=0.06 + 0.94 * result.correlation))
    table.set_title(f"adds up to {result.variance:.0f}")
    middle = sides(spiral, result.corners, colour("score"), colour("lit edge"), width=3)
    half = 0.54 * d_k * np.array([-1, 1])
    spiral.set(xlim=middle[0] + half, ylim=middle[1] + half, aspect="equal", xticks=[], yticks=[])
    spiral.set_title(f"reaches {reach:.1f} of {d_k}")
    for ax in (table, spiral):
        ax.spines[:].set_visible(False)
    fan(crowd, result, colour("score"), colour("ink"))
    crowd.set(xlim=(0, 1.08 * d_k), ylim=(-1.05 * d_k, 1.05 * d_k), xlabel="steps taken so far")
    crowd.set(xticks=[0, d_k // 2, d_k], yticks=[-d_k, 0, d_k])
    crowd.set_title(f"typically {reach:.1f} away")
    return (
        f"{d_k} steps, any two with correlation {result.correlation:g}. Left, their table of covariances adds up to "
        f"{result.variance:.1f}. Middle, laid end to end as sides of length 1 they reach {reach:.1f} of {d_k}. Right, "
        f"{len(result.positions)} walkers fan out, typically {reach:.1f} away at the end."
    )


def table_of_two(ax, n: int, on: str, off: str) -> None:
    """An n by n table with one colour on its diagonal and one everywhere else."""
    ax.imshow(np.eye(n), cmap=ListedColormap([off, on]), vmin=0, vmax=1, interpolation="nearest")
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5), xticks=[], yticks=[])
    ax.grid(visible=False)


def sides(ax, corners, ink: str, lit: str, *, width: float) -> np.ndarray:
    """Sides end to end, their end to the right of their start, and the way there. Returns the middle of it all."""
    x, y = corners[-1] / np.linalg.norm(corners[-1])
    turned = corners @ np.array([[x, y], [y, -x]])  # the end at (√sum, 0)
    ax.plot(*turned.T, color=ink, linewidth=width, solid_joinstyle="round")
    ax.plot([0, turned[-1, 0]], [0, 0], color=lit, linewidth=width, linestyle=(0, (2, 1.2)))
    return (turned.min(axis=0) + turned.max(axis=0)) / 2


def fan(ax, frame: Bend, ink: str, dark: str) -> None:
    """The crowd, and dashed where a typical walker is."""
    paths = np.pad(frame.positions, ((0, 0), (1, 0)))
    c, typical = np.arange(frame.d_k + 1), np.sqrt(frame.sums)
    ax.plot(c, paths.T, color=ink, linewidth=0.8, alpha=0.1, rasterized=True)
    for sign in (1, -1):
        ax.plot(c, sign * typical, color=dark, linewidth=1.6, linestyle="--")
