/* Scrolls to the part of a page that shows what the user chose, if that part is elsewhere on the page
   (components/reveal.py). It does so once for each choice: other changes of the page do not scroll it. */

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
      /* `chosen` has the id of the element and what is chosen (`of`), which the element has as `data-of`; null if
         nothing is chosen. */
      reveal: function (chosen) {
        if (chosen && chosen.of !== revealed) show(chosen, 100);
        revealed = chosen && chosen.of;
        return window.dash_clientside.no_update;
      },
    },
  });
})();
