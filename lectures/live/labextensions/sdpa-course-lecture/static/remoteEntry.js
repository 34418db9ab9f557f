// A small JupyterLab extension, written by hand so that nothing has to be built. It does five things in a slideshow:
//
// 1. jupyterlab-rise 0.43 leaves out the module @jupyterlab/console, without which the widgets' extension does not
//    load (jupyterlab-contrib/rise, issue 119). Only a name of it is needed, and this supplies it.
// 2. It runs all cells once, in the background, so that every slider is alive before the lecturer comes to it.
// 3. It lowers the sizes on a slide that would not fit (--fit in rise.css).
// 4. Arrow keys pressed on a slider move the slider, not the slides.
// 5. T opens the speaker notes in a window of their own. (RISE's window loads the talk twice more, as itself.)

(() => {
  const NAME = "sdpa-course-lecture", CONSOLE = "@jupyterlab/console";
  let modules; // what the page shares with extensions: name -> version -> { get }

  const shared = async name => (await Object.values(modules[name])[0].get())();

  async function consoleModule() {
    const { Token } = await shared("@lumino/coreutils");
    const module = { IConsoleTracker: new Token(`${CONSOLE}:IConsoleTracker`) };
    return () => module;
  }

  const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  const present = () => document.querySelector(".reveal .slides section section.present");

  function fits(slide) {
    const inside = box => box.scrollWidth <= box.clientWidth + 1;
    const large = image => !image.clientHeight || image.clientHeight >= 0.36 * innerHeight;
    return slide.scrollHeight <= slide.clientHeight && [...slide.querySelectorAll("img")].every(large)
      && [...slide.querySelectorAll(".cm-scroller, .jp-OutputArea-child, .jp-MarkdownOutput, mjx-container")].every(inside);
  }

  function fit(slide) {
    for (let size = 1; size >= 0.5; size -= 0.05) {
      slide.style.setProperty("--fit", size);
      if (fits(slide)) return;
    }
  }

  async function keepFitting() {
    for (let before = ""; ; await pause(200)) {
      const slide = present(), heights = () => [...slide.children].map(cell => cell.offsetHeight);
      const state = () => [slide.id, innerWidth, innerHeight, ...heights()].join(" ");
      if (!slide || state() === before) continue;
      fit(slide);
      slide.dataset.fitted = "yes";
      showNotes();
      before = state();
    }
  }

  let notes; // the lecturer's window, once it is open

  function openNotes() {
    notes = window.open("", "sdpa-course-notes", "width=760,height=640");
    if (!notes) return; // the browser blocks windows, and says so
    const styles = [...document.querySelectorAll("style, link[rel=stylesheet]:not([href*=rise])")];
    notes.document.head.replaceChildren(...styles.map(style => style.cloneNode(true)));
    notes.document.title = "Speaker notes";
    notes.document.body.style.cssText = "padding: 1em 1.5em; overflow: auto; font-size: 20px; --jp-content-font-size1: 20px";
    showNotes();
  }

  function showNotes() {
    if (!notes || notes.closed) return;
    const said = present().querySelectorAll("aside.notes .jp-RenderedMarkdown");
    const parts = [document.querySelector(".slide-number"), ...said].map(part => part.cloneNode(true));
    notes.document.body.replaceChildren(...parts);
    notes.document.querySelectorAll("details").forEach(details => { details.open = true; });
  }

  function listenToKeys() {
    const moves = event => event.target.closest(".noUi-handle") && /^(Arrow|Home|End|Page)/.test(event.key);
    const typing = event => event.target.closest("input, textarea, .jp-mod-editMode .cm-content");
    window.addEventListener("keydown", event => {
      if (moves(event)) event.preventDefault(); // JupyterLab's shortcuts leave an event alone that somebody has claimed
      if (event.key.toLowerCase() !== "t" || event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      openNotes();
    }, true);
    document.querySelector(".reveal").addEventListener("keydown", event => { // reveal.js listens above the slides
      if (moves(event) || event.target.closest(".widget-checkbox")) event.stopPropagation();
    });
  }

  async function runAll(panel) {
    const { CodeCell } = await shared("@jupyterlab/cells");
    await panel.context.ready;
    await panel.sessionContext.ready;
    while (!present()) await pause(100);
    void keepFitting();
    listenToKeys();
    const cells = panel.content.widgets.filter(cell => cell instanceof CodeCell);
    const progress = document.body.appendChild(document.createElement("div"));
    progress.id = "lecture-progress";
    for (const [i, cell] of cells.entries()) {
      progress.textContent = `running cell ${i + 1} of ${cells.length}`;
      await CodeCell.execute(cell, panel.sessionContext).catch(() => undefined); // its error is shown
    }
    progress.remove();
    document.documentElement.dataset.lecture = "ready";
  }

  async function extension() {
    const { INotebookTracker } = await shared("@jupyterlab/notebook");
    const plugin = {
      id: `${NAME}:run-all`,
      autoStart: true,
      requires: [INotebookTracker],
      activate: (app, tracker) => {
        if (location.pathname.includes("/rise/")) tracker.widgetAdded.connect((_, panel) => void runAll(panel));
      },
    };
    return () => ({ __esModule: true, default: plugin });
  }

  (window._JUPYTERLAB ??= {})[NAME] = {
    init: async given => {
      modules = given;
      modules[CONSOLE] ??= { "4.6.2": { get: consoleModule, from: NAME, eager: false, loaded: 1 } };
    },
    get: extension,
  };
})();
