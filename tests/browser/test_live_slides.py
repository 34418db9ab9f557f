"""The live slideshow (make lecture): it starts, runs the cells, shows the slides, and its sliders move."""

import pytest

from lectures import lecture, slides
from sdpa_course.explore import temperature_explorer
from tests.browser.driving import settle
from tools.lab import Lab, Slider, there_and_back

SLIDE = ".reveal .slides section section.present"


@pytest.fixture(scope="module")
def talk(browser, tmp_path_factory):
    """Notebook 03 as slides, all cells run, in a window as large as a projector's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(lecture.LIVE))
        patch.setenv("SDPA_PAPER", "slide")
        lab = Lab(tmp_path_factory.mktemp("talk") / "home")
    name = lecture.prepare(slides.notebooks()["03"], lab.folder / "notebooks").name
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(lab.address(f"rise/{name}"))
    page.wait_for_selector("html[data-lecture=ready]", state="attached", timeout=120_000)
    yield page
    page.close()
    lab.stop()


def go_to(talk, slide: str) -> None:
    """Go there, again if RISE is still busy with the slide before and returns to it."""
    there = f"() => Boolean(document.querySelector('#{slide}.present[data-fitted=yes]'))"
    talk.wait_for_function(f"() => ({there})() || void (location.hash = '/{slide}')", polling=300)


def test_slides_are_those_of_the_notebook(talk):
    assert talk.locator(SLIDE).inner_text().startswith("Pushed into regions")
    assert talk.locator(".reveal section section").count() > 20
    assert talk.locator(f"{SLIDE} aside.notes").count() > 0
    assert not talk.locator(f"{SLIDE} aside.notes").first.is_visible()
    assert talk.locator(".jp-CodeCell .jp-RenderedText[data-mime-type*=error]").count() == 0


def test_every_slide_fits_the_window(talk):
    for slide in talk.evaluate("() => [...document.querySelectorAll('.reveal section section')].map(s => s.id)"):
        go_to(talk, slide)
        high, place = talk.locator(SLIDE).evaluate("slide => [slide.scrollHeight, slide.clientHeight]")
        assert high <= place <= 720, f"{slide} is {high} pixels high"


def test_a_slider_moves_by_keyboard_and_the_slide_stays(talk):
    explorer = temperature_explorer()
    slide = talk.evaluate(
        "() => [...document.querySelectorAll('.reveal section section')]"
        ".find(s => s.querySelector('.widget-image') && s.textContent.includes('temperature')).id"
    )
    go_to(talk, slide)
    slider = Slider(talk, talk.locator(f"#{slide} .widget-vbox").first.element_handle())
    settle(slider, explorer.view(), "before it was moved")
    value, there, back = there_and_back(explorer.controls["temperature"])
    slider.press("temperature", there)
    settle(slider, explorer.view(temperature=value), f"temperature = {value}")
    slider.press("temperature", back)
    settle(slider, explorer.view(), "back again")
    assert talk.locator(SLIDE).get_attribute("id") == slide


def test_a_cell_runs_during_the_talk(talk):
    slide = talk.evaluate(
        "() => [...document.querySelectorAll('.reveal section section')]"
        ".find(s => s.textContent.includes('Subtract the maximum, and exp')).id"
    )
    go_to(talk, slide)
    cell = talk.locator(f"{SLIDE} .jp-CodeCell:visible").first
    before = cell.locator(".jp-InputPrompt").inner_text()
    cell.locator(".cm-content").click()
    talk.keyboard.press("Control+Enter")
    talk.wait_for_function(
        "([cell, before]) => /\\[\\d+\\]/.test(cell.querySelector('.jp-InputPrompt').textContent)"
        " && cell.querySelector('.jp-InputPrompt').textContent.trim() !== before.trim()",
        arg=[cell.element_handle(), before],
        timeout=20_000,
    )
    assert talk.locator(SLIDE).get_attribute("id") == slide


def test_the_notes_open_beside_the_slides_and_follow_them(talk):
    go_to(talk, "slide-1-0")
    talk.locator(f"{SLIDE} h2").click()
    with talk.expect_popup() as opened:
        talk.keyboard.press("t")
    notes = opened.value
    for slide in ("slide-1-0", "slide-3-0"):
        go_to(talk, slide)
        said = talk.locator(f"{SLIDE} aside.notes .jp-RenderedMarkdown").first.text_content()
        notes.wait_for_function("words => document.body.textContent.includes(words)", arg=said[:60])
    assert "$" not in notes.locator("body").inner_text()
    talk.wait_for_timeout(1000)
    assert talk.locator(SLIDE).get_attribute("id") == "slide-3-0"
    notes.close()
