// Sets the mathematics, starts reveal.js, fits each slide, and moves the sliders that were drawn beforehand.

const LARGEST = 1.2, SMALLEST = 0.7; // of the usual size; a slide that needs less has too much on it, and the tests say so

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

function prepareFrames(figure) {
  const { readings, views } = JSON.parse(figure.querySelector("script").textContent);
  const inputs = [...figure.querySelectorAll("input")], outputs = [...figure.querySelectorAll("output")];
  const image = figure.querySelector("img"), numbers = figure.querySelector(".numbers");
  const show = () => {
    let place = 0;
    inputs.forEach((input, i) => {
      const at = input.type === "checkbox" ? Number(input.checked) : Number(input.value);
      place = place * readings[i].length + at;
      outputs[i].textContent = readings[i][at];
      if (input.type === "range") input.setAttribute("aria-valuetext", readings[i][at]);
    });
    image.src = "data:image/png;base64," + views[place].picture;
    image.alt = views[place].alt;
    numbers.replaceChildren(...views[place].numbers.map(([name, number]) => {
      const item = document.createElement("span"), strong = document.createElement("b");
      strong.textContent = number;
      item.append(name + ": ", strong);
      return item;
    }));
  };
  for (const input of inputs) {
    const own = input.type === "checkbox" ? /^( |Tab)/ : /^(Arrow|Home|End|Page|Tab)/; // any other key is meant for the slides
    input.addEventListener("input", show);
    input.addEventListener("keydown", event => { if (!own.test(event.key)) input.blur(); });
  }
  show();
}

// What a slide says aside must not be laid out on it: the notes move out of the page, beside it.
function moveNotes(page) {
  for (const aside of page.querySelectorAll("aside.notes")) page.after(aside);
  const notes = [...page.parentElement.querySelectorAll(":scope > aside.notes")].reverse();
  page.after(...notes);
}

async function start() {
  const pages = [...document.querySelectorAll(".page")];
  pages.forEach(moveNotes);
  document.querySelectorAll(".frames").forEach(prepareFrames);
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
