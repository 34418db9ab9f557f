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

  function fit(slide) {
    for (let size = 1; size >= 0.6; size -= 0.05) {
      slide.style.setProperty("--fit", size);
      const wide = [...slide.querySelectorAll(".cm-scroller, pre")].some(box => box.scrollWidth > box.clientWidth + 1);
      if (!wide && slide.scrollHeight <= innerHeight * 0.97) return;
    }
  }

  async function keepFitting() {
    for (let before = ""; ; await pause(200)) {
      const slide = present(), now = slide && `${slide.id} ${slide.scrollHeight} ${innerWidth} ${innerHeight}`;
      if (!slide || now === before) continue;
      fit(slide);
      slide.dataset.fitted = "yes";
      showNotes();
      before = `${slide.id} ${slide.scrollHeight} ${innerWidth} ${innerHeight}`;
    }
  }

  let notes; // the lecturer's window, once it is open

  function openNotes() {
    notes = window.open("", "sdpa-course-notes", "width=760,height=640");
    if (!notes) return; // the browser blocks windows, and says so
    notes.document.title = "Speaker notes";
    const styles = [...document.querySelectorAll("style, link[rel=stylesheet]:not([href*=rise])")];
    notes.document.head.replaceChildren(...styles.map(style => style.cloneNode(true)));
    notes.document.body.className = "";
    notes.document.body.style.cssText = "padding: 1em 1.5em; overflow: auto; font-size: 20px; --jp-content-font-size1: 20px";
    showNotes();
  }

  function showNotes() {
    if (!notes || notes.closed) return;
    const place = notes.document.createElement("p");
    place.textContent = document.querySelector(".slide-number")?.textContent ?? "";
    const said = [...present().querySelectorAll("aside.notes .jp-RenderedMarkdown")].map(text => text.cloneNode(true));
    notes.document.body.replaceChildren(place, ...said);
    notes.document.querySelectorAll("details").forEach(details => { details.open = true; });
  }

  function keysBelongToSliders() {
    // JupyterLab's shortcuts leave an event alone that somebody has claimed; reveal.js listens above the slides.
    const moves = event => event.target.closest(".noUi-handle") && /^(Arrow|Home|End|Page)/.test(event.key);
    window.addEventListener("keydown", event => { if (moves(event)) event.preventDefault(); }, true);
    const own = event => moves(event) || event.target.closest(".widget-checkbox");
    document.querySelector(".reveal").addEventListener("keydown", event => { if (own(event)) event.stopPropagation(); });
  }

  function keyForNotes() {
    const typing = element => element.closest("input, textarea, .jp-mod-editMode .cm-content");
    window.addEventListener("keydown", event => {
      if (event.key.toLowerCase() !== "t" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      openNotes();
    }, true);
  }

  function progress(text) {
    const place = document.querySelector("#lecture-progress") ?? document.body.appendChild(document.createElement("div"));
    place.id = "lecture-progress";
    place.textContent = text;
  }

  async function runAll(panel) {
    const { CodeCell } = await shared("@jupyterlab/cells");
    await panel.context.ready;
    await panel.sessionContext.ready;
    while (!present()) await pause(100);
    void keepFitting();
    keysBelongToSliders();
    keyForNotes();
    const cells = panel.content.widgets.filter(cell => cell instanceof CodeCell);
    for (const [i, cell] of cells.entries()) {
      progress(`running cell ${i + 1} of ${cells.length}`);
      await CodeCell.execute(cell, panel.sessionContext).catch(() => undefined); // its error is shown
    }
    progress("");
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
