"""A page of the site as a reader has it: at the sizes of a desktop and a phone, light and dark.

python -m tests.site.reading --pictures folder [page …]    a picture of each page in each look, what it weighs, how
                                                           many screens it fills, and what is wrong
"""

import argparse
from pathlib import Path

from tests.site.serving import Serving
from tools.chrome import open_browser

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
LOOKS = [(size, colours) for size in SIZES for colours in ("light", "dark")]
PROBLEMS = (HERE / "problems.js").read_text(encoding="utf-8")
SETTLE = """async () => {
  await window.MathJax?.startup?.promise;
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    await new Promise(requestAnimationFrame);
  }
  scrollTo(0, 0);
}"""
LOAD = """async () => {  // what's drawn for the other room isn't loaded
  const images = [...document.images].filter(image => getComputedStyle(image.closest("a") ?? image).display !== "none");
  images.forEach(image => { image.loading = "eager"; });  // one that was scrolled past too fast would never come
  const late = new Promise(done => setTimeout(done, 30_000));
  await Promise.race([late, Promise.all(images.map(image => image.decode().catch(() => {})))]);
}"""


def pages(site: Path) -> list[str]:
    """The pages of the site, without the decks and JupyterLite, which have tests of their own."""
    found = (path.relative_to(site) for path in site.rglob("*.html"))
    return sorted(path.as_posix() for path in found if path.parts[0] not in ("lite", "slides", "_static"))


class Reader:
    """One page in a browser that has never seen the site; what goes wrong is noted."""

    def __init__(self, browser, address: str):
        self.address = address
        width, height = SIZES["desktop"]
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="light", service_workers="block"
        )
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.weight = 0  # bytes that were sent
        self.asked: list[str] = []
        self.page.route("**/*", self.let_through)
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.note(f"console: {m.text}"))
        self.page.on("pageerror", lambda error: self.note(f"page error: {error}"))
        self.page.on("response", self.received)

    def note(self, complaint: str) -> None:
        """Keep a complaint for the end."""
        self.complaints.append(complaint)

    def let_through(self, route) -> None:
        """Anything that is not on the site is a request that leaves the machine."""
        url = route.request.url
        if url.startswith((f"{self.address}/", "data:", "blob:")):
            route.continue_()
        else:
            self.note(f"asked for {url}")
            route.abort()

    def received(self, response) -> None:
        """Count what was sent, note what is missing."""
        self.asked.append(response.url.removeprefix(self.address))
        self.weight += int(response.headers.get("content-length", 0))
        if response.status >= 400:
            self.note(f"{response.status} for {response.url}")

    def open(self, page: str) -> None:
        """Go there, and read it from top to bottom, so that everything that waits to be seen is there."""
        self.page.goto(f"{self.address}/{page}")
        self.page.wait_for_load_state("load")
        self.page.evaluate(SETTLE)
        self.page.evaluate(LOAD)

    def look(self, size: str, colours: str) -> list[str]:
        """What is wrong with the page at this size, in these colours."""
        width, height = SIZES[size]
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=colours)
        self.page.wait_for_selector(f"html[data-theme={colours}], html:not([data-theme])", state="attached")
        self.page.wait_for_timeout(500)  # the sidebar slides into its place, formulas are measured anew
        self.page.evaluate(LOAD)
        return [f"{size}, {colours}: {problem}" for problem in self.page.evaluate(PROBLEMS, colours)]

    def screens(self) -> float:
        """How many desktop screens high the page is, with everything folded that can be."""
        width, height = SIZES["desktop"]
        self.page.set_viewport_size({"width": width, "height": height})
        return self.page.evaluate("document.documentElement.scrollHeight") / height

    def close(self) -> None:
        """Leave."""
        self.context.close()


def main() -> None:
    """Take pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*")
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--pictures", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.pictures.mkdir(parents=True, exist_ok=True)
    with Serving(arguments.site) as address, open_browser() as browser:
        for page in arguments.pages or pages(arguments.site):
            reader = Reader(browser, address)
            reader.open(page)
            weight, screens = reader.weight, reader.screens()
            for size, colours in LOOKS:
                for problem in reader.look(size, colours):
                    print(f"  {problem}")
                name = f"{page.replace('/', '_').removesuffix('.html')}.{size}.{colours}.png"
                reader.page.screenshot(path=arguments.pictures / name, full_page=True)
            print(f"{page}: {weight / 1e6:.2f} MB, {screens:.1f} desktop screens", *reader.complaints, flush=True)
            reader.close()


if __name__ == "__main__":
    main()
