// Moves the sliders of a page: their views were drawn beforehand, one picture for each position (docs/site/sliders.py).

function prepare(figure) {
  const inputs = [...figure.querySelectorAll("input")], outputs = [...figure.querySelectorAll("output")];
  const image = figure.querySelector("img"), link = figure.querySelector("a.picture");
  const numbers = figure.querySelector(".numbers"), words = figure.querySelector("details p");
  const address = new URL(figure.dataset.views, location.href);
  let stored;

  const load = () => stored ??= fetch(address)
    .then(answer => answer.ok ? answer.json() : Promise.reject(new Error(answer.status)))
    .catch(error => { stored = undefined; throw error; });
  const place = (readings, at) => at.reduce((sum, value, i) => sum * readings[i].length + value, 0);
  const positions = () => inputs.map(input => input.type === "checkbox" ? Number(input.checked) : Number(input.value));
  const picture = async view => {
    const next = new Image();
    next.src = new URL(view.picture, address);
    await next.decode();
    return next.src;
  };

  async function show() {
    const wanted = String(positions());
    try {
      const { readings, views } = await load();
      positions().forEach((at, i) => {
        outputs[i].textContent = readings[i][at];
        if (inputs[i].type === "range") inputs[i].setAttribute("aria-valuetext", readings[i][at]);
      });
      const view = views[place(readings, positions())], source = await picture(view);
      if (wanted !== String(positions())) return; // it was moved on meanwhile
      link.href = image.src = source;
      image.alt = words.textContent = view.alt;
      numbers.replaceChildren(...view.numbers.map(([name, number]) => {
        const item = document.createElement("span"), strong = document.createElement("b");
        strong.textContent = number;
        item.append(name + ": ", strong);
        return item;
      }));
      ahead(readings, views);
    } catch {
      numbers.textContent = "This view could not be loaded. Is the site still within reach?";
    }
  }

  // The neighbours, so that the next step is there at once.
  function ahead(readings, views) {
    const at = positions();
    at.forEach((value, i) => [value - 1, value + 1].filter(v => v in readings[i]).forEach(v => {
      new Image().src = new URL(views[place(readings, at.with(i, v))].picture, address);
    }));
  }

  inputs.forEach(input => {
    input.addEventListener("input", show);
    input.addEventListener("pointerdown", () => load().then(({ readings, views }) => ahead(readings, views), () => {}), { once: true });
  });
  new IntersectionObserver((entries, watch) => {
    if (!entries.some(entry => entry.isIntersecting)) return;
    watch.disconnect();
    load().catch(() => {}); // said when the slider is moved
  }, { rootMargin: "400px" }).observe(figure);
}

document.querySelectorAll("figure.slider").forEach(prepare);
