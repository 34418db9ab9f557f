"""What √d_k does inside a trained language model: its heads, its loss against the knob m, its sink. Notebook 11."""

import textwrap

import numpy as np

from .axes import cell_ticks
from .cells import write_in_cells
from .drawing import styled
from .kit import Block, Page, picture
from .kit.charts import bars, chart, curve, outline
from .kit.matrices import matrix, number, percent
from .weights import MAP

KINDS = {"prose": ("q", "-"), "dialogue": ("k", "--"), "code": ("nothing", ":")}


@picture(height={"book": 208, "slide": 230})
def start_and_trained(page: Page, measures: dict) -> str:
    """Histograms over heads: at the start below, trained above. name -> (start, trained, right end of the axis)."""
    panels, told = page.panels(len(measures), high=page.height - 74, gap=22, top=34), []
    for block, (name, (start, trained, end)) in zip(panels, measures.items(), strict=True):
        ax = page.axes(block.x, block.y, block.wide, block.high)
        ax.set(xlim=(0, end), ylim=(0, 2.1), yticks=[], xticks=(0, end / 2, end))
        ax.set_xticklabels([number(x, None) for x in (0, end / 2, end)])
        for floor, values, colour in ((0, start, "score"), (1.05, trained, "weight")):
            with page.step(int(floor > 0)):
                outline(
                    page,
                    ax,
                    np.clip(values, 0, end),
                    colour=colour,
                    floor=floor,
                    high=0.95,
                    bins=np.linspace(0, end, 31),
                )
        page.text(block.x, block.y - 8, name, at="bottom left", size=13, weight="bold")
        told.append(f"{name}: {np.median(start):.2f} at the start, {np.median(trained):.2f} trained")
    page.key("below, grey: heads of random numbers; above, blue: the model’s 270; a bar at the end holds all beyond it")
    return f"Histograms over heads, random ones below, those of the trained model above. Medians: {'; '.join(told)}."


@picture(height={"book": 330, "phone": 330, "slide": 340})
def who_does_what(page: Page, jobs: dict) -> str:
    """Every head as a cell, layers to the right, heads down, darker for more weight: name -> (layers, heads)."""
    told, high = [], page.height / len(jobs)
    for i, (name, values) in enumerate(jobs.items()):
        values = np.asarray(values)
        cell = page.width / len(values), (high - 36) / len(values[0])
        best = tuple(int(x) for x in np.unravel_index(values.argmax(), values.shape))
        with page.step(i):
            page.text(0, i * high + 20, name, at="bottom left", size=14, weight="bold")
            words = f"most: layer {best[0]}, head {best[1]}, {percent(values[best])}"
            page.text(page.width, i * high + 20, words, at="bottom right", size=13, colour="lit text")
            block = matrix(page, 0, i * high + 26, values.T, colour="weight", cell=cell, numbers=False, shade=True)
            x, y = block.x + best[0] * cell[0], block.y + best[1] * cell[1]
            page.box(x - 2, y - 2, cell[0] + 4, cell[1] + 4, edge="lit edge", width=2, corner=1, hollow=True)
        told.append(f"{name}: most in layer {best[0]}, head {best[1]}, {percent(values[best])}")
    page.key("a column is a layer, from 0 on the left to 29; a row is one of its 9 heads")
    return f"Maps of all 30 layers by 9 heads, darker for more weight. {'; '.join(told)}."


@picture(height={"book": 216, "phone": 780, "slide": 240})
def three_heads(page: Page, words, maps: dict) -> str:
    """Weights of a few heads on one sentence: title -> (T, T). Each word stands where its row ends, on its column."""
    told = []
    panels = page.panels(len(maps), high=240 if page.narrow else page.height, gap=14)
    for i, (block, (title, weights)) in enumerate(zip(panels, maps.items(), strict=True)):
        cell = min(20, (block.wide - 36) / len(words))
        with page.step(i):
            page.text(block.x, block.y + 4, title, at="top left", weight="bold", size=14)
            for row, word in enumerate(words):
                y = block.y + 32 + row * cell
                for column in range(row + 1):
                    page.box(
                        block.x + column * cell, y, cell, cell, fill="weight", edge="line", width=0.6, corner=0,
                        tint=0.02 + 0.78 * float(weights[row][column]),
                    )  # fmt: skip
                page.text(block.x + (row + 1) * cell + 5, y + cell / 2, word, at="left", size=13, colour="grey")
        told.append(f"{title}: the last word looks most at {words[int(np.argmax(weights[-1]))]}")
    page.caption("a row is a word that looks, named at its end; below its name is its column: who looks at it")
    return f"Attention weights of {len(maps)} real heads on “{' '.join(words)}”. {'; '.join(told)}."


@picture(height={"book": 212, "slide": 250})
def what_is_it(page: Page, splits, words, leans) -> str:
    """Left, how well the best head tells each split of the adjectives apart, the split by meaning first; right, how
    far the head that's best for the meaning leans to the chaser, from −1 to 1, after each adjective."""
    left, right = page.panels(2, high=page.height, gap=60)
    ranked = np.sort(splits)
    page.text(left.x, 0, "35 splits: difference in lean", at="top left", weight="bold")
    low = Block(left.x, 46, left.wide, page.height - 48)
    place = int(np.searchsorted(ranked, splits[0]))
    bars(page, low, ranked, colour="weight", top=ranked[-1] * 1.02, lit=place)
    x = low.x + low.wide * (place + 0.3) / len(ranked)
    page.text(x - 8, 52, f"by meaning: {number(splits[0], 2)}", at="right", colour="weight", weight="bold")
    middle, unit, high = right.x + right.wide * 0.6, right.wide * 0.38, (page.height - 26) / len(words)
    with page.step(1):
        page.text(right.x, 0, "← to the chased", at="top left", weight="bold")
        page.text(right.x + right.wide, 0, "to the chaser →", at="top right", weight="bold")
        for i, (word, lean) in enumerate(zip(words, leans, strict=True)):
            y = 26 + i * high
            page.box(
                min(middle, middle + unit * lean), y + 3, unit * abs(lean), high - 6, fill="k" if lean > 0 else "v",
                edge=None, corner=0,
            )  # fmt: skip
            page.text(right.x, y + high / 2, word, at="left", size=13, colour="grey")
        page.line((middle, 26), (middle, page.height), colour="grey", width=1)
    page.caption("left: the best of 270 heads for each split; right: the lean of the winner for the meaning")
    told = ", ".join(f"{word} {number(lean, 2)}" for word, lean in zip(words, leans, strict=True))
    return (
        f"Left, {len(splits)} sorted bars, differences in lean from {number(ranked[0], 2)} to {number(ranked[-1], 2)}; "
        f"the split by meaning has {number(splits[0], 2)}. Right, how far one head leans to the chaser after each "
        f"adjective: {told}."
    )


def apart(values, gap: float) -> list[float]:
    """Places for names beside rising values: at least `gap` apart, and on the whole where the values are."""
    places = [values[0]]
    for value in values[1:]:
        places.append(max(value, places[-1] + gap))
    return [place + float(np.mean(values)) - float(np.mean(places)) for place in places]


@picture(height={"book": 280, "phone": 260, "slide": 290})
def the_u(page: Page, factors, losses: dict) -> str:
    """Loss against the knob m: kind of text -> rows of (mean, low, high)."""
    x = np.log2(factors)
    top = max(np.max(rows) for rows in losses.values())
    limits = {"xlim": (x[0] - 0.1, x[-1] + 0.1), "ylim": (0, np.ceil(top))}
    names = {"xlabel": "m: all scores are multiplied by m", "ylabel": "loss in nats a token"}
    ax = chart(page, 34, 26, page.width - 118, page.height - 78, **names, **limits)
    ax.set_xticks(range(-2, 4), ["¼", "½", "1", "2", "4", "8"])
    ax.axvline(0, color=page.colour("root"), linewidth=1.2)
    told, ordered = [], sorted(losses.items(), key=lambda item: item[1][-1][0])
    names_at = apart([rows[-1][0] for _, rows in ordered], 0.085 * np.ceil(top))  # beside the ends, none on another
    for i, (kind, rows) in enumerate(ordered):
        mean, low, high = np.transpose(rows)
        colour, dash = KINDS[kind]
        with page.step(i + 1):
            curve(page, ax, x, mean, colour=colour, dash=dash)
            page.text(x[-1], names_at[i], f"  {kind}", at="left", colour=colour, size=14, ax=ax)
            ax.fill_between(x, low, high, color=page.colour(colour, 0.25), linewidth=0)
        best = factors[int(np.argmin(mean))]
        told.append(
            f"{kind} {number(mean[0], 1)} at m = {factors[0]:g}, lowest {number(min(mean), 1)} at m = {best:g}, "
            f"{number(mean[-1], 1)} at m = {factors[-1]:g}"
        )
    page.headline("Trained with m = 1, it’s at its best there, and nearly as good close by")
    page.key("band: 95 % bootstrap interval; green line: the factor it was trained with; m = 8 leaves out the scale")
    return f"Loss against the factor m, U-shaped for three kinds of text. {'; '.join(told)}."


@picture(height={"book": 250, "phone": 250, "slide": 270})
def by_layer(page: Page, changes: dict) -> str:
    """What it costs to turn the knob in one layer: m -> rows of (mean, low, high), one for each layer."""
    told, high = [], page.height / len(changes)
    end = max(np.max(rows) for rows in changes.values()) * 1.05
    low_end = min(np.min(rows) for rows in changes.values()) * 1.15
    for i, (m, rows) in enumerate(changes.items()):
        mean, low, up = np.transpose(rows)
        with page.step(i):
            ax = page.axes(44, i * high + 26, page.width - 50, high - (64 if i == len(changes) - 1 else 44))
            ax.set(
                xlim=(-0.7, len(mean) - 0.3),
                ylim=(min(low_end, -end / 3), end),
                yticks=(0, round(end / 2, 2)),
                xticks=range(0, len(mean), 5),
                xlabel="layer" if i == len(changes) - 1 else "",
            )
            ax.axhline(0, color=page.colour("grey"), linewidth=0.8)
            ax.vlines(range(len(mean)), low, up, color=page.colour("line"), linewidth=5)
            ax.scatter(range(len(mean)), mean, s=22, color=page.colour("nothing" if float(m) > 1 else "full"), zorder=4)
            title = f"one layer at m = {float(m):g}: change of the loss"
            page.text(44, i * high + 18, title, at="bottom left", size=13, weight="bold")
        order = np.argsort(mean)[::-1][:3]
        most = ", ".join(str(j) for j in order)
        told.append(f"m = {float(m):g}: most in layers {most}, largest change {number(mean[order[0]], 2)}")
    page.key("dot: the mean over three texts; bar: its 95 % bootstrap interval")
    return f"Change of the loss when the knob is turned in a single layer, layer by layer. {'; '.join(told)}."


@picture(height={"book": 190, "phone": 400, "slide": 230})
def sink(page: Page, words, weights, lengths) -> str:
    """For each word of a sentence: the weight that it gets on average, and the length of its value."""
    panels = page.panels(2, high=150 if page.narrow else page.height - 26, gap=50 if page.narrow else 30)
    told = []
    rows = (
        ("weight from the last word", "weight", weights, percent),
        ("length of its value", "v", lengths, lambda x: number(x, 1)),
    )
    for i, (block, (title, colour, values, form)) in enumerate(zip(panels, rows, strict=True)):
        with page.step(i):
            page.text(block.x, block.y, title, at="top left", weight="bold", colour=colour, size=15)
            low = Block(block.x, block.y + 44, block.wide, block.high - (44 if page.narrow else 62))
            names = () if page.narrow else words
            bars(page, low, values, colour=colour, top=max(values) * 1.02, lit=0, words=form(values[0]), names=names)
        others = form(np.mean(values[1:]))
        told.append(f"{title}: {form(values[0])} for the first word, {others} on average for the others")
    page.key("a bar is a word, the first one lit; averages over all heads")
    return f"Bars for each word of “{' '.join(words)}”. {'; '.join(told)}."


@styled
def knob(axes, result) -> str:
    """Where the knob is on the U of three texts, and what the model writes there."""
    x = np.log2(result.factors)
    for (kind, losses), (dash, marker) in zip(
        result.losses.items(), (("-", "o"), ("--", "s"), (":", "^")), strict=True
    ):
        axes[0].plot(x, losses, dash, label=kind)
        axes[0].plot([np.log2(result.m)], [losses[result.factors.index(result.m)]], marker, color="black", markersize=8)
    axes[0].set(xlabel="m", title="loss in nats a token", ylim=(0, 10), xlim=(-2.1, 3.1))
    axes[0].set_xticks(range(-2, 4), ["¼", "½", "1", "2", "4", "8"])
    axes[0].legend(loc="upper center", ncols=3, fontsize=11)
    axes[1].set(xlim=(0, 1), ylim=(0, 1), xticks=[], yticks=[], title=f"what it writes at m = {result.m:g}")
    axes[1].grid(False)
    told = " ".join(f"{result.prompt} …{result.text}".split())
    axes[1].text(0.03, 0.93, "\n".join(textwrap.wrap(told, 38)), va="top", fontsize=14, parse_math=False)
    return (
        f"Left, the loss on three texts against the knob, with a mark at m = {result.m:g}. Right, what the model "
        f"writes there: {told}"
    )


@styled
def head_map(ax, result) -> str:
    """The weights of one head of the model on a sentence."""
    words, weights = result.words, result.weights
    ax.imshow(weights, cmap=MAP, vmin=0, vmax=1, aspect="auto")
    if len(words) <= 12:
        texts = np.array(
            [[f"{weight:.2f}" if j <= i else "×" for j, weight in enumerate(row)] for i, row in enumerate(weights)]
        )
        write_in_cells(ax, texts, weights, MAP, 12)
    cell_ticks(ax, range(len(words)), words)
    ax.set(title=f"layer {result.layer}, head {result.head}", xlabel="key", ylabel="query")
    ax.tick_params("x", labelrotation=90 if len(words) > 12 else 0)
    return (
        f"Attention weights of head {result.head} in layer {result.layer} on “{' '.join(words)}”, a row a query. "
        f"The last word gives its largest weight to {words[int(weights[-1].argmax())]}, {percent(weights[-1].max())}."
    )
