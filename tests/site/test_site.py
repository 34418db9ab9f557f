"""The built site: every page whole at every size and in both colours, every link alive, every slider the package's."""

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

from docs.site.gather import page_of_docs
from docs.site.typesetting import mathematics_in_html, typeset, typeset_headings
from lectures.cut import on_the_wall, sliders_of
from lectures.slides import notebooks
from sdpa_course.explore import all_explorers
from tests.browser.driving import drive_frames
from tests.lectures.retold import RETOLD, read, retold_slides
from tests.site.links import Page, broken_links
from tests.site.reading import LOOKS, Reader, pages

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(path.relative_to(ROOT) for path in (ROOT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted(path.relative_to(ROOT) for path in (ROOT / "exercises").glob("*/*.ipynb"))
DOCS = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").glob("*.md"))
PAGES = [path.with_suffix(".html").as_posix() for path in (*NOTEBOOKS, *EXERCISES, *DOCS)]
PAGES += [f"{name}.html" for name in ("index", "contents", "claims", "references", "api", "downloads", "gallery")]
PAGES += ["CONTRIBUTING.html", "search.html"]
HEAVIEST = 3_000_000  # bytes, before a slider is touched
LONGEST = 20  # desktop screens, with helper cells folded


def cells(path: Path, kind: str) -> list[dict]:
    """The cells of a notebook as they are stored, sources as one string each."""
    stored = json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in stored if cell["cell_type"] == kind]


def sliders(path: Path) -> list[str]:
    """The sliders of a notebook."""
    return sliders_of(nbformat.read(ROOT / path, as_version=4))


def test_all_pages_are_there(site):
    assert sorted(PAGES) == pages(site)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_whole(browser, address, page):
    reader = Reader(browser, address)
    reader.open(page)
    # The gallery has all pictures of the course; a browser loads those in sight.
    assert reader.weight < (2 if page == "gallery.html" else 1) * HEAVIEST
    problems = [problem for look in LOOKS for problem in reader.look(*look)]
    assert problems + reader.complaints == []
    reader.close()


@pytest.mark.parametrize("number", RETOLD)
def test_a_retold_notebook_is_a_short_page(browser, address, number):
    if retold_slides(number) < len(on_the_wall(read(number))):
        pytest.skip(f"notebook {number} is retold up to “{RETOLD[number]}”")
    reader = Reader(browser, address)
    reader.open(f"notebooks/{notebooks()[number].stem}.html")
    assert reader.screens() <= LONGEST
    reader.close()


def test_every_link_leads_somewhere(site):
    assert broken_links(site) == []


@pytest.mark.parametrize("path", [*NOTEBOOKS, *EXERCISES], ids=lambda path: path.stem)
def test_a_notebook_is_on_its_page_completely(site, path):
    page = Page(site / path.with_suffix(".html"))
    for cell in cells(path, "code"):
        assert cell["source"].strip() in page.text
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                assert "".join(output["text"]).strip() in page.text
            if "image/png" in output.get("data", {}):
                assert output["metadata"]["image/png"]["alt"] in page.alts
    assert (site / path).read_bytes() == (ROOT / path).read_bytes()  # to be saved, as it is
    run = [link for link in page.links if "lite/lab/" in link]
    assert {unquote(urlsplit(link).query) for link in run} == {f"path={path.as_posix()}&workspace={path.stem}"}


WITH_SLIDERS = [path for path in (*NOTEBOOKS, *EXERCISES) if sliders(path)]


@pytest.mark.parametrize("path", WITH_SLIDERS, ids=lambda path: path.stem)
def test_sliders_move_without_a_kernel(browser, address, path):
    reader = Reader(browser, address)
    reader.open(path.with_suffix(".html").as_posix())
    figures = reader.page.query_selector_all("figure.frames")
    assert len(figures) == len(sliders(path))
    for figure, name in zip(figures, sliders(path), strict=True):
        before = len(reader.asked)
        drive_frames(figure, all_explorers()[name]())
        assert len(reader.asked) > before  # only now
    assert reader.complaints == []
    reader.close()


@pytest.mark.parametrize("path", WITH_SLIDERS, ids=lambda path: path.stem)
def test_a_figure_does_not_stand_twice(site, path):
    alts = Page(site / path.with_suffix(".html")).alts
    assert len(alts) == len(set(alts))


TYPESET = {  # plain text, and what it becomes; code, mathematics, tags and links stay
    "at d_k = 64": "at $d_{k}$ = 64",
    "1/√d_model": r"1/$\sqrt{d_{model}}$",
    "W_Q and dW_Q, d_keys": "$W_{Q}$ and dW_Q, d_keys",
    "`d_k` $d_k$ <b title='d_k'> [d](d_k.md)": "`d_k` $d_k$ <b title='d_k'> [d](d_k.md)",
}


def test_plain_symbols_become_mathematics():
    assert {text: typeset(text) for text in TYPESET} == TYPESET
    assert typeset_headings("# At d_k\n## At d_k\nd_k") == "# At d_k\n## At $d_{k}$\nd_k"
    html = mathematics_in_html("<details><summary>$x$</summary>\n\n$y$")
    assert re.findall(r"\\\((.)\\\)", html) == ["x"]
    assert html.endswith("$y$")


@pytest.mark.parametrize(("word", "page"), [("kurtosis", "A3_more_variance"), ("StarCoder", "07_scale")])
def test_search_finds(browser, address, word, page):
    reader = Reader(browser, address)
    reader.open("notebooks/00_start_here.html")
    reader.page.keyboard.press("Control+k")
    reader.page.keyboard.type(word)
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_url("**/search.html?q=*")
    reader.page.click(f"#search-results li a[href*='{page}.html']")
    reader.page.wait_for_url(f"**/{page}.html*")
    reader.page.wait_for_function("() => scrollY > innerHeight")  # where the word stands, in the midst of the page
    assert reader.complaints == []
    reader.close()


def test_the_claims_have_the_verdicts_of_notebook_12(site):
    stored = json.dumps(cells(Path("notebooks/12_verdict.ipynb"), "code"), ensure_ascii=False)
    rows = dict(re.findall(r"\| (C\d\d) \| [^|]* \| [✓◐?✗] \*\*([a-z ]+)\*\*", stored))
    html = (site / "claims.html").read_text(encoding="utf-8")
    shown = dict(re.findall(r'<h3>(C\d\d)\..*?class="verdict [a-z-]+">. ([a-z ]+)<', html, re.DOTALL))
    assert len(shown) == 32
    assert shown == rows


def test_one_page_leads_to_the_next(browser, address):
    reader = Reader(browser, address)
    reader.open("notebooks/03_softmax.html")
    assert reader.page.get_attribute("a.left-prev", "href") == "02_variance.html"
    assert reader.page.get_attribute("a.right-next", "href") == "04_softmax_gradient.html"
    reader.close()


BROKEN = {  # what a careless edit could do to a page, and what must be said about it
    "scrolls sideways": "article.insertAdjacentHTML('beforeend', '<div style=\"width: 3000px\">wide</div>')",
    "beyond the edge": "article.insertAdjacentHTML('beforeend', '<table><td>' + 'x'.repeat(400) + '</td></table>')",
    "a picture is missing": "article.insertAdjacentHTML('beforeend', '<img alt=\"a\" src=\"nothing.png\">')",
    "a picture has no words": "article.querySelector('img').alt = ''",
    "mathematics as text": "article.insertAdjacentHTML('beforeend', '<p>$x^2$</p>')",
    "mathematics cut off": "article.querySelector('mjx-math').style.cssText = 'position: relative; left: -20px'",
    "asked for": "article.insertAdjacentHTML('beforeend', '<img alt=\"a\" src=\"http://example.org/a.png\">')",
    "404 for": "fetch('nothing.json')",
    "console": "console.error('broken')",
    "contrast of": "article.insertAdjacentHTML('beforeend', '<p style=\"color: #888\">pale</p>')",
    "the page is not dark": "document.querySelector('article').style.background = 'white'",
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_a_broken_page_is_noticed(browser, address, complaint):
    reader = Reader(browser, address)
    reader.open("notebooks/00_start_here.html")
    reader.page.evaluate(f"() => {{ const article = document.querySelector('article'); {BROKEN[complaint]}; }}")
    reader.page.wait_for_timeout(200)
    problems = [problem for look in LOOKS for problem in reader.look(*look)]
    assert any(complaint in problem for problem in problems + reader.complaints)
    reader.close()


def test_a_broken_link_is_noticed(site, tmp_path):
    links = '<a href="b.html">b</a><a href="#nowhere">c</a><img src="d.png"><a href="e.html#f">f</a><a href="/g">g</a>'
    (tmp_path / "a.html").write_text(f"<p id=here>{links}<a href='#here'>h</a><a href='e.html'>e</a>")
    (tmp_path / "e.html").write_text('<script src="https://example.org/x.js"></script>')
    assert len(broken_links(tmp_path)) == 6


def test_the_exam_can_be_published_without_its_answers(monkeypatch):
    monkeypatch.delenv("SDPA_SOLUTIONS", raising=False)
    path = ROOT / "docs" / "exam.md"
    with_answers = page_of_docs(path)
    monkeypatch.setenv("SDPA_SOLUTIONS", "off")
    without = page_of_docs(path)
    assert with_answers.count("**Full marks.**") == with_answers.count("\n### ") == without.count("\n### ") == 30
    assert not any(words in without for words in ("Full marks", "Part marks", "Expect.", "details"))
