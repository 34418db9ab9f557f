// Typesets the mathematics, starts reveal.js and fits each slide. The sliders are moved by frames.js.

const LARGEST = 1.2, SMALLEST = 0.7; // relative to the usual size; a slide that needs less has too much on it, and a test says so

function fits(page) {
  const box = page.getBoundingClientRect(), edge = box.right - box.width * 0.04;
  const within = element => element.scrollWidth <= element.clientWidth + 1 && element.getBoundingClientRect().right <= edge;
  const large = image => image.getBoundingClientRect().height >= box.height * 0.4;
  return page.scrollHeight <= page.clientHeight && [...page.querySelectorAll("pre, table, mjx-container")].every(within)
    && [...page.querySelectorAll("img")].every(large);
}

function fit(page) {
  for (let size = page.querySelector("img") ? 1 : LARGEST; size >= SMALLEST; size -= 0.025) {
    page.style.setProperty("--fit", size);
    if (fits(page)) return;
  }
}

// A slider keeps the keys that move it; any other key is meant for the slides.
function passKeysOn(input) {
  const own = input.type === "checkbox" ? /^( |Tab)/ : /^(Arrow|Home|End|Page|Tab)/;
  input.addEventListener("keydown", event => { if (!own.test(event.key)) input.blur(); });
}

// Notes must not take up room on the slide, so they move out of the page and come right after it.
function moveNotes(page) {
  for (const aside of page.querySelectorAll("aside.notes")) page.after(aside);
  const notes = [...page.parentElement.querySelectorAll(":scope > aside.notes")].reverse();
  page.after(...notes);
}

async function start() {
  const pages = [...document.querySelectorAll(".page")];
  pages.forEach(moveNotes);
  document.querySelectorAll(".frames input").forEach(passKeysOn);
  await framesReady; // a slide is fitted with its numbers in place
  document.querySelectorAll("aside.notes details").forEach(details => { details.open = true; });
  if (location.search === "?handout") {
    document.documentElement.classList.add("handout");
    pages.forEach(fit);
  } else {
    await Reveal.initialize({
      width: 1280, height: 720, margin: 0, center: false, hash: true, transition: "none", slideNumber: "c/t",
      pdfSeparateFragments: false, plugins: [RevealNotes],
    });
    const present = () => fit(Reveal.getCurrentSlide().querySelector(".page"));
    Reveal.on("slidechanged", present);
    present();
  }
  document.documentElement.dataset.ready = "yes";
}

window.MathJax = {
  tex: { inlineMath: [["$", "$"]], displayMath: [["$$", "$$"]], processEscapes: true, processEnvironments: true },
  svg: { fontCache: "local" },
  options: { menuOptions: { settings: { assistiveMml: false } }, enableAssistiveMml: false, enableMenu: false },
  startup: { pageReady: () => MathJax.startup.defaultPageReady().then(start) },
};
