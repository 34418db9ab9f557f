// A formula in a line of text that is wider than the page moves in a place of its own.

function measure() {
  const formulas = [...document.querySelectorAll("mjx-container:not([display])")];
  formulas.forEach(formula => formula.classList.remove("wide"));
  const width = formula => formula.closest("p, li, td, summary, dd")?.clientWidth ?? Infinity;
  const wide = formulas.filter(formula => formula.offsetWidth > width(formula));
  wide.forEach(formula => formula.classList.add("wide"));
}

window.MathJax?.startup?.promise.then(measure);
window.addEventListener("resize", measure);
