"""Width, length, and what real models divide by. Notebook 10."""

import numpy as np

from ..experiments.lengths import ByWidth
from ..experiments.shipped import Shipped
from .kit import Page, picture
from .kit.charts import chart, curve
from .kit.matrices import percent
from .kit.papers import POINT


@picture(height={"book": 262, "phone": 560, "slide": 290})
def agree_or_cancel(page: Page, walks, aligned, found: list[ByWidth]) -> str:
    """Left, sums of products term by term, unrelated or aligned; right, how they grow with the width."""
    left, right = page.panels(2, high=240, gap=60, top=22)
    c, walks, aligned = np.arange(1, np.shape(walks)[1] + 1), np.asarray(walks), np.asarray(aligned)
    ax = chart(page, left.x + 40, left.y, left.wide - 104, 178, xlabel="products added", ylabel="sum so far")
    with page.step(0):
        ax.plot(c, walks.T, color=page.colour("score"), linewidth=0.9 * POINT, alpha=0.4)
        page.text(c[-1] + 2, 0, "unrelated", at="left", colour="score", size=14, ax=ax)
    with page.step(1):
        ax.plot(c, aligned.T, color=page.colour("lit edge"), linewidth=0.9 * POINT, alpha=0.5)
        page.text(c[-1] + 2, float(aligned[:, -1].mean()), "aligned", at="left", colour="lit edge", size=14, ax=ax)
    ax.set(xlim=(0, c[-1]), xticks=[0, 32, 64], yticks=[0, 20, 40])
    widths = np.log2([row.d_k for row in found])
    ax = chart(page, right.x + 40, right.y, right.wide - 104, 178, xlabel="$d_k$", ylabel="typical size of q · k")
    curves = (
        ("  like √$d_k$", "score", [r.unrelated for r in found]),
        ("  like $d_k$", "lit edge", [r.aligned for r in found]),
    )
    for i, (name, colour, sizes) in enumerate(curves):
        with page.step(i):
            curve(page, ax, widths, np.log2(sizes), colour=colour, name=name)
            ax.plot(widths, np.log2(sizes), "o^"[i], color=page.colour(colour), markersize=7 * POINT, clip_on=False)
    ax.set(xlim=(widths[0], widths[-1]), ylim=(0, 9.3))
    ax.set_xticks(widths, [str(row.d_k) for row in found])
    ax.set_yticks([1, 3, 5, 7, 9], ["2", "8", "32", "128", "512"])
    page.caption("Unrelated products cancel and grow like a root. Aligned ones agree, and grow like the width itself.")
    last = found[-1]
    return (
        f"Left, running sums of products: unrelated ones wander around 0, aligned ones climb. Right, on logarithmic "
        f"axes, the typical dot product against d_k: at {last.d_k}, {last.unrelated:.0f} if unrelated and "
        f"{last.aligned:.0f} if aligned."
    )


@picture(height={"book": 188, "slide": 220})
def match_among(page: Page, shares: dict[int, float]) -> str:
    """The weight of the one matching key as a lit part of each row's weight: number of keys -> its share."""
    high, left = 22, 122
    wide = page.width - left - 62
    for i, (n, share) in enumerate(shares.items()):
        y = 8 + i * (high + 13)
        with page.step(i):
            page.text(left - 10, y + high / 2, f"{n:,} keys", at="right", size=14)
            page.box(left, y, wide, high, fill="weight", tint=0.18, edge=None, corner=0)
            page.box(left, y, wide * share, high, fill="lit", edge=None, corner=0)
            page.text(left + wide + 8, y + high / 2, percent(share), at="left", weight="bold", size=15)
    page.caption(
        "Lit: the weight of the one key that matches. Its score is the same in every row; only the crowd has grown."
    )
    listed = ", ".join(f"{percent(share)} among {n}" for n, share in shares.items())
    return f"Bars of weight. The one key that matches gets {listed} keys, although its score is the same in every bar."


@picture(height={"book": 262, "slide": 300})
def held_up(page: Page, shares: dict[str, dict[int, float]], spread: float = 0.09) -> str:
    """The weight of the matching key against the number of keys, one curve for each rule: name -> {n: share}."""
    ax = chart(page, 40, 26, page.width - 190, 186, xlabel="keys", ylabel="weight of the one that matches", ylim=(0, 1))
    colours = dict(zip(shares, ("root", "model", "out", "weight", "k"), strict=True))
    dashes = dict(zip(shares, ("-", ":", "--", "-", "-."), strict=True))
    ends = sorted(shares, key=lambda name: list(shares[name].values())[-1])
    places, floor = {}, 0.0
    for name in ends:  # names at the curves' ends, far enough apart to be read
        places[name] = max(list(shares[name].values())[-1], floor)
        floor = places[name] + (spread if page.paper.box is None else 0.14)
    for i, (name, by_length) in enumerate(shares.items()):
        n = np.log2(list(by_length))
        with page.step(i):
            curve(page, ax, n, list(by_length.values()), colour=colours[name], dash=dashes[name])
            ax.plot(n, list(by_length.values()), "os^Dv"[i], color=page.colour(colours[name]), markersize=6 * POINT)
            page.text(n[-1] + 0.27, places[name], name, at="left", colour=colours[name], size=14, ax=ax)
    ax.set(xlim=(n[0] - 0.2, n[-1] + 0.12))
    ax.set_xticks(n, [f"{length:,}" for length in by_length])
    ax.set_yticks([0, 0.5, 1], ["0 %", "50 %", "100 %"])
    page.headline("How fast the factor grows decides: two of these keep up with the crowd")
    first, last = min(by_length), max(by_length)
    told = "; ".join(f"{name}, {percent(by[first])} to {percent(by[last])}" for name, by in shares.items())
    return f"Curves of the matching key's weight against the number of keys, from {first} to {last}: {told}."


# Where a model's name stands beside its dot, in pixels right and down, and on which side it ends.
NAMES = {
    "T5": ("T5 (starts at variance 1)", 0, -13, "centre"),
    "GPT-Neo": ("GPT-Neo", 0, -13, "centre"), "Gemma 4": ("Gemma 4", 0, -13, "centre"),
    "Swin V2": ("Swin V2", 9, 0, "left"), "CvT, last stage": ("CvT", 0, 14, "centre"),
    "nanochat": ("nanochat, modded-nanogpt", -9, -12, "right"), "Inkling": ("Inkling, Granite", 0, 15, "right"),
    "DeepSeek-V3": ("DeepSeek-V3", 9, -4, "left"), "Gemma 3 27B": ("Gemma 2 and 3, 27B", -9, 14, "right"),
}  # fmt: skip


@picture(height={"book": 356, "slide": 380})
def every_model(page: Page, models: tuple[Shipped, ...]) -> str:
    """Each model as a dot, its head's width against the factor on its scores, and the line 1/√d_k through them."""
    ax = chart(page, 52, 26, page.width - 90, 276, xlabel="$d_k$", ylabel="factor on q · k, for entries of size 1")
    grid = np.linspace(4.8, 8.4, 20)
    with page.step(0):
        curve(page, ax, grid, -grid / 2, colour="root", name="1/√$d_k$", width=2)
        curve(page, ax, grid, -grid, colour="full", name="1/$d_k$", dash="--", width=1.6)
    ax.axhline(0, color=page.colour("nothing"), linestyle=":", linewidth=1.6 * POINT)
    on_line, read = [], {(model.d_k, model.factor) for model in models if model.read}
    for model in models:
        x, y = np.log2(model.d_k), np.log2(model.factor)
        plain = abs(model.variance - 1) < 0.01
        on_line += [model] * plain
        with page.step(0 if plain else 1):
            edge = "root" if plain else "lit edge"
            fill = ("root" if plain else "lit") if model.read else "paper"
            looks = {"color": page.colour(edge), "markerfacecolor": page.colour(fill)}
            ringed = not model.read and (model.d_k, model.factor) in read  # a ring around the dot that's there already
            size = (7 if plain else 9) + 6 * ringed
            ax.plot(x, y, "o", markersize=size * POINT, zorder=4 if ringed else 5, **looks)
            if not plain and model.model in NAMES:
                words, dx, dy, side = NAMES[model.model]
                wide, high = page.width - 90, 276
                page.text(x + dx * 3.6 / wide, y - dy * 8.6 / high, words, at=side, size=13, ax=ax)
    ax.set(xlim=(4.8, 8.4), ylim=(-8, 0.6))
    ax.set_xticks([5, 6, 7, 8], ["32", "64", "128", "256"])
    ax.set_yticks([0, -2, -4, -6], ["1", "1/4", "1/16", "1/64"])
    page.headline("The root is the most common answer, and far from the only one")
    page.key("filled: read in the code; open, or a ring around a dot: second hand; green: on the root")
    off = "; ".join(f"{m.model} at {m.d_k}, {m.formula}" for m in models if m not in on_line)
    return (
        f"Models as dots, factor against d_k from 32 to 256, on logarithmic axes, with lines for 1/√d_k and 1/d_k. "
        f"{len(on_line)} of {len(models)} lie on 1/√d_k. Off it: {off}."
    ).replace("$", "")


@picture(height={"book": 150, "slide": 190})
def after_norm(page: Page, spreads: dict[str, tuple[float, str]]) -> str:
    """How far scores spread at the start after QK-norm, on a logarithmic line: name -> (deviation, its factor)."""
    left, wide = 26, page.width - 70
    low, high = np.log2(1 / 16), np.log2(32)

    def at(value):
        return left + wide * (np.log2(value) - low) / (high - low)

    page.arrow((left, 92), (left + wide + 20, 92), colour="grey", width=1.6)
    for tick, name in ((1 / 16, "1/16"), (1 / 4, "1/4"), (1, "1"), (4, "4"), (16, "16")):
        page.line((at(tick), 88), (at(tick), 96), colour="grey", width=1.6)
        page.text(at(tick), 101, name, at="top", colour="grey", size=13)
    for i, (name, (deviation, factor)) in enumerate(spreads.items()):
        with page.step(i):
            rise = (64, 26)[i % 2]
            page.line((at(deviation), 92), (at(deviation), 92 - rise + 10), colour="weight", width=1.6)
            page.dot(at(deviation), 92, colour="weight", size=11)
            side, nudge = (("bottom", 0), ("bottom right", 4))[i % 2]
            page.text(at(deviation) + nudge, 92 - rise + 8, f"{name}: {factor}", at=side, size=14)
    page.caption(
        "standard deviation of the scores at the start, with all gains at 1: from nearly flat to nearly one-hot"
    )
    told = "; ".join(f"{name}, {deviation:.2g}" for name, (deviation, _) in spreads.items())
    return f"A logarithmic line: the standard deviation of the scores at the start after QK-norm. {told}."
