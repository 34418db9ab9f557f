"""No figure leans on colour alone, every text can be read, every picture is opaque; sliders at their defaults too."""

import itertools

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.container import ErrorbarContainer
from matplotlib.quiver import Quiver
from matplotlib.text import Text

from sdpa_course.figures import new
from sdpa_course.figures.drawing import styled
from tests import sliders
from tests.pictures.picture import draw, name_of
from tests.pictures.samples import SAMPLES

# Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB; the last one sees only how light a colour is.
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
EYES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    "greyscale": [LUMINANCE] * 3,
}
# 2.3 is just noticeable, side by side; thin lines that lie apart need much more. The palette has a gap here: in grey,
# vermilion and orange (16) look alike from afar, blue and sky blue (24) do not.
APART = 20.0
SMALLEST = 9.0  # points
CAPS = ("|", "_")
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour) -> np.ndarray:
    rgb = np.array(to_rgb(colour))
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear RGB, for the white of sRGB."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / TO_XYZ.sum(axis=1)
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_difference(a, b) -> tuple[float, str]:
    """ΔE of two colours for the eye that tells them apart worst."""
    seen = {eye: np.linalg.norm(lab(np.array(m) @ linear(a)) - lab(np.array(m) @ linear(b))) for eye, m in EYES.items()}
    eye = min(seen, key=seen.get)
    return float(seen[eye]), eye


def contrast(a, b) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    low, high = sorted(float(LUMINANCE @ linear(colour)) for colour in (a, b))
    return (high + 0.05) / (low + 0.05)


def over(colour, ground) -> tuple:
    """A colour with its transparency laid over an opaque ground."""
    *rgb, alpha = to_rgba(colour)
    return tuple(alpha * np.array(rgb) + (1 - alpha) * np.array(to_rgb(ground)))


def looks(ax) -> list[tuple[str, tuple, tuple]]:
    """What a reader must tell apart in one axes: (what it is, its colour, everything else that marks it)."""
    found = [line_look(ax, line) for line in ax.lines if is_drawn(line)]
    for patch in ax.patches:
        if patch.get_visible():
            colour = patch.get_facecolor() if patch.get_fill() else patch.get_edgecolor()
            form = ("patch", patch.get_fill(), patch.get_hatch() or "", patch.get_linestyle(), inside(ax, patch))
            found.append((described(patch), over(colour, "white"), form))
    bars = [bar for container in ax.containers if isinstance(container, ErrorbarContainer) for bar in container[2]]
    for collection in ax.collections:
        if isinstance(collection, PathCollection) or collection in bars:
            continue  # numbers as outlines; error bars have the colour of their line
        colours = collection.get_edgecolor() if isinstance(collection, LineCollection) else collection.get_facecolor()
        form = (type(collection).__name__, str(collection.get_linestyle()), beside(ax, collection))
        found += [(described(collection), over(colour, "white"), form) for colour in colours]
    return found


def is_drawn(line) -> bool:
    """Not the caps of error bars, nor what stands in a legend only."""
    seen = line.get_linestyle() != "None" or line.get_marker() not in ("None", None, "")
    return bool(seen and len(line.get_xdata()) and line.get_marker() not in CAPS)


def line_look(ax, line) -> tuple[str, tuple, tuple]:
    has_line, marker = line.get_linestyle() != "None", line.get_marker()
    empty = to_rgba(line.get_markerfacecolor()) != to_rgba(line.get_markeredgecolor())
    colour = line.get_color() if has_line else line.get_markeredgecolor() if empty else line.get_markerfacecolor()
    form = ("line", line.get_linestyle(), str(marker), marker != "None" and empty)
    if line.get_transform() != ax.transData:
        form += ("across the axes", line.get_transform() == ax.get_xaxis_transform())
    form += tuple(text.get_text() for text in ax.texts if lies_on(getattr(text, "xy", None), line))
    if not has_line and len(line.get_xdata()) == 1:  # a mark on a curve is told apart by its curve
        point = line.get_xydata()[0]
        form += tuple(
            line_look(ax, curve)[2]
            for curve in ax.lines
            if len(curve.get_xdata()) > 2 and to_rgba(curve.get_color()) == to_rgba(colour) and lies_on(point, curve)
        )
    return described(line), over(to_rgba(colour, line.get_alpha()), "white"), form


def lies_on(point, line) -> bool:
    """Is the point one of those that the line connects?"""
    return point is not None and bool(np.isclose(line.get_xydata(), np.asarray(point, dtype=float)).all(axis=1).any())


def inside(ax, patch) -> tuple[str, ...]:
    """The words that stand on a box."""
    box = patch.get_window_extent()
    return tuple(t.get_text() for t in ax.texts if box.contains(*t.get_transform().transform(t.get_position())))


def beside(ax, collection) -> str:
    """The words at the tip of an arrow; the name on the y axis, if the lines all lie at one height that has a name."""
    if isinstance(collection, Quiver):
        tip = collection.X[0] + collection.U[0], collection.Y[0] + collection.V[0]
        return " ".join(text.get_text() for text in ax.texts if np.allclose(getattr(text, "xy", np.inf), tip))
    heights = {y for x, y in np.concatenate(collection.get_segments())} if hasattr(collection, "get_segments") else ()
    names = zip(ax.get_yticks(), ax.get_yticklabels(), strict=False)  # ticks without a label have no name
    return next((name.get_text() for y, name in names if heights == {y}), "")


def described(artist) -> str:
    label = str(artist.get_label())
    return label if label and not label.startswith("_") else type(artist).__name__


@styled  # "C0" is looked up when it is used
def by_colour_alone(figure) -> list[str]:
    """Pairs that some reader cannot tell apart: close colours, and nothing else that differs."""
    wrong = set()
    for ax in figure.axes:
        for (a, colour, form), (b, other, other_form) in itertools.combinations(looks(ax), 2):
            if form == other_form and colour != other:
                difference, eye = least_difference(colour, other)
                if difference < APART:
                    wrong.add(f"{a} and {b}: ΔE {difference:.0f} with {eye}")
    return sorted(wrong)


def texts(figure) -> list[Text]:
    """Every text that is seen."""
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    hidden = {
        id(text) for ax in figure.axes if not ax.axison for text in ax.xaxis.findobj(Text) + ax.yaxis.findobj(Text)
    }
    return [text for text in found if id(text) not in hidden and on_the_page(text, figure)]


def on_the_page(text, figure) -> bool:
    box = text.get_window_extent()
    return box.x1 > 0 and box.y1 > 0 and box.x0 < figure.bbox.x1 and box.y0 < figure.bbox.y1


def pixels(figure) -> np.ndarray:
    return np.asarray(figure.canvas.buffer_rgba())


@styled
def unreadable(figure) -> list[str]:
    """Texts with too little contrast to what is behind them, or too small."""
    figure.canvas.draw()
    figure.set_layout_engine("none")  # nothing moves when the texts are taken away
    found, drawn = texts(figure), []
    for text in found:
        drawn.append((text, to_rgba(text.get_color(), text.get_alpha()), text.get_window_extent().frozen()))
    numbers = [c for ax in figure.axes for c in ax.collections if isinstance(c, PathCollection)]
    cells = []
    for outlines in numbers:
        places = outlines.get_offset_transform().transform(outlines.get_offsets())
        cells += zip(outlines.get_label().split(), outlines.get_facecolor(), places, strict=True)
    for artist in found + numbers:
        artist.set_visible(False)
    figure.canvas.draw()
    ground = pixels(figure)[::-1, :, :3] / 255  # without the texts, from the bottom up
    for artist in found + numbers:
        artist.set_visible(True)
    wrong = []
    for text, ink, box in drawn:
        if text.get_fontsize() < SMALLEST:
            wrong.append(f"{text.get_text()!r}: {text.get_fontsize():g} points")
        large = text.get_fontsize() >= 18 or (text.get_fontsize() >= 14 and text.get_fontweight() in ("bold", 700))
        x0, x1, y0, y1 = (max(0, round(v)) for v in (box.x0, box.x1, box.y0, box.y1))
        behind = np.median(ground[y0:y1, x0:x1].reshape(-1, 3), axis=0)  # a line that crosses a word does not hide it
        ratio = contrast(over(ink, behind), behind)
        if ratio < (3 if large else 4.5):
            wrong.append(f"{text.get_text()!r}: contrast {ratio:.1f}")
    for label, ink, (x, y) in cells:
        behind = ground[round(y), round(x)]
        if contrast(over(ink, behind), behind) < 4.5:
            wrong.append(f"{label!r}: contrast {contrast(over(ink, behind), behind):.1f}")
    return sorted(set(wrong))


@pytest.fixture(params=SAMPLES, ids=name_of)
def figure(request):
    return draw(request.param)


@pytest.fixture(params=sliders.NAMES)
def slider(request):
    """The figure on a slider's canvas, drawn at the default values."""
    explorer = sliders.explorer(request.param)
    explorer.view()
    return explorer.canvas.figure


def test_colour_is_never_alone(figure):
    assert by_colour_alone(figure) == []


def test_text_can_be_read(figure):
    assert unreadable(figure) == []


def test_the_ground_is_opaque(figure):
    figure.canvas.draw()
    assert (pixels(figure)[..., 3] == 255).all()


def test_a_slider_does_not_lean_on_colour(slider):
    assert by_colour_alone(slider) == []


def test_a_slider_can_be_read(slider):
    assert unreadable(slider) == []
    assert (pixels(slider)[..., 3] == 255).all()


# The rules themselves: each of them can be broken, and is then seen.


def test_known_colours():
    assert contrast("black", "white") == pytest.approx(21)
    assert contrast("#767676", "white") == pytest.approx(4.54, abs=0.01)  # WCAG's own example of the least grey
    np.testing.assert_allclose(lab(linear("white")), [100, 0, 0], atol=0.02)
    np.testing.assert_allclose(lab(linear("red")), [53.24, 80.09, 67.20], atol=0.05)
    for matrix in EYES.values():  # greys stay what they are
        np.testing.assert_allclose(np.array(matrix) @ np.ones(3), 1, atol=1e-5)
    assert least_difference("#D55E00", "#009E73")[0] < APART < least_difference("#000000", "#E69F00")[0]


def test_two_lines_that_differ_in_colour_alone_are_seen():
    figure, ax = new()
    ax.plot([0, 1], color="C0", label="a")
    ax.plot([1, 0], color="C1", label="b")
    (found,) = by_colour_alone(figure)
    assert found.startswith("a and b: ΔE")
    ax.lines[1].set_linestyle("--")
    assert by_colour_alone(figure) == []


def test_bars_and_clouds_that_differ_in_colour_alone_are_seen():
    figure, axes = new(1, 2)
    axes[0].bar([0], [1], color="C0", label="a")
    axes[0].bar([1], [1], color="C1", label="b")
    axes[1].plot([0, 1], [0, 1], "o", mec="C0", mfc="none")
    axes[1].plot([0, 1], [1, 0], "o", mec="C1", mfc="none")
    assert len(by_colour_alone(figure)) == 2
    axes[0].patches[1].set_hatch("//")
    axes[1].lines[1].set_marker("s")
    assert by_colour_alone(figure) == []


def test_pale_and_small_texts_are_seen():
    figure, ax = new()
    ax.imshow([[0, 1]], cmap="Blues")
    ax.text(1, 0, "dark on dark")
    ax.text(0, 0, "small", fontsize=8)
    ax.set_title("pale", color="#999999")
    assert [wrong.split(":")[0] for wrong in unreadable(figure)] == ["'dark on dark'", "'pale'", "'small'"]
    ax.texts[0].set_color("white")
    ax.texts[1].set_fontsize(9)
    ax.set_title("pale", color="black")
    assert unreadable(figure) == []
