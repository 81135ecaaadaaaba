/* Keeps the selected part of the run (selection.py) in the addresses that the browser goes to. The bar above the page says which
   parameters select (data-names), which the page keeps to itself (data-keeps) and which trace this is (data-trace). A link that
   names a parameter, even with no value, says itself what it shall be. */

(function () {
  var push = history.pushState.bind(history);

  function bar(what) {
    var found = document.getElementById("selection"), said = found && found.dataset[what];
    return said ? said.split(" ") : [];
  }

  /* An address with what is selected now: of another page with the selection, of this page with what it keeps. */
  function kept(address) {
    var to = new URL(address, location.href), now = new URLSearchParams(location.search), names = bar("names"), own = bar("keeps");
    (to.pathname === location.pathname ? own : names).forEach(function (name) {
      if (!to.searchParams.has(name) && now.get(name)) to.searchParams.set(name, now.get(name));
    });
    names.concat(own).forEach(function (name) {
      if (to.searchParams.has(name) && !to.searchParams.get(name)) to.searchParams.delete(name);
    });
    return to.pathname + to.search + to.hash;
  }

  history.pushState = function (state, title, address) {
    push(state, title, kept(address));
  };

  /* This page with other parameters; null takes one away. A selection says which trace it was made for. */
  function here(parameters) {
    var now = new URLSearchParams(location.search), trace = bar("trace")[0];
    Object.keys(parameters).forEach(function (name) {
      if (parameters[name] === null) now.delete(name);
      else now.set(name, parameters[name]);
    });
    if (trace && bar("names").some(function (name) { return name !== "trace" && now.get(name); })) now.set("trace", trace);
    return location.pathname + (now.toString() ? "?" + now : "");
  }

  /* Goes to an address of the application as a link does: with a key held, or the middle button, in a new tab. */
  function go(address, event) {
    if (event && (event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1)) return window.open(kept(address), "_blank", "noopener");
    var from = location.pathname;
    history.pushState({}, "", address);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
    if (location.pathname !== from) window.scrollTo(0, 0);
  }

  /* The form for a part of the run: its fields are the address's parameters. The page may send no form anywhere. */
  document.addEventListener("submit", function (event) {
    if (event.target.id !== "selection-form") return;
    event.preventDefault();
    go(new URL(event.target.action).pathname + "?" + new URLSearchParams(new FormData(event.target)));
  });

  window.hopscope_selection = { go: go, here: here };
})();
