// A prediction as a form, and after the commit the truth beside the guess. It's drawn from the HTML that the notebook
// stores: through anywidget in JupyterLab and JupyterLite, by docs/site/static/predictions.js on the site.

const KEY = "sdpa-course guesses"; // in the browser's storage, for the site and JupyterLite together
const DRAWN = new Set(["svg", "line", "text", "tspan", "circle", "rect", "polyline"]);
let forms = 0;

function make(tag, attributes = {}, ...children) {
  const element = DRAWN.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
// d_k as it should look: in a drawing, or in text as the stored HTML has it.
const symbols = text => text.split(/\b([dW])_(k|v|model|[QKVO])\b/);
const drawnText = text => symbols(text).flatMap((part, i) => [part, make("tspan", { "font-style": "italic" }, part),
  [make("tspan", { "font-size": 12, dy: 4 }, part), make("tspan", { dy: -4 }, "\u200b")]][i % 3]);
const writtenText = text => symbols(text).map((part, i) => i % 3 ? make("i", {}, i % 3 === 1 ? part : make("sub", {}, part)) : part);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const digits = value => String(+value.toPrecision(4));
const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;
const real = guesses => Object.fromEntries(Object.entries(guesses ?? {}).filter(([, guess]) => guess && typeof guess === "object"));

// ---- Where guesses are kept: each memory has all(), put({name: guess or null}), note() and listen(f).

const unsaved = {}; // where the browser doesn't let us store
export const browserMemory = {
  all() {
    let stored = {};
    try { stored = JSON.parse(localStorage.getItem(KEY))?.guesses; } catch { /* damaged or forbidden: as if empty */ }
    return real({ ...real(stored), ...unsaved });
  },
  put(changes) {
    try {
      localStorage.setItem(KEY, JSON.stringify({ version: 1, guesses: real({ ...this.all(), ...changes }) }));
    } catch { Object.assign(unsaved, changes); }
    dispatchEvent(new Event(KEY));
  },
  note: () => Object.keys(real(unsaved)).length ? "Kept only until you leave this page: the browser stores nothing for it." : "",
  listen: heard => ["storage", KEY].forEach(event => addEventListener(event, heard)),
};

function kernelMemory(model) {
  let ahead = {}, last = model.get("heard"); // what the kernel hasn't heard yet counts, so nobody waits for a busy one
  return {
    all: () => real({ ...model.get("guesses"), ...ahead }),
    put(changes) {
      Object.assign(ahead, changes);
      last = Math.random().toString(36);
      model.send({ changes, token: last });
    },
    note: () => model.get("note"),
    listen: heard => ["guesses", "heard", "note"].forEach(name => model.on(`change:${name}`, () => {
      if (model.get("heard") === last) ahead = {};
      heard();
    })),
  };
}

// ---- The three kinds: how to ask, how to tell the truth beside the guess, how far off a guess is (0 to 1).

// Draw at the width that there is, in real pixels, so that no text shrinks on a phone.
function fitted(spec, draw) {
  const place = make("div", { class: "predict-fitted" });
  let last = 0;
  const fit = room => {
    const width = Math.min(room, 640), held = [...place.querySelectorAll("[tabindex]")].indexOf(document.activeElement);
    if (!width || Math.abs(width - last) < 1) return;
    last = width;
    place.replaceChildren(draw(width));
    place.querySelectorAll("[tabindex]")[held]?.focus();
  };
  fit(spec.form.clientWidth); // at once, for whoever is quick with the Tab key
  new ResizeObserver(([entry]) => fit(entry.contentRect.width)).observe(place);
  return place;
}

const pick = {
  missing: "Pick one first",
  fits: (spec, guess) => spec.options.includes(guess),
  gap: (spec, guess) => guess === spec.answer ? 0 : 1,
  said: (spec, guess) => guess === spec.answer ? "You had it." : "You expected something else.",
  ask(spec, draft) {
    const name = `predict-${forms++}`;
    return make("div", { class: "predict-options" }, ...spec.options.map((option, i) => make("label", {},
      make("input", { type: "radio", name, onchange: () => { draft.guess = option; } }), spec.html[i].cloneNode(true))));
  },
  tell: (spec, guess) => make("ul", { class: "predict-options" }, ...spec.options.map((option, i) => {
    const item = make("li", {}, spec.html[i].cloneNode(true)), marks = make("span", { class: "predict-marks" });
    item.classList.toggle("predict-you", option === guess);
    item.classList.toggle("predict-true", option === spec.answer);
    if (option === guess) marks.append(make("b", { class: "predict-blue" }, "● your guess"));
    if (option === spec.answer) marks.append(make("b", {}, "■ the truth"));
    item.append(marks);
    return item;
  })),
};

const number = {
  missing: "Move the slider first",
  fits: (spec, guess) => typeof guess === "number" && guess >= spec.low && guess <= spec.high,
  gap: (spec, guess) => Math.abs(guess - spec.answer) / (spec.high - spec.low),
  said: (spec, guess) => number.gap(spec, guess) < 0.02 ? "You had it." : `You said ${digits(guess)}. It's ${digits(spec.answer)}.`,
  ask(spec, draft) {
    const { low: min, high: max, step, label = "Your guess" } = spec, shown = make("output", {}, "?");
    const moved = () => { draft.guess = +input.value; shown.textContent = digits(draft.guess); };
    const input = make("input", { type: "range", min, max, step, "aria-label": label, oninput: moved, onclick: moved });
    input.value = spec.start;
    return make("div", { class: "predict-number" }, make("span", {}, ...writtenText(label), ": ", shown),
      make("div", {}, digits(min), input, digits(max)));
  },
  tell: (spec, guess) => fitted(spec, width => {
    const at = value => 16 + (width - 32) * (value - spec.low) / (spec.high - spec.low), end = 60;
    const label = (value, y, words, look = "") => make("text", { x: at(value), y, class: look,
      "text-anchor": at(value) < end ? "start" : at(value) > width - end ? "end" : "middle" }, words);
    const svg = make("svg", { width, height: 90, role: "img", "aria-label": `On a line from ${spec.low} to ${spec.high}` },
      make("line", { x1: 16, x2: width - 16, y1: 36, y2: 36, class: "predict-axis" }),
      label(spec.low, 84, digits(spec.low)), label(spec.high, 84, digits(spec.high)));
    if (guess !== null) svg.append(make("circle", { cx: at(guess), cy: 36, r: 8, class: "predict-blue" }),
      label(guess, 18, `you: ${digits(guess)}`, "predict-blue"));
    svg.append(make("rect", { x: at(spec.answer) - 6, y: 30, width: 12, height: 12 }),
      label(spec.answer, 62, `truth: ${digits(spec.answer)}`, "predict-bold"));
    return svg;
  }),
};

function chart(spec, width) {
  const { low, high } = spec, [top, bottom] = [30, 48];
  const [left, right, edge, height] = width < 420 ? [40, 44, 10, 280] : [52, 58, 16, 340];
  const column = spec.places.map(place => left + edge + place * (width - left - right - 2 * edge));
  const row = y => height - bottom - (y - low) / (high - low) * (height - top - bottom);
  const value = pixel => low + (height - bottom - pixel) / (height - top - bottom) * (high - low);
  const svg = make("svg", { width, height, class: "predict-chart" });
  const write = (x, y, anchor, ...words) => svg.append(make("text", { x, y, "text-anchor": anchor }, ...words));
  for (const y of [0, 1, 2, 3, 4].map(k => low + (high - low) * k / 4)) {
    svg.append(make("line", { x1: left, x2: width - right, y1: row(y), y2: row(y), class: "predict-grid" }));
    write(left - 8, row(y) + 4, "end", digits(y));
  }
  let free = 0; // where the last number on the axis ends: the next one needs room
  spec.x.map(digits).forEach((text, i) => {
    const half = 4 * text.length + 1;
    if (column[i] - half < free) return;
    free = column[i] + half;
    write(column[i], height - bottom + 20, "middle", text);
  });
  write((left + width - right) / 2, height - 6, "middle", ...drawnText(spec.xlabel ?? ""));
  write(4, 14, "start", ...drawnText(spec.ylabel ?? ""));
  const line = ys => ys.map((y, i) => `${column[i]},${row(y)}`).join(" ");
  return { svg, column, row, value, line };
}

// Points to move up and down; `moved` hears of every move.
function handles(spec, ys, width, moved) {
  const { low, high } = spec, { svg, column, row, value, line } = chart(spec, width);
  const path = make("polyline", { points: line(ys), class: "predict-blue predict-dashed" });
  const points = spec.x.map((x, i) => make("circle", { cx: column[i], cy: row(ys[i]), r: 10, tabindex: 0,
    class: "predict-blue predict-handle", role: "slider", "aria-orientation": "vertical", "aria-valuemin": low,
    "aria-valuemax": high, "aria-valuenow": ys[i], onkeydown: event => pressed(event, i),
    "aria-label": `${spec.ylabel ?? "your guess"} at ${spec.xlabel ?? "x"} = ${digits(x)}` }));
  function move(i, y) {
    ys[i] = +digits(clamp(y, low, high));
    points[i].setAttribute("cy", row(ys[i]));
    points[i].setAttribute("aria-valuenow", ys[i]);
    path.setAttribute("points", line(ys));
    moved();
  }
  function pressed(event, i) {
    const step = (high - low) / 40, jump = (high - low) / 8, beside = { ArrowLeft: i - 1, ArrowRight: i + 1 }[event.key];
    const to = { ArrowUp: ys[i] + step, ArrowDown: ys[i] - step, PageUp: ys[i] + jump, PageDown: ys[i] - jump,
      Home: low, End: high }[event.key];
    if (beside === undefined && to === undefined) return;
    event.preventDefault();
    if (to === undefined) points[beside]?.focus();
    else move(i, to);
  }
  // A stroke of the mouse or a finger: the point it starts on follows it up and down, others when it passes them.
  let last = null, held;
  const place = event => {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const begin = event => {
    const [x, y] = last = place(event), away = column.map(at => Math.abs(at - x));
    held = away.indexOf(Math.min(...away));
    move(held, value(y));
    points[held].focus();
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  };
  const go = event => {
    if (!last) return;
    const [x, y] = place(event), [x0, y0] = last;
    if (Math.abs(x - column[held]) < 20 && Math.abs(y - y0) >= Math.abs(x - x0)) move(held, value(y));
    column.forEach((at, i) => {
      if (x !== x0 && (at - x0) * (at - x) <= 0) move(i, value(y0 + (y - y0) * (at - x0) / (x - x0)));
    });
    last = [x, y];
  };
  const stop = () => { last = null; };
  for (const [name, f] of Object.entries({ pointerdown: begin, pointermove: go, pointerup: stop, pointercancel: stop }))
    svg.addEventListener(name, f);
  svg.append(path, ...points);
  return svg;
}

const curve = {
  missing: "Draw your curve first",
  fits: (spec, guess) => Array.isArray(guess) && guess.length === spec.x.length && guess.every(y => number.fits(spec, y)),
  gap: (spec, guess) => mean(guess.map((y, i) => Math.abs(y - spec.answer[i]))) / (spec.high - spec.low),
  said(spec, guess) {
    const gap = curve.gap(spec, guess);
    return gap < 0.05 ? "You had it." : `Your curve is off by ${Math.round(100 * gap)} % of the height, on average.`;
  },
  ask(spec, draft) {
    const ys = spec.x.map(() => (spec.low + spec.high) / 2), moved = () => { draft.guess = [...ys]; };
    return make("div", {}, fitted(spec, width => handles(spec, ys, width, moved)), make("p", { class: "predict-hint" },
      "Draw with the mouse or a finger. By keyboard, go from point to point with ← and →, and move one with ↑ and ↓."));
  },
  tell: (spec, guess) => fitted(spec, width => {
    const { svg, column, row, line } = chart(spec, width), end = column.length - 1, { answer } = spec;
    const tooClose = guess && Math.abs(row(guess[end]) - row(answer[end])) < 16;
    const shift = tooClose ? (guess[end] > answer[end] ? 10 : -10) : 0;
    const label = (y, words, look) => make("text", { x: column[end] + 12, y: y + 4, class: look }, words);
    const values = [guess ? `Your guess: ${guess.map(digits).join(", ")}. ` : "", `The truth: ${answer.map(digits).join(", ")}.`];
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", values.join(""));
    if (guess) svg.append(make("polyline", { points: line(guess), class: "predict-blue predict-dashed" }),
      ...guess.map((y, i) => make("circle", { cx: column[i], cy: row(y), r: 6, class: "predict-blue" })),
      label(row(guess[end]) - shift, "you", "predict-blue"));
    svg.append(make("polyline", { points: line(answer) }),
      ...answer.map((y, i) => make("rect", { x: column[i] - 5, y: row(y) - 5, width: 10, height: 10 })),
      label(row(answer[end]) + shift, "truth", "predict-bold"));
    return svg;
  }),
};

// ---- The form itself: open, or settled with a guess. It's drawn again only when the guess changes.

const button = (words, onclick) => make("button", { type: "button", onclick }, words);
const buttons = (...all) => make("div", { class: "predict-buttons" }, ...all);
const moved = (tag, attributes, from) => make(tag, attributes, ...from.childNodes);

function prediction(place, stored, spec, memory) {
  const kind = { pick, number, curve }[spec.kind], draft = {};
  spec.html = [...stored.querySelectorAll("li")].map(item => moved("span", {}, item));
  const question = moved("legend", { tabindex: -1 }, stored.querySelector(".predict-question"));
  const words = [...stored.querySelectorAll(".predict-fold > :not(summary, .predict-answer)")];
  const truth = make("div", { class: "predict-truth", tabindex: -1 });
  const note = make("p", { class: "predict-note", role: "status" });
  const form = make("form", { onsubmit: event => {
    event.preventDefault();
    if (draft.guess === undefined) note.textContent = `${kind.missing}, or take “Just show me”.`;
    else commit(draft.guess);
  } });
  spec.form = form;
  const put = found => { memory.put({ [spec.name]: found }); draw(); };
  const commit = guess => put({ kind: spec.kind, guess, gap: guess === null ? null : +kind.gap(spec, guess).toFixed(4),
    question: spec.question, when: new Date().toISOString().slice(0, 19) });
  const found = () => { // a guess may be older than the question
    const guess = memory.all()[spec.name];
    return guess && (guess.guess === null || kind.fits(spec, guess.guess)) ? guess : undefined;
  };
  function settled({ guess }) {
    truth.replaceChildren(...guess === null ? [] : [make("p", { class: "predict-said" }, kind.said(spec, guess))], ...words);
    const again = button(guess === null ? "Ask me again" : "Clear my guess", () => put(null));
    return [make("fieldset", {}, question, kind.tell(spec, guess)), truth, buttons(again), note];
  }
  function open() {
    delete draft.guess;
    const choices = buttons(make("button", { type: "submit" }, "Commit"), button("Just show me", () => commit(null)));
    return [make("fieldset", {}, question, kind.ask(spec, draft)), choices, note];
  }
  let drawn = null;
  function draw() {
    const now = found(), focused = place.contains(document.activeElement);
    note.textContent = now ? memory.note() : "";
    if (JSON.stringify(now) === drawn) return;
    drawn = JSON.stringify(now);
    form.replaceChildren(...now ? settled(now) : open());
    if (focused) (now ? truth : question).focus({ preventScroll: true }); // what was pressed is gone
  }
  place.append(form);
  memory.listen(draw);
  draw();
}

// How well the reader predicted, group by group: a mark for each guess, and the biggest surprise.
function scores(place, stored, spec, memory) {
  const GRADES = [["●", "right", 0.05], ["◐", "close", 0.2], ["○", "off", Infinity]];
  const grade = ({ gap }) => GRADES.find(([, , below]) => gap < below);
  const count = (guesses, word) => guesses.filter(guess => grade(guess)[1] === word).length;
  function row([title, starts], guesses) {
    const own = guesses.filter(({ name }) => starts.includes(name.split("/")[0]));
    const marks = own.map(guess => make("span", { title: `${guess.question} (${grade(guess)[1]})` }, grade(guess)[0]));
    const right = own.length ? `${count(own, "right")} of ${own.length} right` : "no guess yet";
    return make("tr", {}, make("th", { scope: "row" }, title), make("td", { class: "predict-blue" }, ...marks), make("td", {}, right));
  }
  function draw() {
    const names = Object.keys(memory.all()).sort();
    const guesses = names.map(name => ({ ...memory.all()[name], name })).filter(({ gap }) => typeof gap === "number");
    const [worst] = [...guesses].sort((one, other) => other.gap - one.gap);
    const counts = GRADES.map(([mark, word]) => `${count(guesses, word)} ${word} ${mark}`).join(", ");
    const said = guesses.length ? `You committed to ${guesses.length}: ${counts}.` : "You haven't committed to a guess yet.";
    const parts = [make("p", { class: "predict-said" }, said), make("table", {}, ...spec.groups.map(group => row(group, guesses)))];
    if (worst?.gap >= 0.2) parts.push(make("p", {}, "Your biggest surprise: ", ...writtenText(String(worst.question))));
    const forget = () => memory.put(Object.fromEntries(names.map(name => [name, null])));
    const ask = () => choices.replaceChildren(button(`Really forget all ${names.length}`, forget), button("Keep them", draw));
    const choices = buttons(button("Forget all my guesses", ask));
    place.replaceChildren(...parts, ...names.length ? [choices] : []);
  }
  memory.listen(draw);
  draw();
}

export function mount(place, stored, memory) {
  const spec = JSON.parse(stored.dataset.predict);
  place.classList.add("predict");
  place.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab leaves the keys to us,
  place.addEventListener("keydown", event => { // and the notebook around us the arrows
    if (/^(Arrow|Page|Home|End)/.test(event.key)) event.stopPropagation();
  });
  (spec.kind === "scores" ? scores : prediction)(place, stored, spec, memory);
}

export default {
  initialize({ model }) {
    const name = model.get("forgets"), names = name === "*" ? Object.keys(browserMemory.all()) : [name];
    if (name) browserMemory.put(Object.fromEntries(names.map(each => [each, null])));
  },
  render({ model, el }) {
    const template = make("template"), place = make("div");
    template.innerHTML = model.get("html");
    el.append(place);
    const memory = model.get("browser") ? browserMemory : kernelMemory(model);
    mount(place, template.content.querySelector(".predict-stored"), memory);
  },
};
