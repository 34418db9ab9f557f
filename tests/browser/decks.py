"""A static deck in a browser: every slide shown, one after the other, and what is wrong with it.

python tests/browser/decks.py 03 --pictures folder     walk a built deck of build/slides/, a picture of each slide
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from browsers import MISSING, find_browser
from lab import QUIET, ROOT

SIZES = ((1280, 720), (1920, 1080))
PROBLEMS = """() => {
    const page = Reveal.getCurrentSlide().querySelector('.page'), found = [];
    const box = page.getBoundingClientRect(), scale = box.width / 1280;
    if (Math.abs(box.left) > 1 && Math.abs(box.right - innerWidth) > 1) found.push('the slide is not in the window');
    if (box.bottom > innerHeight + 1 || box.right > innerWidth + 1) found.push('the slide is larger than the window');
    const visible = [...page.querySelectorAll('*')].filter(e => e.getClientRects().length && !e.closest('svg > *'));
    for (const element of visible) {
        const r = element.getBoundingClientRect(), name = element.tagName + ' ' + element.textContent.trim().slice(0, 40);
        if (r.bottom > box.bottom - 8 * scale || r.right > box.right - 8 * scale || r.left < box.left || r.top < box.top)
            found.push('cut off: ' + name);
        if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth && getComputedStyle(element).display != 'inline')
            found.push('wider than its place: ' + name);
        const own = [...element.childNodes].some(n => n.nodeType == 3 && n.data.trim());
        const size = parseFloat(getComputedStyle(element).fontSize);
        if (own && size < (element.closest('pre, code') ? 14.5 : 18)) found.push(`text of ${size.toFixed(1)} px: ` + name);
    }
    for (const image of page.querySelectorAll('img')) {
        if (!image.complete || !image.naturalWidth) found.push('a picture is missing');
        else if (image.getBoundingClientRect().height < 260 * scale) found.push('a picture is small');
        if (!image.alt) found.push('a picture has no words');
    }
    const boxes = visible.filter(e => e.matches('p, pre, h1, h2, h3, img, ul, ol, table, mjx-container[display=true], label'))
        .filter(e => !e.parentElement.closest('li, table'));
    for (const a of boxes) for (const b of boxes) if (a != b && !a.contains(b) && !b.contains(a)) {
        const r = a.getBoundingClientRect(), s = b.getBoundingClientRect();
        if (Math.min(r.right, s.right) - Math.max(r.left, s.left) > 2 && Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top) > 2
            && r.top <= s.top) found.push('one on the other: ' + a.tagName + ' and ' + b.tagName + ' ' + b.textContent.slice(0, 30));
    }
    const slide = Reveal.getCurrentSlide(), texts = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const parent = texts.currentNode.parentElement;
        if (parent.closest('pre, code, script, style')) continue;
        if (/\\$|\\\\[a-zA-Z]{2,}|\\\\[({[]/.test(texts.currentNode.data)) found.push('mathematics as text: ' + texts.currentNode.data.trim().slice(0, 60));
    }
    if (slide.querySelector('mjx-merror, [data-mjx-error]')) found.push('mathematics with an error');
    if (!page.innerText.trim() && !page.querySelector('img')) found.push('an empty slide');
    return found;
}"""


class Deck:
    """One deck at one size, with nothing reachable but the file itself."""

    def __init__(self, browser, path: Path, size: tuple[int, int]):
        width, height = size
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.complaints: list[str] = []
        self.page.route("**/*", self.let_through)
        self.page.on("console", lambda m: m.type == "error" and self.complaints.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)

    def let_through(self, route) -> None:
        """The file and what is inside it; anything else is a request that leaves the machine."""
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.complaints.append(f"asked for {route.request.url}")
            route.abort()

    def slides(self) -> list[tuple[int, int]]:
        """`(h, v)` of every slide, in the order in which they are shown."""
        return [
            tuple(place)
            for place in self.page.evaluate(
                "() => Reveal.getSlides().map(s => { const i = Reveal.getIndices(s); return [i.h, i.v || 0]; })"
            )
        ]

    def show(self, place: tuple[int, int]) -> None:
        """Go to a slide, with all that is uncovered on it step by step."""
        self.page.evaluate("([h, v]) => { Reveal.slide(h, v); while (Reveal.nextFragment()); }", list(place))
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def walk(self, pictures: Path | None = None) -> list[str]:
        """What is wrong, slide by slide; nothing, if all is well."""
        found = []
        for number, place in enumerate(self.slides(), 1):
            self.show(place)
            problems = self.page.evaluate(PROBLEMS)
            found += [f"slide {number}: {problem}" for problem in dict.fromkeys(problems)]
            if pictures is not None:
                pictures.mkdir(parents=True, exist_ok=True)
                self.page.screenshot(path=pictures / f"{number:02d}.png")
        return found + self.complaints

    def close(self) -> None:
        """Leave."""
        self.page.close()


def main() -> None:
    """Walk decks from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="+")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--size", type=int, choices=[height for _, height in SIZES], default=720)
    arguments = parser.parse_args()
    if find_browser() is None:
        sys.exit(MISSING)
    from playwright.sync_api import sync_playwright

    size = next(size for size in SIZES if size[1] == arguments.size)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(QUIET))
        for number in arguments.numbers:
            path = next((ROOT / "build" / "slides").glob(f"{number}_*.html"))
            deck = Deck(browser, path, size)
            problems = deck.walk(arguments.pictures and arguments.pictures / number)
            print(f"{path.stem}: {len(deck.slides())} slides at {size[0]} × {size[1]}")
            print("\n".join(f"  {problem}" for problem in problems))
            deck.close()


if __name__ == "__main__":
    main()
