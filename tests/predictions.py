"""A notebook with one prediction of each kind, and what a reader does with them, in a notebook or on the site."""

import nbformat

from tools.run_notebooks import METADATA

SETUP = """from sdpa_course.explore import Truth, forget, predict, show_guesses
from sdpa_course.figures.drawing import new

X = [1, 64, 128, 256, 512]


def first():
    figure, ax = new(size=(6, 3))
    ax.plot(X, [x**0.5 for x in X])
    return Truth("like the root of d_k", "SECRET: steps cancel, so it grows like √d_k.", (figure, "SECRET: a root."))


def second():
    return Truth(22.6, "SECRET: it's the root of 512.")


def third():
    return Truth([x**0.5 for x in X], "SECRET: the root again.")"""
PICK = """predict(
    "Add d_k random numbers of size 1. How does the size of the sum grow?",
    ["it stays about 1", "like the root of d_k", "like d_k"],
    reveal=first,
    name="test/pick",
)"""
NUMBER = """predict(
    "How large is the sum of 512 of them, typically?",
    number=dict(low=0, high=100, step=1, label="Its size"),
    reveal=second,
    name="test/number",
)"""
CURVE = """predict(
    "Draw the size of the sum against d_k.",
    curve=dict(x=X, low=0, high=32, xlabel="d_k", ylabel="size of the sum"),
    reveal=third,
    name="test/curve",
)"""
SCORES = """show_guesses({"I. The test": ["test"], "II. The rest": ["00", "01"]})"""
KINDS = ("pick", "number", "curve")
FOCUSED = """form => {
  const at = document.activeElement;
  if (!form.contains(at)) return "elsewhere";
  if (at.matches(".predict-truth")) return "truth";
  return at.getAttribute("aria-label") ?? (at.closest("label") ?? at).innerText;
}"""


def notebook():
    """The notebook, not yet executed."""
    cells = [nbformat.v4.new_code_cell(source) for source in (SETUP, PICK, NUMBER, CURVE, SCORES)]
    return nbformat.v4.new_notebook(cells=cells, metadata=nbformat.from_dict(METADATA))


class Prediction:
    """One of the notebook's predictions on a page, wherever that page is."""

    def __init__(self, page, kind: str):
        self.page, self.kind = page, kind
        self.form = page.locator(".predict:visible").nth(KINDS.index(kind))
        self.form.get_by_role("button").first.wait_for()
        self.form.scroll_into_view_if_needed()

    def text(self) -> str:
        """What the reader sees of it."""
        return self.form.inner_text()

    def committed(self) -> bool:
        """Whether the truth is there. If it isn't, nothing of it may be in the form, not even out of sight."""
        told = "SECRET" in self.text()
        assert told == ("SECRET" in self.form.inner_html())
        return told

    def press(self, name: str) -> None:
        """Click a button."""
        self.form.get_by_role("button", name=name).click()

    def keys(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    def focused(self) -> str:
        """What has the focus: its label or text, or "elsewhere"."""
        return self.form.evaluate(FOCUSED)

    def tab_to(self, text: str) -> None:
        """Press Tab until the thing with this label or text has the focus."""
        for _ in range(12):
            if text in self.focused():
                return
            self.keys("Tab")
        raise AssertionError(f"the Tab key doesn't reach {text!r}; it's at {self.focused()!r}")

    def guess_by_mouse(self) -> None:
        """Pick the first option, click the middle of the slider, or draw the whole curve in one stroke."""
        if self.kind == "pick":
            self.form.get_by_text("it stays about 1").click()
        elif self.kind == "number":
            self.form.locator("input").click()
        else:
            box = self.form.locator("svg").bounding_box()
            left, right, low, high = box["x"] + 55, box["x"] + box["width"] - 60, box["y"] + 240, box["y"] + 60
            self.page.mouse.move(left, low)
            self.page.mouse.down()
            self.page.mouse.move(right, high, steps=12)
            self.page.mouse.up()
            points = self.values()
            assert points == sorted(points)
            assert points[-1] > 20 > 10 > points[0]

    def guess_by_keyboard(self) -> None:
        """Guess without a mouse; the focus may be anywhere before the form."""
        first, keys = {
            "pick": ("it stays about 1", ["Space", "ArrowDown", "ArrowUp"]),
            "number": ("Its size", ["ArrowRight", "ArrowRight", "ArrowLeft"]),
            "curve": ("d_k = 1", ["ArrowUp", "ArrowUp", "ArrowRight", "PageDown", "Tab", "End", "ArrowDown"]),
        }[self.kind]
        self.tab_to(first)
        self.keys(*keys)
        if self.kind == "curve":
            assert self.values() == [16 + 2 * 0.8, 16 - 4, 32 - 0.8, 16, 16]
            assert self.focused().endswith("d_k = 128")

    def values(self) -> list[float]:
        """Where the points of an open curve are."""
        return [float(point.get_attribute("aria-valuenow")) for point in self.form.get_by_role("slider").all()]


def use_by_mouse(prediction: Prediction) -> None:
    """Commit too early, then guess, commit, clear, look, and guess again."""
    assert not prediction.committed()
    prediction.press("Commit")
    assert "first, or take “Just show me”" in prediction.text()
    assert not prediction.committed()
    prediction.guess_by_mouse()
    assert not prediction.committed()
    prediction.press("Commit")
    assert prediction.committed()
    assert prediction.focused() == "truth"
    assert "you" in prediction.text().lower()
    prediction.press("Clear my guess")
    assert not prediction.committed()
    assert prediction.focused() == prediction.form.locator("legend").inner_text()
    prediction.press("Just show me")
    assert prediction.committed()
    prediction.press("Ask me again")
    assert not prediction.committed()
    prediction.press("Commit")
    assert not prediction.committed()  # nothing is left of the guess that was cleared
    prediction.guess_by_mouse()
    prediction.press("Commit")
    assert prediction.committed()


def use_by_keyboard(prediction: Prediction) -> None:
    """The same with keys alone, from a committed form on."""
    prediction.tab_to("Clear my guess")
    prediction.keys("Enter")
    assert not prediction.committed()
    prediction.guess_by_keyboard()
    prediction.tab_to("Commit")
    prediction.keys("Space")
    assert prediction.committed()
    assert prediction.focused() == "truth"


def use_scores(page) -> None:
    """After `use_by_keyboard` on every kind: see how well that went, and forget it."""
    form = page.locator(".predict:visible").nth(len(KINDS))
    assert "You committed to 3: 0 right ●, 0 close ◐, 3 off ○." in form.inner_text()
    assert form.get_by_role("row").all_inner_texts() == [
        "I. The test\t○○○\t0 of 3 right",
        "II. The rest\t\tno guess yet",
    ]
    assert "Your biggest surprise: Add dk random numbers" in form.inner_text()
    form.get_by_role("button", name="Forget all my guesses").click()
    form.get_by_role("button", name="Really forget all 3").click()
    form.get_by_text("You haven't committed to a guess yet.").wait_for()
    assert not any(Prediction(page, kind).committed() for kind in KINDS)
