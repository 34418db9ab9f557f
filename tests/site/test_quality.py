"""For every reader: nothing that axe finds, a first look within two seconds on a slow line, and nothing that jumps."""

import subprocess
from pathlib import Path

import pytest

from tests.site.reading import SETTLE, SIZES, pages
from tests.site.serving import Serving

ROOT = Path(__file__).parents[2]
AXE = ROOT / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
RUN_AXE = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations
    .map(found => `${found.id}: ${found.nodes.map(node => node.target.join(" ")).slice(0, 3).join(" | ")}`)"""
SLOW = {"offline": False, "latency": 40, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 1e6 / 8}
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


@pytest.fixture(scope="session")
def axe():
    if not AXE.exists():
        command = ["npm", "install", "--silent", "--no-save", f"--prefix={ROOT / 'build' / 'axe'}", "axe-core@4.14.0"]
        subprocess.run(command, check=True, capture_output=True)
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(browser, site, address, axe, size, colours):
    width, height = SIZES[size]
    found = {}
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=colours, reduced_motion="reduce"
    )
    for name in pages(site):
        page = context.new_page()
        page.goto(f"{address}/{name}")
        page.evaluate(SETTLE)
        page.wait_for_timeout(200)  # what's too wide has been found
        page.evaluate(axe)
        found[name] = page.evaluate(RUN_AXE)
        page.close()
    context.close()
    assert {name: problems for name, problems in found.items() if problems} == {}


def test_axe_notices_a_picture_without_words(browser, axe):
    page = browser.new_page()
    page.set_content("<html lang=en><title>t</title><main><h1>t</h1><img src='data:,'></main>")
    page.evaluate(axe)
    assert any(problem.startswith("image-alt") for problem in page.evaluate(RUN_AXE))
    page.close()


@pytest.mark.parametrize("name", ["index.html", "contents.html", "notebooks/00_start_here.html", "claims.html"])
def test_a_slow_line(browser, address, name):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", SLOW)
    sent = {}
    network.on("Network.responseReceived", lambda event: sent.update({event["requestId"]: [event["type"], 0]}))
    network.on("Network.loadingFinished", lambda event: sent[event["requestId"]].append(event["encodedDataLength"]))
    page.goto(f"{address}/{name}", wait_until="load")
    assert page.wait_for_function(PAINT).json_value() < 2000  # the paint may be noted after the load
    page.wait_for_timeout(500)
    assert sum(kinds[-1] for kinds in sent.values() if kinds[0] not in ("Image", "Media")) < 1e6
    context.close()


@pytest.mark.parametrize("name", ["notebooks/02_variance.html", "gallery.html"])
def test_pictures_keep_their_place(browser, address, name):
    """Every picture takes its room before it's there: blocked, the page is as high as with it."""
    heights = []
    for blocked in (False, True):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        if blocked:
            page.route("**/_static/views/*.{webp,png}", lambda route: route.abort())
        page.goto(f"{address}/{name}")
        page.evaluate(SETTLE)
        page.wait_for_timeout(800)
        heights.append(page.evaluate("document.documentElement.scrollHeight"))
        page.close()
    assert abs(heights[0] - heights[1]) < 10


@pytest.mark.parametrize("words", ["flash attention", "QK-norm", "softcap", "softmax_jacobian"])
def test_search_knows_the_words_of_the_field(browser, address, words):
    page = browser.new_page()
    page.goto(f"{address}/search.html?q={words.replace(' ', '+')}")
    page.wait_for_selector("#search-results li a", timeout=10_000)
    page.close()


def test_a_slider_names_nothing_that_does_not_move(site):
    for path in (site / "notebooks").glob("*.html"):
        assert "can also move" not in path.read_text(encoding="utf-8")


def test_the_reader_is_told_how_far_python_is(browser, tmp_path):
    """The words under the lab, with a lab that only has the states which they name; test_lite.py has the real one."""
    script = (ROOT / "docs" / "site" / "lite" / "starting.js").read_text(encoding="utf-8")
    (tmp_path / "lab.html").write_text(f'<!doctype html><script type="module">{script}</script>', encoding="utf-8")
    page = browser.new_page()
    with Serving(tmp_path) as address:
        page.goto(f"{address}/lab.html?path=notebooks/a.ipynb")
        page.wait_for_selector("#starting:has-text('Step 1 of 3')")
        page.evaluate("window.jupyterapp = {shell: {currentWidget: {}}}")
        page.wait_for_selector("#starting:has-text('Step 2 of 3')")
        page.evaluate("jupyterapp.shell.currentWidget.sessionContext = {session: {kernel: {status: 'starting'}}}")
        page.wait_for_selector("#starting:has-text('Step 3 of 3')")
        page.wait_for_function("document.querySelector('#starting progress').value >= 0.2")
        page.evaluate("jupyterapp.shell.currentWidget.sessionContext.session.kernel.status = 'idle'")
        page.wait_for_selector("#starting:has-text('Python is ready')")
        page.wait_for_selector("#starting", state="detached")
        page.goto(f"{address}/lab.html?path=notebooks/a.md")
        assert page.locator("#starting").count() == 0
    page.close()
