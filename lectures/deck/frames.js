// Moves sliders without a kernel: every view was drawn beforehand, one for each combination of positions. Decks and the
// site share this script. Only the source of the views differs: in a deck they are inside the figure, with pictures as
// base64; on the site they are in a file (data-views), with pictures as files beside it.

function embedded(script) {
  const stored = JSON.parse(script.textContent);
  return { load: async () => stored, address: view => "data:image/png;base64," + view.picture };
}

function fetched(file) {
  let stored;
  const load = () => stored ??= fetch(file)
    .then(answer => answer.ok ? answer.json() : Promise.reject(new Error(answer.status)))
    .catch(error => { stored = undefined; throw error; }); // so that the next move tries again
  return { load, address: view => new URL(view.picture, file).href };
}

function prepareFrames(figure) {
  const controls = [...figure.querySelectorAll(".control")];
  const image = figure.querySelector("img"), link = figure.querySelector("a.picture");
  const numbers = figure.querySelector(".numbers"), words = figure.querySelector("details p");
  const script = figure.querySelector("script");
  const { load, address } = script ? embedded(script) : fetched(new URL(figure.dataset.views, location.href));

  const positions = () => controls.map(control => {
    const input = control.querySelector("input[type=radio]:checked") ?? control.querySelector("input");
    return Number(input.type === "checkbox" ? input.checked : input.value);
  });
  const at = (places, { readings, views }) => views[places.reduce((sum, place, i) => sum * readings[i].length + place, 0)];
  const picture = view => Object.assign(new Image(), { src: address(view) });

  async function show() {
    const wanted = positions();
    try {
      const stored = await load();
      wanted.forEach((place, i) => {
        const output = controls[i].querySelector("output"), reading = stored.readings[i][place];
        if (output) output.textContent = reading; // a button says it itself
        controls[i].querySelector("input[type=range]")?.setAttribute("aria-valuetext", reading);
      });
      const view = at(wanted, stored), next = picture(view);
      await next.decode();
      if (String(wanted) !== String(positions())) return; // moved again in the meantime
      image.src = next.src;
      image.alt = view.alt;
      if (link) link.href = next.src;
      if (words) words.textContent = view.alt;
      numbers.replaceChildren(...view.numbers.map(([name, number]) => {
        const item = document.createElement("span"), strong = document.createElement("b");
        strong.textContent = number;
        item.append(name + ": ", strong);
        return item;
      }));
      neighbours(stored);
    } catch {
      numbers.textContent = "This view could not be loaded. Is the site still within reach?";
    }
  }

  // Load the pictures one step away, so that the next move shows at once.
  function neighbours(stored) {
    const places = positions();
    places.forEach((place, i) => [place - 1, place + 1].filter(other => other in stored.readings[i])
      .forEach(other => picture(at(places.with(i, other), stored))));
  }

  for (const control of controls) {
    control.addEventListener("input", show);
    control.addEventListener("pointerdown", () => load().then(neighbours, () => {}), { once: true });
  }
  if (script) return show();
  new IntersectionObserver((entries, watch) => {
    if (!entries.some(entry => entry.isIntersecting)) return;
    watch.disconnect();
    load().catch(() => {}); // the reader is told when the slider is moved
  }, { rootMargin: "400px" }).observe(figure);
}

const framesReady = Promise.all([...document.querySelectorAll("figure.frames")].map(prepareFrames));
