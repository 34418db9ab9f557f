// What is wider than the page moves in a place of its own, and fades where it goes on.

const SCROLLS = ".bd-article :is(pre, mjx-container.wide, mjx-container[display], .pst-scrollable-table-container, .text_html, a.picture)";

function measure() {
  const formulas = [...document.querySelectorAll("mjx-container:not([display])")];
  formulas.forEach(formula => formula.classList.remove("wide", "goes-on"));
  const width = formula => formula.closest("p, li, td, summary, dd")?.clientWidth ?? Infinity;
  const wide = formulas.filter(formula => formula.offsetWidth > width(formula));
  wide.forEach(formula => formula.classList.add("wide"));
  document.querySelectorAll(SCROLLS).forEach(fade);
}

// No column of a table is squeezed below what a few words need; a table that gets wider by it moves.
function widen(table) {
  const rows = [...table.rows].map(row => [...row.cells]), letters = cell => cell.innerText.trim().length;
  rows[0]?.forEach((head, i) => {
    nameIt(head);
    const longest = Math.max(...rows.map(cells => cells[i] ? letters(cells[i]) : 0));
    head.style.minWidth = `${Math.min(longest, 18) * 0.5}em`;
  });
}

// A heading that is a formula gets its symbols as words, too: not every screen reader knows what to do with MathML.
function nameIt(head) {
  const formula = head.tagName === "TH" && head.children.length === 1 && head.querySelector("mjx-container");
  if (!formula || head.querySelector(".visually-hidden")) return;
  const words = document.createElement("span");
  words.className = "visually-hidden";
  words.textContent = formula.querySelector("mjx-assistive-mml").textContent;
  formula.setAttribute("aria-hidden", "true");
  head.append(words);
}

function fade(place) {
  place.classList.toggle("goes-on", place.scrollLeft + place.clientWidth < place.scrollWidth - 2);
  if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0; // so that the keyboard moves it, too
  else if (!place.matches("a")) place.removeAttribute("tabindex");
}

// A comma or a bracket stays with its formula: no line ends between the two.
function keepTogether(formula) {
  const span = formula.parentElement.matches("span.math") ? formula.parentElement : formula;
  const together = document.createElement("span"), { previousSibling: before, nextSibling: after } = span;
  const opened = before?.nodeType === Node.TEXT_NODE ? before.data.match(/[(\[“"]+$/)?.[0] : "";
  const closed = after?.nodeType === Node.TEXT_NODE ? after.data.match(/^[.,;:!?)\]”’"%–-]+/)?.[0] : "";
  if (!opened && !closed) return;
  together.className = "together";
  span.replaceWith(together);
  if (opened) before.data = before.data.slice(0, -opened.length);
  if (closed) after.data = after.data.slice(closed.length);
  together.append(opened ?? "", span, closed ?? "");
}

const LONG = 26; // letters; a word of code that is longer may be broken anywhere
document.querySelectorAll(".bd-article code .pre").forEach(word => word.classList.toggle("long", word.textContent.length > LONG));

window.MathJax?.startup?.promise.then(() => {
  document.querySelectorAll(".bd-article mjx-container:not([display])").forEach(keepTogether);
  document.querySelectorAll(".bd-article table").forEach(widen);
  measure();
});
new ResizeObserver(measure).observe(document.querySelector(".bd-article-container"));
document.addEventListener("scroll", event => { if (event.target.matches?.(SCROLLS)) fade(event.target); }, { capture: true, passive: true });
