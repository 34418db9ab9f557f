"""Weights over three keys as points in a triangle, with and without the scale. Notebook 03."""

from .collapsing import STOPS, stops_and_ways
from .kit import Block, Page, picture
from .kit.matrices import percent
from .kit.numberlines import NumberLine, number_line
from .kit.palette import SCALES
from .kit.triangles import cloud, triangle

DECIDED = 0.9


@picture(height={"book": 320, "phone": 620})
def weights_triangle(page: Page, result) -> str:
    """Many queries' weights over three keys at one width: scores as they are, and divided by √d_k. For a loop.

    Parameters
    ----------
    result : experiments.saturation.ThreeKeys
    """
    track = NumberLine(112, 16, page.width - 124, 1, 512, log=True)
    number_line(page, track, (1, 8, 64, 512), arrow=False)
    page.dot(track.at(result.d_k), track.y, colour="lit edge", size=13)
    page.text(0, track.y, f"$d_k$ = {int(result.d_k)}", at="left", weight="bold", size=18)
    told = []
    panels = page.panels(2, high=240 if page.narrow else 264, gap=40, top=52)
    for i, (block, weights, (name, colour)) in enumerate(zip(panels, result.weights, SCALES.values(), strict=False)):
        place = triangle(
            page, Block(block.x + 30, block.y + 24, block.wide - 60, block.high - 50), ("key 1", "key 2", "key 3")
        )
        share = percent((weights.max(axis=-1) > DECIDED).mean())
        page.text(block.x, block.y + 4, name, at="top left", colour=colour, weight="bold", size=17)
        with page.step(i):
            cloud(page, place, weights, colour=colour)
            page.text(block.x, block.y + 42, share, at="top left", colour=colour, weight="bold", size=24)
            page.text(block.x, block.y + 72, "all but\ndecided", at="top left", colour=colour, size=14)
        told.append(f"{name.replace('$', '')}: {share}")
    page.key(f"a dot is one query, in a corner if one key has all its weight; all but decided: more than "
             f"{percent(DECIDED)} for one key")  # fmt: skip
    return (
        f"Two triangles with a key at each corner and one dot for each of {len(result.raw)} queries, placed by its "
        f"three weights, at d_k = {int(result.d_k)}. Share of queries that give one key more than {percent(DECIDED)}: "
        f"{'; '.join(told)}."
    )


def triangle_loop(result_at) -> None:
    """Show the loop in a notebook. `result_at(d_k)` gives what one frame shows, as `experiments.three_keys` does."""
    widths, milliseconds = stops_and_ways(frames=6, hurry=170)
    stops = [result_at(d_k).weights for d_k in STOPS]
    raw, divided = (
        ", ".join(percent((side.max(axis=-1) > DECIDED).mean()) for side in sides) for sides in zip(*stops, strict=True)
    )
    alt = (
        f"A loop: two triangles with a key at each corner and a dot for each of {len(stops[0][0])} queries, placed by "
        f"its three weights, while d_k grows. At d_k = {', '.join(map(str, STOPS))} the share of queries that give one "
        f"key more than {percent(DECIDED)} is {raw} without the scale, and {divided} divided by the root of d_k. It "
        f"begins and ends at {STOPS[-1]}."
    )
    weights_triangle.loop([(result_at(d_k),) for d_k in widths], milliseconds, alt)
