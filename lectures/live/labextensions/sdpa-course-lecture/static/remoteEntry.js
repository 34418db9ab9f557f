// A small JupyterLab extension, written by hand so that nothing has to be built. It does four things in a slideshow:
//
// 1. jupyterlab-rise 0.43 leaves out the module @jupyterlab/console, without which the widgets' extension does not
//    load (jupyterlab-contrib/rise, issue 119). Only a name of it is needed, and this supplies it.
// 2. It runs all cells once, in the background, so that every slider is alive before the lecturer comes to it.
// 3. It lowers the sizes on a slide that would not fit (--fit in rise.css).
// 4. Keys pressed on a slider move the slider, not the slides.

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
      before = `${slide.id} ${slide.scrollHeight} ${innerWidth} ${innerHeight}`;
    }
  }

  function keysBelongToSliders() {
    // JupyterLab's shortcuts leave an event alone that somebody has claimed; reveal.js listens above the slides.
    const claim = event => { if (event.target.closest(".noUi-handle") && event.key !== " ") event.preventDefault(); };
    window.addEventListener("keydown", claim, true);
    const stop = event => { if (event.target.closest(".jupyter-widgets")) event.stopPropagation(); };
    document.querySelector(".reveal").addEventListener("keydown", stop);
  }

  async function runAll(panel) {
    const { CodeCell } = await shared("@jupyterlab/cells");
    await panel.context.ready;
    await panel.sessionContext.ready;
    while (!present()) await pause(100);
    void keepFitting();
    keysBelongToSliders();
    for (const cell of panel.content.widgets) {
      if (cell instanceof CodeCell) await CodeCell.execute(cell, panel.sessionContext).catch(() => undefined); // its error is shown
    }
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
