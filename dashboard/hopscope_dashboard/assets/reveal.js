/* Brings into view what was chosen, on a page that shows it away from where one chooses (components/reveal.py). Once for each
   choice: what else changes on the page does not move it. */

(function () {
  var revealed = null, path = location.pathname;

  ["popstate", "_dashprivate_pushstate"].forEach(function (name) {
    window.addEventListener(name, function () {
      if (location.pathname !== path) revealed = null;
      path = location.pathname;
    });
  });

  function show(chosen, patience) {
    var found = document.getElementById(chosen.id);
    if (found && found.dataset.of === chosen.of) found.scrollIntoView({ block: found.clientHeight < innerHeight - 90 ? "nearest" : "start" });
    else if (patience) requestAnimationFrame(function () { show(chosen, patience - 1); });
  }

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    hopscope_reveal: {
      /* `chosen` has the element's id and what is chosen, which the element has as `data-of`; null where nothing is. */
      reveal: function (chosen) {
        if (chosen && chosen.of !== revealed) show(chosen, 100);
        revealed = chosen && chosen.of;
        return window.dash_clientside.no_update;
      },
    },
  });
})();
