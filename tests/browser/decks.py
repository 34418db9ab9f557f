"""Show every slide of a static deck in a browser and list what's wrong with it.

python -m tests.browser.decks 03 --pictures folder     a deck of build/slides/, with a picture of each slide
"""

import argparse
from pathlib import Path

from lectures.slides import SLIDES
from tests.site.reading import Reader
from tools.chrome import open_browser

HEIGHTS = (720, 1080)
PROBLEMS = (Path(__file__).parent / "problems.js").read_text(encoding="utf-8")


class Deck(Reader):
    """One deck in a light or a dark room, cut off from the network."""

    def __init__(self, browser, path: Path, room: str = "light"):
        super().__init__(browser, path.parent.as_uri())
        self.page.emulate_media(color_scheme=room)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)

    def slides(self) -> int:
        """How many slides it has."""
        return self.page.evaluate("() => Reveal.getTotalSlides()")

    def show(self, number: int, *, clicks: int = 99) -> None:
        """Go to a slide and click so many times, but not on to the next slide."""
        self.page.evaluate(
            "([h, clicks]) => { Reveal.slide(h, 0, -1); while (clicks-- && Reveal.nextFragment()); }", [number, clicks]
        )
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def walk(self, height: int = HEIGHTS[0], pictures: Path | None = None) -> list[str]:
        """Everything that's wrong, slide by slide, before the first click and after the last."""
        self.page.set_viewport_size({"width": height * 16 // 9, "height": height})
        self.page.wait_for_timeout(200)
        found = []
        for number in range(self.slides()):
            for clicks in (0, 99):
                self.show(number, clicks=clicks)
                found += [f"slide {number + 1}: {problem}" for problem in self.page.evaluate(PROBLEMS)]
                if pictures is not None and (clicks or self.page.query_selector("section.present .fragment")):
                    pictures.mkdir(parents=True, exist_ok=True)
                    self.page.screenshot(path=pictures / f"{number + 1:02d}{'b' if clicks else 'a'}.png")
        return list(dict.fromkeys(found)) + self.complaints


def main() -> None:
    """Walk decks from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="+")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--size", type=int, choices=HEIGHTS, default=HEIGHTS[0])
    parser.add_argument("--room", choices=["light", "dark"], default="light")
    arguments = parser.parse_args()
    with open_browser() as browser:
        for number in arguments.numbers:
            path = next(SLIDES.glob(f"{number}*.html"))
            deck = Deck(browser, path, arguments.room)
            problems = deck.walk(arguments.size, arguments.pictures and arguments.pictures / number)
            print(f"{path.stem}: {deck.slides()} slides, {arguments.size} pixels high, {arguments.room}")
            print("\n".join(f"  {problem}" for problem in problems))
            deck.close()


if __name__ == "__main__":
    main()
