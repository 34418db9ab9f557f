// What is wrong with the slide that is shown: a list of sentences, empty if all is well.
() => {
  const slide = Reveal.getCurrentSlide(), page = slide.querySelector(".page"), found = [];
  const box = page.getBoundingClientRect(), scale = box.width / 1280;
  const name = element => `${element.tagName} ${element.textContent.trim().slice(0, 40)}`;
  if (box.left < -1 || box.right > innerWidth + 1 || box.top < -1 || box.bottom > innerHeight + 1) {
    found.push("the slide is larger than the window");
  }

  // Nothing leaves the page or its own place, nothing is too small to read.
  const visible = [...page.querySelectorAll("*:not(svg *)")].filter(e => e.getClientRects().length);
  for (const element of visible) {
    const rect = element.getBoundingClientRect(), style = getComputedStyle(element), margin = 8 * scale;
    const inside = rect.bottom <= box.bottom - margin && rect.right <= box.right - margin && rect.left >= box.left && rect.top >= box.top;
    if (!inside) found.push(`cut off: ${name(element)}`);
    if (style.display !== "inline" && element.clientWidth && element.scrollWidth > element.clientWidth + 1) {
      found.push(`wider than its place: ${name(element)}`);
    }
    const speaks = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const size = parseFloat(style.fontSize), least = element.closest("pre, code") ? 20 : 22; // letters of one width are wide
    if (speaks && size < least) found.push(`text of ${size.toFixed(1)} px: ${name(element)}`);
  }
  for (const svg of page.querySelectorAll(".picture svg")) { // drawn for 22 pixels at this scale
    const size = 22 * svg.getScreenCTM().a * 0.72 / svg.dataset.scale / scale;
    if (svg.getClientRects().length && size < 21.5) found.push(`text of ${size.toFixed(1)} px in the picture`);
  }

  // Pictures are there, large, and have words.
  for (const image of visible.filter(e => e.matches("img, .picture svg"))) {
    if (image.matches("img") && !(image.complete && image.naturalWidth)) found.push("a picture is missing");
    else if (image.getBoundingClientRect().height < 260 * scale) found.push("a picture is small");
    if (!(image.alt ?? image.ariaLabel)) found.push("a picture has no words");
  }

  // Nothing lies on something else.
  const kinds = "p, pre, h1, h2, h3, img, ul, ol, table, mjx-container[display=true], label";
  const blocks = visible.filter(e => e.matches(kinds) && !e.parentElement.closest("li, table"));
  for (const [i, a] of blocks.entries()) for (const b of blocks.slice(i + 1)) {
    if (a.contains(b) || b.contains(a)) continue;
    const r = a.getBoundingClientRect(), s = b.getBoundingClientRect();
    const across = Math.min(r.right, s.right) - Math.max(r.left, s.left), down = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
    if (across > 2 && down > 2) found.push(`one on the other: ${name(a)} and ${name(b)}`);
  }

  // Mathematics is set, on the slide and in its notes.
  const texts = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("pre, code, script, style")) continue;
    if (/\$|\\[a-zA-Z]{2,}|\\[({[]/.test(text.data)) found.push(`mathematics as text: ${text.data.trim().slice(0, 60)}`);
  }
  if (slide.querySelector("mjx-merror, [data-mjx-error]")) found.push("mathematics with an error");

  const body = page.querySelector(".body");
  if (!body.innerText.trim() && !visible.some(e => body.contains(e) && e.matches("img, svg"))) found.push("nothing under the title");
  if ([...page.querySelectorAll(".control")].some(e => !visible.includes(e))) found.push("a control is hidden");
  return found;
}
