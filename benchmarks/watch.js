/* Measures how long the result of a click takes to appear. A page is useful once it shows something of the run: a
   timeline, or the page itself. It is whole once the server has answered and nothing has changed for some frames. */

(() => {
  const STILL = 4, LONGEST_MS = 300000;
  let answered = 0, pending = 0, changed = false;

  const ask = window.fetch;
  window.fetch = (...what) => {
    const forPage = Boolean(what[1] && String(what[1].body || "").includes("content.children"));
    pending++;
    return ask(...what).finally(() => {
      pending--;
      if (forPage) answered++;
    });
  };

  const all = (what) => [...document.querySelectorAll("#content " + what)];
  const isReady = (canvas) => canvas.dataset.state === "ready";
  const isDrawn = () => all(".dash-graph").every((graph) => graph.querySelector(".main-svg")) && all(".run-canvas").every(isReady);
  const isBusy = () => pending > 0 || document.querySelector("#working, [data-dash-is-loading=true]");

  /* Milliseconds from `begin` until the page was useful, and until it was whole. */
  function page(act, begin) {
    const before = act ? answered : 0, old = new Set(all(".run-canvas canvas"));
    const isNew = (canvas) => isReady(canvas) && !old.has(canvas.querySelector("canvas"));
    let useful = null, still = null, frames = 0, watching = null;
    if (act) act();
    return new Promise((resolve, reject) => {
      const look = () => {
        const now = performance.now(), content = document.getElementById("content");
        if (now - begin > LONGEST_MS) return reject(new Error("the page does not come to rest"));
        if (content && !watching) {
          watching = new MutationObserver(() => { changed = true; });
          watching.observe(content, { childList: true, subtree: true });
          changed = !act;
        }
        const there = answered > before && document.querySelector("#content h1, #content h2");
        if (there && useful === null && all(".run-canvas").some(isNew)) useful = now;
        if (!there || changed || isBusy() || !isDrawn()) frames = 0;
        else if (frames++ === 0) still = now;
        if (there) changed = false;
        if (frames < STILL) return requestAnimationFrame(look);
        watching.disconnect();
        resolve([Math.min(useful ?? still, still) - begin, still - begin]);
      };
      look();
    });
  }

  window.hopscopeBench = {
    opened: () => page(null, 0),
    clicked: (selector) => page(() => document.querySelector(selector).click(), performance.now()),
    selected: (search) => page(() => window.hopscope_selection.go(location.pathname + search), performance.now()),
    pressed: (key) => {
      const begin = performance.now(), canvas = document.querySelector("#content .run-canvas");
      canvas.querySelector("canvas").dispatchEvent(new KeyboardEvent("keydown", { key }));
      return new Promise((resolve) => {
        const look = () => (isReady(canvas) ? resolve(performance.now() - begin) : requestAnimationFrame(look));
        look();
      });
    },
  };
})();
