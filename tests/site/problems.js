// What is wrong with a page of the site as it is shown: a list of sentences, empty if all is well.
colours => {
  const found = new Set(), article = document.querySelector("article") ?? document.querySelector("main");
  const name = element => `${element.tagName} ${(element.alt ?? element.textContent).trim().slice(0, 40)}`;

  // The page is no wider than the window; what is wider moves in a place of its own.
  if (document.documentElement.scrollWidth > innerWidth) found.add("the page scrolls sideways");
  const scrolls = element => element && element !== document.body &&
    (["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  for (const element of article.querySelectorAll("*")) {
    const box = element.getBoundingClientRect();
    if (box.width <= 1 || box.right <= innerWidth + 1 || element.closest("mjx-assistive-mml, svg *")) continue;
    if (!scrolls(element)) found.add(`beyond the edge: ${name(element)}`);
  }

  // Pictures are there and have words.
  for (const image of document.images) {
    const shown = getComputedStyle(image.closest("a") ?? image).display !== "none"; // not drawn for the other room
    if (shown && !(image.complete && image.naturalWidth)) found.add(`a picture is missing: ${image.src}`);
    if (!image.alt.trim()) found.add(`a picture has no words: ${image.src}`);
  }

  // Mathematics is set.
  const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("pre, code, script, style, mjx-container")) continue;
    if (/\$|\\[a-zA-Z]{2,}|\\[({[]/.test(text.data)) found.add(`mathematics as text: ${text.data.trim().slice(0, 60)}`);
  }
  if (document.querySelector("mjx-merror, [data-mjx-error]")) found.add("mathematics with an error");
  for (const place of article.querySelectorAll(".math")) {
    if (!place.querySelector("mjx-container")) found.add(`mathematics not set: ${name(place)}`);
  }

  for (const formula of article.querySelectorAll("mjx-container")) {
    const shown = formula.getBoundingClientRect(), whole = formula.querySelector("mjx-math").getBoundingClientRect();
    if (whole.width && whole.left < shown.left - 3) found.add(`mathematics cut off: ${name(formula)}`);
  }

  // Light is light, dark is dark, and the text stands out from it.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = colour => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    const [x, y, z] = [r, g, b].map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return a < 255 ? null : 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = element => element ? light(getComputedStyle(element).backgroundColor) ?? ground(element.parentElement) : 1;
  if ((ground(article) > 0.5) !== (colours === "light")) found.add(`the page is not ${colours}`);
  for (const element of article.querySelectorAll("p, li, td, th, summary, h1, h2, h3, pre, label, output, .numbers, .verdict, a")) {
    if (!element.getClientRects().length || element.matches(".headerlink") || !element.textContent.trim()) continue;
    const ink = light(getComputedStyle(element).color), paper = ground(element);
    if (ink === null) continue;
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) found.add(`contrast of ${contrast.toFixed(1)}: ${name(element)}`);
  }

  const titles = [...document.querySelectorAll("h1")].filter(title => title.getClientRects().length);
  if (titles.length !== 1) found.add("not one heading of the first level");
  if (!document.title.trim()) found.add("no title");
  return [...found];
}
