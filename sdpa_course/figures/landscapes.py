"""Where the softmax Jacobian is large and where it dies: over the triangle, by width and number of keys, row by row.

For notebook 04.
"""

import numpy as np

from .axes import by
from .kit import Block, Page, picture
from .kit.charts import chart, curve
from .kit.matrices import percent
from .kit.palette import SCALES
from .kit.triangles import Triangle, cloud, triangle

BOUND = 0.5
MARKERS = {"1": "o", "1/sqrt(d_k)": "s", "1/d_k": "D"}
DECIDED = 0.9
CORNERS = ("all on key 1", "all on key 2", "all on key 3")


@picture(height={"book": 330, "phone": 330, "slide": 330})
def landscape(page: Page, weights, norms, spots) -> str:
    """The norm of J over the triangle of three weights, with a few places named.

    `weights` is (m, 3), all over the triangle, with its (m,) `norms`; `spots` is a list of (weights, norm, name).
    """
    place = triangle(page, Block(0, 24, page.width, 280), CORNERS)
    heat(page, place, weights, norms)
    told = []
    for i, (spot, norm, name) in enumerate(spots):
        x, y = place.at(spot)
        with page.step(i):
            page.dot(x, y, size=10)
            if max(spot) < 0.8:
                down, at = (9, "top") if spot[2] == 0 else (-9, "bottom")
                page.text(x, y + down, f"{name}: {norm:.3f}", at=at, weight="bold", size=13)
            else:  # no room in a corner: outside, with a line to it
                words, up = f"{name}:\n{norm:.3f}", y - 124
                left = x + 124 / 3**0.5 - 30
                page.line((left - 14, up + 4), (x, y), colour="ink", width=1.2)
                page.text(left, up, words, at="bottom right", weight="bold", size=13)
        told.append(f"{name} {norm:.3f}")
    page.key("colour: ‖J‖, a step every 0.05 and one at 0.475. None: nothing to trade; full: lively")
    return f"A triangle of three weights, coloured by the norm of the Jacobian: {', '.join(told)}; 0 in every corner."


def heat(page: Page, place: Triangle, weights, values) -> None:
    """Colour a triangle by a value at many points of it: pale for 0, full for the bound, a step every 0.05.

    One more at 0.475, darker, tells a tie of two from a tie of three, 0.471.
    """
    levels = np.append(np.linspace(0, 0.45, 10), (0.475, BOUND))
    tints = [page.colour("blame", tint) for tint in (*np.linspace(0.06, 0.56, 9), 0.62, 0.84)]
    x, y = place.at(weights).T
    page.sheet.tricontourf(x, y, np.minimum(values, BOUND - 1e-9), levels, colors=tints).set_zorder(2.5)
    page.sheet.tricontour(x, y, values, levels[1:-1], colors=[page.colour("paper")], linewidths=0.5).set_zorder(2.6)


@picture(height={"book": 212, "phone": 452, "slide": 220})
def landings(page: Page, weights, norms, clouds) -> str:
    """Where random queries with three keys land. `clouds` has (d_k, scale, weights, mean norm) each."""
    told = []
    across = 2 if page.narrow else len(clouds)
    wide = page.width / across
    for i, (d_k, scale, rows, mean) in enumerate(clouds):
        x, y = i % across * wide, i // across * 226
        name, colour = SCALES[scale]
        place = triangle(page, Block(x + 6, y + 26, wide - 12, 132))
        heat(page, place, weights, norms)
        with page.step(i):
            cloud(page, place, rows, colour="ink", size=4)
            page.text(x + wide / 2, y, f"$d_k$ = {d_k}, {name}", at="top", weight="bold", colour=colour)
            page.text(x + wide / 2, y + 164, f"mean ‖J‖ = {mean:.2f}", at="top", colour="blame", weight="bold")
            share = percent((np.max(rows, axis=-1) > DECIDED).mean())
            page.text(x + wide / 2, y + 186, f"{share} all but decided", at="top", size=13)
        told.append(f"d_k = {d_k}, {name.replace('$', '')}: {mean:.2f}, {share} all but decided")
    page.key(
        f"a dot is one query with three keys of its own; all but decided: more than {percent(DECIDED)} for one key"
    )
    return f"Triangles coloured by the norm of the Jacobian, with a dot for each query. Mean norm: {'; '.join(told)}."


@picture(height={"book": 300, "phone": 664, "slide": 310})
def norms_by_size(page: Page, by_width, by_keys) -> str:
    """The mean norm of J for each scale, against d_k on the left and against the number of keys on the right."""
    high = page.height - 90 if not page.narrow else 214
    boxes = [(34, 50, 230, high), (34, 382, 230, high)] if page.narrow else [(34, 50, 270, high), (400, 50, 240, high)]
    titles = "Wider: up, then down", "More keys: it turns round"
    told = []
    for i, (results, box) in enumerate(zip((by_width, by_keys), boxes, strict=True)):
        along, label = (("d_k", "$d_k$, with 64 keys"), ("n", "keys, with $d_k$ = 64"))[i]
        with page.step(i):
            page.text(box[0] - 4, box[1] - 50, titles[i], at="top left", weight="bold", size=15)
            ax = chart(page, *box, xlabel=label, ylabel="mean ‖J‖", ylim=(0, 0.55), yticks=(0, 0.25, 0.5))
            for scale, line in by(results, "scale").items():
                x, y = np.log2([getattr(r, along) for r in line]), [r.jacobian.mean for r in line]
                name, colour = SCALES[scale]
                curve(page, ax, x, y, colour=colour, name=f"  {name}")
                ax.plot(x, y, MARKERS[scale], color=page.colour(colour), markersize=4.5)
                told.append(f"{name.replace('$', '')} from {y[0]:.2f} at {along} = {2 ** x[0]:g} to {y[-1]:.2f}")
            ticks = [tick for tick in (1, 8, 64, 512, 4096) if x[0] <= np.log2(tick) <= x[-1]]
            ax.set(xticks=np.log2(ticks), xlim=(x[0] - 0.3, x[-1] + 0.3))
            ax.set_xticklabels([f"{tick:g}" for tick in ticks])
            curve(page, ax, [x[0], x[-1]], [BOUND, BOUND], colour="grey", dash=":", width=1.6)
            page.text(x[0], BOUND + 0.005, "never above ½", at="bottom left", size=13, colour="grey", ax=ax)
    return f"Two line charts of the mean norm of the Jacobian, each below its bound of one half: {'; '.join(told)}."


@picture(height={"book": 226, "phone": 330, "slide": 260})
def dead_and_strong(page: Page, rows) -> str:
    """The rows as shares: dead, in between, strong. `rows` has (d_k, scale, dead share, strong share) each."""
    told, left = [], 96 if page.narrow else 176
    long = page.width - left
    step = (page.height - 30) / len(rows)
    for i, (d_k, scale, dead, strong) in enumerate(rows):
        y, (name, colour) = 26 + i * step, SCALES[scale]
        words = f"{d_k}, {name}" if page.narrow else f"$d_k$ = {d_k}, {name}"
        with page.step(i // 2):  # both scales of one width at once
            page.text(left - 8, y + 13, words, at="right", colour=colour, size=14 if not page.narrow else 13)
            x = left
            for share, fill, tint in ((dead, "ink", 0.75), (1 - dead - strong, colour, 0.28), (strong, colour, 1)):
                if share > 0:
                    shown = percent(share) if page.measure(percent(share), 13)[0] < long * share - 1 else ""
                    page.box(x, y, long * share, 26, shown, fill=fill, tint=tint, edge="paper", corner=0, size=13)
                x += long * share
        told.append(f"d_k = {d_k}, {name.replace('$', '')}: {percent(dead)} dead, {percent(strong)} strong")
    for at, words in ((0, "dead: ‖J‖ < 0.01"), (0.5, "in between"), (1, "strong: ‖J‖ > 0.3")):
        page.text(left + at * long, 14, words, at=("left", "centre", "right")[round(2 * at)], colour="grey", size=13)
    page.caption("shares of 2,400 rows over 64 keys; the same queries and keys for both scales")
    return f"Bars of shares of rows. {'; '.join(told)}."


@picture(height={"book": 220, "phone": 230, "slide": 270})
def twin_keys(page: Page, rows) -> str:
    """The mean norm of J against d_k: `rows` has (d_k, with different keys, with a twin for each) each."""
    widths, different, twins = zip(*rows, strict=True)
    x = np.log2(widths)
    ax = chart(
        page, 40, 24, page.width - (140 if page.narrow else 240), page.height - 70, xlabel="$d_k$, no scale",
        ylabel="mean ‖J‖", xlim=(x[0] - 0.3, x[-1] + 0.3), ylim=(0, 0.55), yticks=(0, 0.25, 0.5),
    )  # fmt: skip
    ax.set_xticks(x, [f"{width:g}" for width in widths])
    curve(page, ax, x[[0, -1]], [BOUND, BOUND], colour="grey", dash=":", width=1.6)
    lines = ((different, "without", "score", "s"), (twins, "with twins", "blame", "o"))
    for i, (y, name, colour, mark) in enumerate(lines):
        with page.step(i):
            curve(page, ax, x, y, colour=colour, name=f"  {name}")
            ax.plot(x, y, mark, color=page.colour(colour), markersize=5)
    told = (f"from {line[0]:.2f} at {widths[0]} to {line[-1]:.2f} at {widths[-1]}" for line in (different, twins))
    return "The mean norm of the Jacobian against d_k goes {} for different keys, and {} if each has a twin.".format(
        *told
    )


@picture(height={"book": 300, "phone": 640, "slide": 300})
def two_exits(page: Page, lead, with_log, without) -> str:
    """The blame on the score that should win, with a log behind softmax and without, against how far it leads."""
    chains = (
        ("at the exit", ("scores", "softmax", "−ln", "loss"), with_log),
        ("inside attention", ("scores", "softmax", "mix", "… loss"), without),
    )
    for i, (block, (title, chain, blame)) in enumerate(zip(page.panels(2, high=290, gap=40), chains, strict=True)):
        x, y, wide, _ = block
        with page.step(i):
            page.text(x, y, title, at="top left", weight="bold", size=16)
            for j, word in enumerate(chain):
                lit = word == "−ln"
                box = page.box(
                    x + j * wide / 4 + 1, y + 28, wide / 4 - 20, 32, word, size=13, fill="lit", tint=0.25 * lit,
                    edge="lit edge" if lit else "score",
                )  # fmt: skip
                if j:
                    page.arrow((box.x - 20, box.left[1]), box.left)
            ax = chart(
                page, x + 30, y + 104, wide - 40, 136, ylabel="size of the blame on the score that should win",
                xlabel="its lead over the other key", xlim=(lead[0], lead[-1]), ylim=(0, 1.25),
                xticks=(-8, -4, 0, 4, 8), yticks=(0, 0.5, 1),
            )  # fmt: skip
            curve(page, ax, lead, blame, colour="blame", width=3)
            words = f"sure and wrong: {blame[0]:.2f}"
            page.text(lead[0] + 0.4, max(blame) + 0.06, words, at="bottom left", weight="bold", colour="blame", ax=ax)
            page.text(lead[-1], 0.06, "sure and right: 0", at="bottom right", colour="grey", size=13, ax=ax)
    page.key("two keys; inside attention, say the loss is 1 minus the right key's weight: then it's $p(1 - p)$")
    return (
        "Two charts of the size of the blame on the score that should win, against its lead. With a logarithm behind "
        f"softmax it falls from {with_log[0]:.2f}, where the model is sure and wrong, to 0. Without one it's "
        f"{without[0]:.2f} there, {max(without):.2f} in the middle and 0 at the other end."
    )
