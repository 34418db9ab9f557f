"""Show every slide of a static deck in a browser and list what's wrong with it.

python -m tests.browser.decks 03 --pictures folder     a deck of build/slides/, with a picture of each slide
"""

import argparse
from pathlib import Path

from tools.chrome import open_browser

ROOT = Path(__file__).parents[2]
SIZES = ((1280, 720), (1920, 1080))
PROBLEMS = (Path(__file__).parent / "problems.js").read_text(encoding="utf-8")


class Deck:
    """One deck at one size, cut off from the network."""

    def __init__(self, browser, path: Path, size: tuple[int, int]):
        width, height = size
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.complaints: list[str] = []
        self.page.route("**/*", self.let_through)
        self.page.on("console", lambda m: m.type == "error" and self.complaints.append(f"console: {m.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", state="attached", timeout=120_000)

    def resize(self, size: tuple[int, int]) -> None:
        """Show the same deck in a window of another size."""
        width, height = size
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_timeout(200)

    def let_through(self, route) -> None:
        """Allow the file itself and note any other request as a complaint."""
        if route.request.url.startswith(("file:", "data:", "blob:")):
            route.continue_()
        else:
            self.complaints.append(f"asked for {route.request.url}")
            route.abort()

    def slides(self) -> list[tuple[int, int]]:
        """`(h, v)` of every slide, in order."""
        return [
            tuple(place)
            for place in self.page.evaluate(
                "() => Reveal.getSlides().map(s => { const i = Reveal.getIndices(s); return [i.h, i.v || 0]; })"
            )
        ]

    def show(self, place: tuple[int, int]) -> None:
        """Go to a slide and reveal all its fragments."""
        self.page.evaluate("([h, v]) => { Reveal.slide(h, v); while (Reveal.nextFragment()); }", list(place))
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def walk(self, pictures: Path | None = None) -> list[str]:
        """Everything that's wrong, slide by slide; an empty list if nothing is."""
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
        """Close the deck."""
        self.page.close()


def main() -> None:
    """Walk decks from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("numbers", nargs="+")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--size", type=int, choices=[height for _, height in SIZES], default=720)
    arguments = parser.parse_args()
    size = next(size for size in SIZES if size[1] == arguments.size)
    with open_browser() as browser:
        for number in arguments.numbers:
            path = next((ROOT / "build" / "slides").glob(f"{number}*.html"))
            deck = Deck(browser, path, size)
            problems = deck.walk(arguments.pictures and arguments.pictures / number)
            print(f"{path.stem}: {len(deck.slides())} slides at {size[0]} × {size[1]}")
            print("\n".join(f"  {problem}" for problem in problems))
            deck.close()


if __name__ == "__main__":
    main()
