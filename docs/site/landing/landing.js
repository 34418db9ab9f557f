// The collapse, live: scores of one query with sixteen keys, eased from width to width; the weights are computed from
// the scores that are shown, so that bar, number and winner always agree. And the knob of the real model.
"use strict";
const { scores: typical, factors, losses, texts } = JSON.parse(document.getElementById("numbers").textContent);
const $ = id => document.getElementById(id), still = matchMedia("(prefers-reduced-motion: reduce)");
const KEYS = 16, LAST = 54, REACH = 46, slider = $("slider");
const widthAt = place => Math.round(2 ** (place / 6)); // six steps to every doubling, from 1 to 512
const panels = [...document.querySelectorAll(".panel")];

function softmax(scores) {
  const top = Math.max(...scores), e = scores.map(score => Math.exp(score - top)), sum = e.reduce((a, b) => a + b);
  return e.map(x => x / sum);
}

// Another draw: running dot products of one random query with sixteen random keys, kept at the slider's widths.
function drawScores() {
  const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  const sums = Array(KEYS).fill(0), kept = {};
  for (let width = 1; width <= widthAt(LAST); width++) {
    const q = normal();
    for (let key = 0; key < KEYS; key++) sums[key] += q * normal();
    kept[width] = [...sums];
  }
  return kept;
}

let scores = typical, place = 36, tour = [], playing = false, held = 0, last = 0;
const dividedBy = [() => 1, Math.sqrt];
const aims = () => dividedBy.map(root => scores[widthAt(place)].map(score => score / root(widthAt(place))));
let shown = aims();

const percent = share => share > 0.995 && share < 0.9995 ? `${(100 * share).toFixed(1)}\u00a0%` : `${Math.round(100 * share)}\u00a0%`;

function paint() {
  panels.forEach((panel, side) => {
    const weights = softmax(shown[side]), best = weights.indexOf(Math.max(...weights));
    panel.querySelectorAll(".keys > i").forEach((key, i) => {
      key.style.setProperty("--score", Math.max(-1, Math.min(1, shown[side][i] / REACH)).toFixed(4));
      key.style.setProperty("--weight", weights[i].toFixed(4));
      key.classList.toggle("best", i === best);
    });
    const label = panel.querySelector("b");
    label.textContent = percent(weights[best]);
    label.style.setProperty("--key", best);
    label.style.setProperty("--weight", weights[best].toFixed(4));
  });
}

function frame(now) {
  const ease = 1 - Math.exp(-Math.min(60, now - last || 16) / 70);
  last = now;
  let moving = false;
  shown = shown.map((side, i) => side.map((score, key) => {
    const way = aims()[i][key] - score;
    if (Math.abs(way) < 0.01) return aims()[i][key];
    moving = true;
    return score + ease * way;
  }));
  paint();
  if (playing && now > held) {
    const next = tour.shift();
    if (next === undefined) play(false);
    else go(next), held = now + (next % 18 ? 110 : 1700); // rests at 1, 8, 64 and 512
  }
  if (moving || playing) requestAnimationFrame(frame);
  else last = 0;
}

function go(to) {
  place = Math.max(0, Math.min(LAST, to));
  slider.value = place;
  const width = widthAt(place), [raw, divided] = aims().map(side => percent(Math.max(...softmax(side))));
  const root = Math.sqrt(width), value = Number.isInteger(root) ? `= ${root}` : `≈ ${root.toFixed(1)}`;
  $("width").lastChild.textContent = ` = ${width}`;
  slider.setAttribute("aria-valuetext", `d k = ${width}`);
  $("say").innerHTML = width === 1
    ? "With one entry in each vector there’s nothing to divide yet: √1 = 1. <b>Now make the vectors wider.</b>"
    : `One query, sixteen random keys. At ${$("width").innerHTML} one key takes <b>${raw}</b> of the attention. `
      + `Divide the scores by √${width} ${value} first, and the largest share is <b>${divided}</b>.`;
  if (still.matches) shown = aims(), paint();
  else if (!last) requestAnimationFrame(frame);
}

function play(on) {
  playing = on;
  $("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  tour = [...Array(LAST + 1).keys()].filter(step => step % 2 === 0);
  held = 0;
  requestAnimationFrame(frame);
}

let telling;
function byHand(to) { // a reader took over: what they see is read out once they rest
  play(false);
  go(to);
  clearTimeout(telling);
  telling = setTimeout(() => { $("heard").textContent = $("say").textContent; }, 600);
}

slider.addEventListener("input", () => byHand(Number(slider.value)));
$("play").addEventListener("click", () => play(!playing));
$("draw").addEventListener("click", () => { scores = drawScores(); byHand(Math.max(place, 36)); });

const knob = $("knob");
knob.addEventListener("input", () => {
  const at = Number(knob.value), dots = document.querySelectorAll(".curve circle");
  $("factor").textContent = knob.ariaValueText = factors[at];
  $("text").textContent = texts[at];
  dots.forEach(dot => dot.classList.toggle("here", dot.dataset.loss === String(losses[at])));
});

document.body.classList.add("moves");
if (!still.matches) play(true);
still.addEventListener("change", () => still.matches && play(false));
