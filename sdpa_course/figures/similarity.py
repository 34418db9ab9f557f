"""What a dot product measures, shadow times length, and how large it gets. Notebook 01."""

import numpy as np

from ..experiments.similarity import Agreement, OneDraw, Ranges
from .drawing import styled
from .kit import Block, Page, picture
from .kit.charts import bars, chart, curve, outline
from .kit.matrices import number, percent
from .kit.papers import POINT


def arrows(page: Page, x: float, y: float, unit: float):
    """A function that turns coordinates in the plane into a point on the page; (x, y) is the origin."""
    return lambda point: (x + unit * point[0], y - unit * point[1])


@picture(height={"book": 282, "phone": 450, "slide": 290})
def shadows(page: Page, query, keys, tokens, *, asks: str = "Apple") -> str:
    """A query and the keys as arrows. Each key's shadow on the query's line, times the query's length, is its score."""
    unit = 60 if page.narrow else 76
    at = arrows(page, 22, 172 if page.narrow else 178, unit)
    length = np.hypot(*query)
    scores = keys @ query
    far = 5.0 * query / length
    page.line(at((0, 0)), at(far), colour="line", width=1.6, under=True)
    longest = max(scores) / length**2 * query
    page.line(at((0, 0)), at(longest), colour="lit", tint=0.5, width=13, under=True)
    page.arrow(at((0, 0)), at(query), colour="q", width=4)
    page.text(*at((3.6, 1.34)), f"{asks}’s query", at="bottom right", colour="q", weight="bold", size=14)
    places = ((8, 0, "left"), (-10, -4, "bottom right"), (-2, 10, "top"))
    for i, (key, token, (dx, dy, side)) in enumerate(zip(keys, tokens, places, strict=True)):
        foot = scores[i] / length**2 * query
        with page.step(i + 1):
            page.arrow(at((0, 0)), at(key), colour="k", width=2.5)
            page.line(at(key), at(foot), colour="grey", dash=":", width=1.8)
            page.dot(*at(foot), colour="lit edge", size=11)
            x, y = at(foot)
            right, down = (10, 0) if key[1] < 0 else (-2, 8)  # below the line, and beside what comes from below
            words = number(scores[i] / length, 2)
            page.text(x + right, y + down, words, at="top left", colour="lit text", size=13)
            x, y = at(key)
            page.text(x + dx, y + dy, token, at=side, colour="k", weight="bold", size=14)
    x, y = (10, 268) if page.narrow else (440, 40)
    for column, (name, side) in enumerate((("shadow", "right"), ("× length", "right"), ("= score", "right"))):
        page.text(x + 124 + 68 * column, y, name, at=side, colour="grey", size=13)
    for i, (token, score) in enumerate(zip(tokens, scores, strict=True)):
        with page.step(i + 1):
            row = y + 40 * (i + 1)
            page.text(x, row, token, at="left", colour="k", weight="bold", size=15)
            for column, words in enumerate((number(score / length, 2), number(length, 2), number(score))):
                bold = "bold" if column == 2 else "normal"
                page.text(x + 120 + 68 * column, row, words, at="right", weight=bold, size=16)
    page.key("dots: where each key’s shadow ends on the line of the query, and how long it is")
    told = "; ".join(f"{t}, {number(s / length, 2)}, score {number(s)}" for t, s in zip(tokens, scores, strict=True))
    return (
        f"{asks}’s query and three keys as arrows from one point, each key with its shadow on the query’s line. The "
        f"shadow times the query’s length, {length:.2f}, is the score. Shadows: {told}."
    )


@picture(height={"book": 168, "phone": 350, "slide": 180})
def length_and_angle(page: Page, query, keys, words) -> str:
    """The same query with a long, a short, a crossing and an opposite key: a score takes both length and direction."""
    across, told = (2 if page.narrow else 4), []
    for i, (key, name) in enumerate(zip(keys, words, strict=True)):
        x, y = page.width / across * (i % across), 182 * (i // across)
        score = float(np.dot(query, key))
        at = arrows(page, x + (98 if key[0] < 0 else 8), y + 108, 30)
        with page.step(i):
            page.arrow(at((0, -0.16)), at((query[0], query[1] - 0.16)), colour="q", width=4)
            page.arrow(at((0, 0.16)), at((key[0], key[1] + 0.16)), colour="k", width=4)
            page.text(x + 4, y + 136, name, at="left", colour="grey", size=13)
            shadow = number(score / np.hypot(*query))
            words = f"{number(np.hypot(*query))} × {f'({shadow})' if score < 0 else shadow} = {number(score)}"
            page.text(x + 4, y + 158, words, at="left", weight="bold", size=17)
        told.append(f"{name}: {number(score)}")
    page.caption(
        "the same query (green), each time with another key (purple); its length × the key’s shadow = the score"
    )
    return f"The same query with several keys. {'; '.join(told)}. It takes length and direction to score high."


@picture(height={"book": 250, "phone": 250, "slide": 270})
def same_winner(page: Page, plain: list[Agreement], stretched: list[Agreement], *, chance: float = 1 / 16) -> str:
    """How often the largest dot product is also the largest cosine, by width: keys as drawn, and keys stretched."""
    widths = [point.d_k for point in plain]
    x = np.log2(widths)
    room = page.width - (156 if page.narrow else 210)
    ax = chart(page, 36, 24, room, 186, xlabel="$d_k$", ylabel="same winner, % of queries", ylim=(0, 104))
    ax.set(xlim=(x[0] - 0.2, x[-1] + 0.2), xticks=x[::2], xticklabels=widths[::2], yticks=[0, 25, 50, 75, 100])
    told = []
    for points, colour, dash, name in ((plain, "k", "-", "as drawn"), (stretched, "score", "--", "stretched")):
        y = [100 * point.share.mean for point in points]
        with page.step(int(points is stretched)):
            curve(page, ax, x, y, colour=colour, dash=dash)
            page.text(x[-1] + 0.4, y[-1], f"{name}: {y[-1]:.0f} %", at="left", colour=colour, size=14, ax=ax)
            ax.plot(x, y, "o" if points is plain else "s", color=page.colour(colour), markersize=6 * POINT)
        told.append(f"keys {name}: {y[0]:.0f} % at d_k = {widths[0]}, {y[-1]:.0f} % at d_k = {widths[-1]}")
    ax.axhline(100 * chance, color=page.colour("grey"), linestyle=":", linewidth=1.5 * POINT)
    page.text(x[-1] + 0.4, 100 * chance, "guessing", at="left", colour="grey", size=13, ax=ax)
    page.caption("each point: 1,000 random queries with 16 keys each; errors are about the size of the marks")
    return (
        f"How often the key with the largest dot product is also the one with the largest cosine, against d_k. "
        f"{'; '.join(told)}. Guessing gives {percent(chance)}."
    )


@picture(height={"book": 196, "phone": 560, "slide": 210})
def three_measures(page: Page, measures: dict, tokens, *, asks: str = "Apple") -> str:
    """The weights that softmax makes of a query's row under several measures. `measures`: name -> (scores, weights)."""
    told = []
    for i, (block, (name, (scores, weights))) in enumerate(
        zip(page.panels(len(measures), high=190, gap=34 if not page.narrow else 0), measures.items(), strict=True)
    ):
        best = int(np.argmax(weights))
        with page.step(i):
            page.text(block.x, block.y, name, at="top left", weight="bold", size=15)
            chest = Block(block.x, block.y + 50, block.wide, 86)
            words = [percent(weight) for weight in weights]
            bars(page, chest, weights, colour="weight", top=1, lit=best, words=words, names=tokens)
            for j, score in enumerate(scores):
                x = block.x + (j + 0.5) * block.wide / len(tokens)
                page.text(x, block.y + 170, number(round(score, 2)), colour="score", size=14)
        told.append(f"{name}: {', '.join(f'{t} {percent(w)}' for t, w in zip(tokens, weights, strict=True))}")
    page.caption("bars: the weights; under the names: the scores that softmax made them from")
    return f"{asks}’s row of weights under {len(measures)} measures. {'; '.join(told)}."


@picture(height={"book": 150, "phone": 150, "slide": 190})
def best_of_many(page: Page, weights) -> str:
    """A row of weights, the largest first, up to 100 %."""
    high = page.height - 44
    page.text(0, 8, "100 %", at="left", colour="grey", size=13)
    page.line((46, 8), (page.width, 8), colour="line", dash=":", width=1.5)
    bars(page, Block(0, 8, page.width, high), weights, colour="weight", top=1, lit=0, words=percent(weights[0]))
    page.text(0, 18 + high, "a perfect match", at="top left", weight="bold", size=14)
    words = f"{len(weights) - 1} exact opposites, {100 * weights[1]:.1f} % each"
    page.text(page.width, 18 + high, words, at="top right", colour="grey", size=14)
    return (
        f"{len(weights)} bars. The perfect match gets {percent(weights[0])} of the weight, and each of the "
        f"{len(weights) - 1} exact opposites {100 * weights[1]:.1f} %."
    )


@picture(height={"book": 236, "phone": 510, "slide": 250})
def range_and_deviation(page: Page, sizes, found: dict[int, list[Ranges]]) -> str:
    """How the range and the standard deviation change with the number of pairs drawn, one panel for each d_k."""
    x, told = np.log10(sizes), []
    looks = (("range", "width", "ink", "-"), ("std. deviation", "std", "lit edge", "--"))
    for i, (block, (d_k, row)) in enumerate(zip(page.panels(2, high=236, gap=44), found.items(), strict=True)):
        with page.step(i):
            ax = chart(
                page, block.x + 26, block.y + 26, block.wide - 150, 162, xlabel="pairs drawn", ylabel=f"$d_k$ = {d_k}"
            )
            names = [f"{size:,}" for size in sizes]
            ax.set(xlim=(x[0] - 0.1, x[-1] + 0.1), ylim=(0, 26), xticks=x, xticklabels=names, yticks=[0, 10, 20])
            for name, attribute, colour, dash in looks:
                y = [getattr(each, attribute).mean() for each in row]
                curve(page, ax, x, y, colour=colour, dash=dash)
                ax.plot(x, y, "o" if dash == "-" else "s", color=page.colour(colour), markersize=6 * POINT)
                words = f"{name} {y[-1]:.1f}"
                page.text(x[-1] + 0.2, y[-1], words, at="left", colour=colour, size=14, ax=ax)
                told.append(f"{name} at d_k = {d_k} from {y[0]:.1f} to {y[-1]:.1f}")
    page.caption("averages over repeats, 200,000 pairs for each point; range: from the lowest score to the highest")
    return f"Two charts against the number of pairs, {sizes[0]:,} to {sizes[-1]:,}. {'; '.join(told)}."


@picture(height={"book": 312, "phone": 312, "slide": 320})
def widening(page: Page, scores: dict, *, reach: float = 80) -> str:
    """Histograms of q·k at several widths on one axis; for the widest one its typical size is marked."""
    ax = page.axes(64, 0, page.width - 78, 270)
    ax.set(
        xlim=(-reach, reach),
        ylim=(-0.05, len(scores)),
        yticks=[],
        xlabel="score $q \\cdot k$",
        xticks=[-60, -40, -20, 0, 20, 40, 60],
    )
    ax.spines["left"].set_visible(False)
    told = []
    for row, (d_k, samples) in enumerate(scores.items()):
        floor, std = len(scores) - 1 - row, float(np.std(samples))
        with page.step(row):
            step = 0.5 if std < 4 else 2 if std < 16 else 4
            outline(
                page, ax, samples, colour="score", floor=floor, high=0.8, bins=np.arange(-reach, reach + step, step)
            )
            page.text(0, 90 * (row + 0.72), f"$d_k$ = {d_k}", at="left", weight="bold")
        inside = np.quantile(np.abs(samples), 0.95)
        told.append(f"at d_k = {d_k}, 95 % of the scores lie within {inside:.0f} of zero")
    with page.step(len(scores)):
        y = floor + 0.3
        ax.plot([-std, std], [y, y], color=page.colour("lit"), linewidth=6 * POINT, solid_capstyle="butt")
        page.text(std + 4, floor + 0.62, f"about {std:.0f}", at="left", weight="bold", size=16, ax=ax)
    page.caption("20,000 pairs for each width, every histogram drawn to the same height; amber: the typical size")
    return f"Histograms of q·k on one axis. {'; '.join(told)}. The typical size at d_k = {d_k} is about {std:.0f}."


@picture(height={"book": 96, "phone": 96, "slide": 130})
def typical_sizes(page: Page, sizes: dict) -> str:
    """The typical size of a score at several widths as bars to scale; `sizes`: d_k -> Estimate."""
    room, pitch = page.width - 84 - 120, page.height / len(sizes)
    largest, told = max(size.mean for size in sizes.values()), []
    for i, (d_k, size) in enumerate(sizes.items()):
        y, words = pitch * (i + 0.5), f"{size:.2f}"
        with page.step(i):
            page.text(0, y, f"$d_k$ = {d_k}", at="left", weight="bold")
            page.box(84, y - 13, room * size.mean / largest, 26, fill="score", tint=0.75, edge=None, corner=0)
            page.text(84 + room * size.mean / largest + 8, y, words, at="left", weight="bold", size=16)
        told.append(f"{words} at d_k = {d_k}, about {size.mean:.0f}")
    page.caption("typical size of a score, measured: eight times as many terms, and not even three times the size")
    return f"Bars to scale: the typical size of a score of random vectors, measured, is {'; '.join(told)}."


@styled
def one_range(axes, result: OneDraw) -> str:
    """One draw of scores as a histogram; below it the range, the standard deviation and the range that was quoted."""
    top, low = axes
    top.stairs(result.percent, result.edges, fill=True, color="C4")
    top.set(title=f"{result.pairs:,} scores, $d_k$ = {result.d_k}, $σ$ = {result.sigma:g}", ylabel="% of scores")
    highest = np.max(result.percent)
    top.set(xlim=(-250, 250), ylim=(0, next(limit for limit in (20, 40, 100) if highest <= 0.95 * limit)))
    top.tick_params(labelbottom=False)
    rows = (
        (2, result.low, result.high, "C0", "", "this draw"),
        (1, *result.quoted, "C1", "//", "quoted"),
        (0, result.mean - result.std, result.mean + result.std, "C2", "..", "mean ± std. deviation"),
    )
    for y, start, end, colour, hatch, _ in rows:
        low.barh(y, end - start, left=start, height=0.55, color=colour, hatch=hatch, edgecolor="white", linewidth=0)
    low.set(
        yticks=[2, 1, 0], yticklabels=[name for *_, name in rows], xlim=(-250, 250), ylim=(-0.6, 2.6), xlabel="score"
    )
    low.grid(axis="y", visible=False)
    return (
        f"A histogram of {result.pairs:,} dot products at d_k = {result.d_k}, entries with standard deviation "
        f"{result.sigma:g}, and three bars below it: this draw runs from {result.low:.0f} to {result.high:.0f}, the "
        f"quoted range from {result.quoted[0]} to {result.quoted[1]}, and mean plus or minus standard deviation is "
        f"{result.mean:.1f} plus or minus {result.std:.1f}."
    ).replace("-", "−")
