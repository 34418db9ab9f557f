// Typesets the mathematics, starts reveal.js, fits each slide, and follows the room. The sliders are moved by frames.js.

const SMALLEST = 0.54; // relative to the usual size; a slide with that little has far too much on it, and the cutter says so
const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
const room = isDark => { root.dataset.room = isDark ? "dark" : "light"; };
room(dark.matches);
dark.addEventListener("change", () => room(dark.matches));

function fits(page) {
  const body = page.querySelector(".body"), edge = body.getBoundingClientRect().right + 1;
  const inside = element => element.scrollWidth <= element.clientWidth + 1 && element.getBoundingClientRect().right <= edge;
  const high = [...body.querySelectorAll(".picture, .frames img")].every(e => e.clientHeight >= 300 || !e.clientHeight);
  return high && body.scrollHeight <= body.clientHeight + 1 && page.scrollHeight <= page.clientHeight + 1
    && [...body.querySelectorAll("pre, .highlight, table, mjx-container")].every(inside);
}

function fit(page) {
  for (let size = 1; size >= SMALLEST; size -= 0.02) {
    page.style.setProperty("--fit", size);
    if (fits(page)) return;
  }
}

// A slider keeps the keys that move it; any other key is meant for the slides.
function passKeysOn(input) {
  const own = input.type === "checkbox" ? /^( |Tab)/ : /^(Arrow|Home|End|Page|Tab)/;
  input.addEventListener("keydown", event => { if (!own.test(event.key)) input.blur(); });
}

// The truth of a prediction shows once its fragment does.
function show(slide) {
  const page = slide.querySelector(".page"), unveil = page.querySelector(".unveil");
  page.classList.toggle("unveiled", Boolean(unveil?.classList.contains("visible")));
  fit(page);
}

async function start() {
  document.querySelectorAll(".frames input").forEach(passKeysOn);
  await framesReady; // a slide is fitted with its numbers in place
  await document.fonts.ready;
  if (location.search === "?handout") {
    root.classList.add("handout");
    document.querySelectorAll(".unveil").forEach(unveil => unveil.classList.add("visible"));
    document.querySelectorAll("section").forEach(show);
  } else {
    await Reveal.initialize({
      width: 1280, height: 720, margin: 0, center: false, hash: true, transition: "none", controls: false, slideNumber: "c/t",
      plugins: [RevealNotes],
    });
    Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Dark or bright room" }, () => room(root.dataset.room === "light"));
    const now = () => show(Reveal.getCurrentSlide());
    for (const event of ["slidechanged", "fragmentshown", "fragmenthidden"]) Reveal.on(event, now);
    now();
  }
  root.dataset.ready = "yes";
}

window.MathJax = {
  tex: { inlineMath: [["$", "$"], ["\\(", "\\)"]], displayMath: [["$$", "$$"]], processEscapes: true, processEnvironments: true },
  svg: { fontCache: "local", mtextInheritFont: true },
  options: { menuOptions: { settings: { assistiveMml: false } }, enableAssistiveMml: false, enableMenu: false },
  startup: { pageReady: () => MathJax.startup.defaultPageReady().then(start) },
};
