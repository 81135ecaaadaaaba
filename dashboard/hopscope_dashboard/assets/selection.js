/* Keeps the selected part of the run (selection.py) in addresses that the browser itself makes: the timeline changes the
   address without drawing the page again, so that the links beside it do not know. A link that names a parameter, even
   with no value, says itself what it shall be. */

(function () {
  var NAMES = ["from", "to", "ranks", "communicator", "operation", "region", "place", "iteration-at", "trace"];
  var push = history.pushState.bind(history);

  history.pushState = function (state, title, address) {
    var to = new URL(address, location.href), now = new URLSearchParams(location.search);
    if (to.origin === location.origin && to.pathname !== location.pathname) {
      NAMES.forEach(function (name) {
        if (!to.searchParams.has(name) && now.get(name)) to.searchParams.set(name, now.get(name));
      });
    }
    NAMES.forEach(function (name) {
      if (to.searchParams.has(name) && !to.searchParams.get(name)) to.searchParams.delete(name);
    });
    push(state, title, to.pathname + to.search + to.hash);
  };

  /* The form for a part of the run: its fields are the address's parameters. The page may send no form anywhere. */
  document.addEventListener("submit", function (event) {
    if (event.target.id !== "selection-form") return;
    event.preventDefault();
    var asked = new URLSearchParams(new FormData(event.target));
    history.pushState({}, "", new URL(event.target.action).pathname + "?" + asked);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
  });
})();
