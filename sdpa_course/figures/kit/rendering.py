"""From a page to a file: PNG for notebooks, SVG for the site and for slides, an animated PNG for a loop."""

import io
import re
from base64 import b64encode

import numpy as np
from PIL import Image

from .page import Page
from .papers import on_paper


@on_paper
def pixels(page: Page) -> Image.Image:
    """The picture at twice its size on the page, for sharp screens."""
    page.figure.set_dpi(200)
    page.figure.canvas.draw()
    image = Image.fromarray(np.asarray(page.figure.canvas.buffer_rgba())[..., :3].copy())
    page.figure.set_dpi(100)
    return image


def png(page: Page) -> bytes:
    """The picture as a PNG of up to 256 colours, which is all that a drawing needs."""
    buffer = io.BytesIO()
    few_colours(pixels(page), 256).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def few_colours(image: Image.Image, count: int) -> Image.Image:
    """The image with `count` colours. Paper and fills, the common ones, stay exactly what they are."""
    pixel = np.asarray(image, dtype=np.int32) @ [65536, 256, 1]
    found, at, often = np.unique(pixel, return_inverse=True, return_counts=True)
    common = found[np.argsort(-often, kind="stable")[: count // 2]]
    edges = image.quantize(count - len(common), Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).getpalette()
    palette = np.concatenate([split(common), np.reshape(edges, (-1, 3))])
    nearest = (np.sum(palette**2, axis=1) - 2 * split(found) @ palette.T).argmin(axis=1)
    image = Image.fromarray(nearest.astype(np.uint8)[at].reshape(pixel.shape))
    image.putpalette(palette.astype(np.uint8).tobytes())
    return image


def split(colours: np.ndarray) -> np.ndarray:
    """(n,) numbers 0xRRGGBB -> (n, 3)."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def loop_png(pages: list[Page], milliseconds: list[int], plays: int = 3) -> bytes:
    """Pictures that follow one another as an animated PNG. It plays in every browser and then rests on its last frame.

    All frames share one palette, taken from all of them, so that nothing flickers.
    """
    frames = [pixels(page) for page in pages]
    wide, high = frames[0].size
    wall = Image.new("RGB", (wide, high * len(frames)))
    for i, frame in enumerate(frames):
        wall.paste(frame, (0, i * high))
    wall = few_colours(wall, 128)
    frames = [wall.crop((0, i * high, wide, (i + 1) * high)) for i in range(len(frames))]
    buffer = io.BytesIO()
    frames[0].save(
        buffer, "png", save_all=True, append_images=frames[1:], duration=milliseconds, loop=plays, optimize=True
    )
    return buffer.getvalue()


def loop_svg(moving: bytes, still: bytes, size: tuple[int, int]) -> str:
    """A loop for a slide, as SVG text. It holds still if the system asks for reduced motion."""
    wide, high = (0.72 * pixels for pixels in size)  # in points, as in the other SVGs
    kinds = {"moving": (moving, "reduce"), "still": (still, "no-preference")}
    images, rules = "", ""
    for name, (data, hidden) in kinds.items():
        source = f"data:image/png;base64,{b64encode(data).decode('ascii')}"
        images += f'<image class="{name}" width="{wide:g}" height="{high:g}" href="{source}"/>'
        rules += f"@media (prefers-reduced-motion: {hidden}) {{ image.{name} {{ display: none }} }} "
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}"><style>{rules}</style>{images}</svg>'
    )


@on_paper
def svg(page: Page) -> str:
    """The picture as SVG text without a background; steps become groups of the class "fragment"."""
    buffer = io.StringIO()
    page.figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<g id="step-(\d+)"', r'<g class="fragment" data-fragment-index="\1"', text)
    return re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', "", text, count=1)
