// What the search found opens where the word stands, not at the top of a long page.

document.addEventListener("click", event => {
  const link = event.target.closest("#search-results a"), word = new URLSearchParams(location.search).get("q")?.trim().split(/\s+/)[0];
  if (link && word && !link.hash) link.href += `#:~:text=${encodeURIComponent(word)}`;
});
