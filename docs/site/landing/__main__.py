"""Draw the picture that's shown when the page is shared: python -m docs.site.landing writes static/preview.png."""

from docs.site.landing import HERE, landing_page
from tools.chrome import open_browser

BARE = """header, .buttons, .facts, .live button, .live figcaption { display: none !important }
.hero { padding-top: 36px; min-height: 640px } .panels { --tall: 210px }
.lede { font-size: 1.4rem } h1 { font-size: 3.6rem }"""

if __name__ == "__main__":
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 630}, reduced_motion="reduce", color_scheme="light")
        page.set_content(landing_page(runnable=False))
        page.add_style_tag(content=BARE)
        page.fill("#slider", "54")
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=HERE.parent / "static" / "preview.png")
