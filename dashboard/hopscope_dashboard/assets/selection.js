/* Keeps the selected part of the run (selection.py) in every address that the browser goes to. The bar above the page
   has three facts: the parameters that select (data-names), the parameters that belong to this page alone (data-keeps),
   and this trace (data-trace). A link that names a parameter, even without a value, overrides it. */

(function () {
  var push = history.pushState.bind(history);

  function bar(what) {
    var found = document.getElementById("selection"), said = found && found.dataset[what];
    return said ? said.split(" ") : [];
  }

  /* An address with the current parameters added: for another page those that select, for this page those that it
     keeps. */
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

  /* The address of this page with other parameters; null removes one. A selection names the trace for which it was
     made. */
  function here(parameters) {
    var now = new URLSearchParams(location.search), trace = bar("trace")[0];
    Object.keys(parameters).forEach(function (name) {
      if (parameters[name] === null) now.delete(name);
      else now.set(name, parameters[name]);
    });
    if (trace && bar("names").some(function (name) { return name !== "trace" && now.get(name); })) now.set("trace", trace);
    return location.pathname + (now.toString() ? "?" + now : "");
  }

  /* Goes to an address of the application. As with a link, a modifier key or the middle button opens a new tab. */
  function go(address, event) {
    if (event && (event.ctrlKey || event.metaKey || event.shiftKey || event.button === 1)) return window.open(kept(address), "_blank", "noopener");
    var from = location.pathname;
    history.pushState({}, "", address);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
    if (location.pathname !== from) window.scrollTo(0, 0);
  }

  /* Handles the form for a part of the run, whose fields are parameters of the address. The page's policy forbids
     sending forms. */
  document.addEventListener("submit", function (event) {
    if (event.target.id !== "selection-form") return;
    event.preventDefault();
    go(new URL(event.target.action).pathname + "?" + new URLSearchParams(new FormData(event.target)));
  });

  window.hopscope_selection = { go: go, here: here };
})();
