"""Predictions without Jupyter's server: on a static page and in JupyterLite, which remember guesses in one place."""

import json

import nbformat
import pytest

from tests.predictions import KINDS, Prediction, notebook, use_by_keyboard, use_by_mouse, use_scores
from tests.site.lite_page import Reader as LiteReader
from tests.site.lite_page import differences
from tests.site.reading import LOOKS, Reader
from tests.site.serving import Serving
from tests.site.small_site import small_site

NOTEBOOK = "notebooks/predictions.ipynb"
PAGE = "notebooks/predictions.html"
PATIENCE = 400  # seconds, with Python's start; the machine may be busy
FORGET = """() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.requestExecute({ code: 'forget()' }).done
    .then(reply => reply.content.status)"""
SMALLEST = """() => {
  const own = element => [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const size = element => parseFloat(getComputedStyle(element).fontSize);
  return Math.min(...[...document.querySelectorAll('.predict *')].filter(own).map(size));
}"""

WITH_A_SLOW_KERNEL = """async html => {
  const { default: widget } = await import('/site/_static/predict.js');
  const state = { html, guesses: {}, heard: '', note: '', browser: false }, sent = [], heard = {};
  const model = { get: name => state[name], on: (name, f) => { heard[name] = f; }, send: words => sent.push(words) };
  const el = document.body.appendChild(document.createElement('div'));
  widget.render({ model, el });
  const press = words => [...el.querySelectorAll('button')].find(button => button.textContent === words).click();
  const answer = ({ changes, token }) => {
    Object.assign(state, { guesses: changes, heard: token });
    heard['change:guesses']();
  };
  const seen = [], look = () => seen.push(el.textContent.includes('SECRET'));
  press('Just show me'); look();
  press('Ask me again'); look();
  answer(sent[0]); look();
  answer(sent[1]); look();
  answer({ changes: sent[0].changes, token: sent[1].token }); look();
  return seen;
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A site with one page of predictions, as Sphinx makes it from an executed notebook."""
    return small_site(tmp_path_factory.mktemp("predictions"), NOTEBOOK, notebook())


@pytest.fixture(scope="module")
def address(folder):
    """Where the small site is served, and JupyterLite beside it if it was built: one origin, as on the real site."""
    with Serving(folder) as address:
        yield address


@pytest.fixture
def reader(browser, address):
    """Somebody who has never seen the page, and now opens it."""
    reader = Reader(browser, address)
    reader.page.goto(f"{address}/site/{PAGE}")
    yield reader
    reader.close()


def test_a_reader_predicts_on_the_page(reader):
    assert "SECRET" not in reader.page.locator(".cell_output").first.inner_text()
    for kind in KINDS:
        use_by_mouse(Prediction(reader.page, kind))
    for kind in KINDS:
        reader.page.locator("article h1").evaluate("title => { title.tabIndex = -1; title.focus(); }")
        use_by_keyboard(Prediction(reader.page, kind))
    reader.page.reload()
    assert all(Prediction(reader.page, kind).committed() for kind in KINDS)
    use_scores(reader.page)


def test_nothing_gives_the_answer_away(reader):
    """Not in what's visible, and not in the page's markup either once the forms are there."""
    Prediction(reader.page, "curve")
    outputs = reader.page.locator(".cell_output")
    assert outputs.count() == 4
    for output in outputs.all():
        assert "SECRET" not in output.inner_html()


def test_without_scripts_the_answer_is_folded(browser, address):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/site/{PAGE}")
    stored = page.locator(".predict-stored")
    assert "SECRET" not in "".join(stored.all_inner_texts())
    for fold in stored.locator("summary", has_text="Show the answer").all():
        fold.click()
    assert [text.count("SECRET:") for text in stored.all_inner_texts()] == [1, 1, 1, 0]
    assert stored.locator("img:visible").count() == 2
    context.close()


@pytest.mark.parametrize("damage", ["", "nonsense", "[]", '{"guesses": 3}', '{"guesses": {"test/pick": 3}}'])
def test_damaged_storage_is_an_empty_one(reader, damage):
    reader.page.evaluate("damage => localStorage.setItem('sdpa-course guesses', damage)", damage)
    reader.page.reload()
    for kind in KINDS:
        prediction = Prediction(reader.page, kind)
        assert not prediction.committed()
        prediction.press("Just show me")
        assert prediction.committed()
    assert reader.complaints == []


@pytest.mark.parametrize("guess", ["null", "7", '"like e^x"', "[1, 2]", '[1, 2, 3, 4, "five"]', "[1, 2, 3, 4, 999]"])
def test_a_guess_that_does_not_fit_the_question_is_no_guess(reader, guess):
    stored = json.dumps({"guesses": {f"test/{kind}": {"guess": json.loads(guess)} for kind in ("pick", "curve")}})
    reader.page.evaluate("stored => localStorage.setItem('sdpa-course guesses', stored)", stored)
    reader.page.reload()
    shown = guess == "null"  # that's "Just show me"
    assert [Prediction(reader.page, kind).committed() for kind in KINDS] == [shown, False, shown]


def test_late_answers_of_a_busy_kernel_undo_nothing(reader, folder):
    """The reader is faster than the kernel; what it says afterwards, such as on forget(), counts again."""
    stored = nbformat.read(folder / NOTEBOOK, as_version=4).cells[2].outputs[0].data["text/html"]
    assert reader.page.evaluate(WITH_A_SLOW_KERNEL, stored) == [True, False, False, False, True]


def test_without_storage_a_guess_lives_until_the_reader_leaves(browser, address):
    context = browser.new_context()
    context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page = context.new_page()
    page.goto(f"{address}/site/{PAGE}")
    prediction = Prediction(page, "number")
    prediction.guess_by_mouse()
    prediction.press("Commit")
    assert prediction.committed()
    assert "Kept only until you leave this page" in prediction.text()
    page.reload()
    assert not Prediction(page, "number").committed()
    context.close()


@pytest.mark.parametrize("committed", [False, True])
def test_the_page_is_whole_in_every_look(reader, committed):
    if committed:
        for kind in KINDS:
            prediction = Prediction(reader.page, kind)
            prediction.guess_by_mouse()
            prediction.press("Commit")
    problems = [problem for look in LOOKS for problem in reader.look(*look)]
    assert problems == []
    assert reader.page.evaluate(SMALLEST) >= 12


def test_a_finger_draws_the_curve(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    page = context.new_page()
    page.goto(f"{address}/site/{PAGE}")
    curve = Prediction(page, "curve")
    box = curve.form.locator("svg").bounding_box()
    assert box["width"] < 340
    touch = context.new_cdp_session(page)
    for kind, share in [("touchStart", 0.15), *(("touchMove", 0.15 + 0.05 * k) for k in range(1, 15))]:
        point = {"x": box["x"] + share * box["width"], "y": box["y"] + (1 - share) * 0.9 * box["height"]}
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert curve.values() == sorted(curve.values())
    assert curve.values()[0] < 10 < 20 < curve.values()[-1]
    context.close()


def test_jupyterlite_and_the_page_share_guesses(browser, site, folder, address):
    if not (folder / "lite").exists():
        (folder / "lite").symlink_to(site / "lite")
    reader = LiteReader(browser, f"{address}/lite")
    stored = nbformat.read(folder / NOTEBOOK, as_version=4)
    reader.upload("predictions.ipynb", stored)
    page = reader.open("predictions.ipynb")
    page.run_all(PATIENCE)
    assert differences(page.notebook(), stored) == []
    for kind in KINDS:
        use_by_mouse(Prediction(page.page, kind))
        use_by_keyboard(Prediction(page.page, kind))
    pages = reader.context.new_page()
    pages.goto(f"{address}/site/{PAGE}")
    assert all(Prediction(pages, kind).committed() for kind in KINDS)
    Prediction(pages, "pick").press("Clear my guess")
    page.page.bring_to_front()  # a page in the background may never draw, and waiting for it would never end
    page.reload()
    page.run_all(PATIENCE)
    assert [Prediction(page.page, kind).committed() for kind in KINDS] == [False, True, True]
    Prediction(page.page, "pick").press("Just show me")
    assert page.page.evaluate(FORGET) == "ok"
    page.page.get_by_text("Just show me").nth(2).wait_for()
    assert not any(Prediction(page.page, kind).committed() for kind in KINDS)
    pages.bring_to_front()
    assert not any(Prediction(pages, kind).committed() for kind in KINDS)
    assert reader.complaints + reader.outside == []
    reader.close()
