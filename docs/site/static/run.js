// On a phone the lab has no room beside its list of files: there a notebook opens alone.

document.addEventListener("click", event => {
  const link = event.target.closest("a[href*='lite/lab/index.html']");
  if (link && matchMedia("(max-width: 600px)").matches) link.href = link.href.replace("lite/lab/", "lite/notebooks/");
});
