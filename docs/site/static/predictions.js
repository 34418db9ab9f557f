// Turns each stored prediction into the form that a notebook shows. The guesses stay in this browser.

import { browserMemory, mount } from "./predict.js";

for (const stored of document.querySelectorAll(".predict-stored")) {
  const place = document.createElement("div");
  stored.replaceWith(place);
  mount(place, stored, browserMemory);
}
