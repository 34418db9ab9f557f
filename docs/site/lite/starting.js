// Says what's happening while Python starts in the page, and how far along it is. It goes when Python is ready.

if (new URLSearchParams(location.search).get("path")?.endsWith(".ipynb")) {
  const NAME = "sdpa-course seconds to start", begun = performance.now(), before = Number(localStorage.getItem(NAME));
  const box = document.createElement("div");
  box.id = "starting";
  box.setAttribute("role", "status");
  box.style.cssText = "position:fixed;z-index:9999;inset:auto 0 0;margin:0 auto 18px;width:min(30rem,92vw);padding:12px 16px;"
    + "border-radius:12px;background:#1f2933;color:#fff;font:15px/1.45 system-ui,sans-serif;box-shadow:0 4px 18px #0005";
  box.innerHTML = "<div></div><progress max='1' value='0' aria-label='How far along' style='width:100%;accent-color:#f5b838'></progress>";
  const [words, bar] = box.children, expected = before || 45;

  const stage = () => {
    const panel = window.jupyterapp?.shell.currentWidget, kernel = panel?.sessionContext?.session?.kernel;
    if (!window.jupyterapp) return [1, "Step 1 of 3: opening the lab"];
    if (!kernel) return [2, "Step 2 of 3: opening the notebook"];
    return ["idle", "busy"].includes(kernel.status) ? [4, "Python is ready. Shift + Enter runs a cell."] : [3, "Step 3 of 3: starting Python and NumPy"];
  };

  const tell = () => {
    const seconds = (performance.now() - begun) / 1000, [step, sentence] = stage();
    const usual = before ? `last time it took ${Math.round(before)}` : "the first time it can take a minute";
    words.textContent = step === 4 ? sentence : `${sentence}. ${Math.round(seconds)} seconds so far; ${usual}.`;
    bar.value = step === 4 ? 1 : Math.min(0.95, Math.max((step - 1) / 10, seconds / expected));
    if (step < 4 && seconds < 300) return setTimeout(tell, 300);
    if (step === 4) localStorage.setItem(NAME, String(seconds));
    setTimeout(() => box.remove(), 4000);
  };

  document.body.append(box);
  tell();
}
