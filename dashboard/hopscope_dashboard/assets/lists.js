/* The list of collectives (pages/communication/collectives.py), which the server orders and searches. The user's order
   and search go into the address and to the server. Columns that do not fit are hidden, and named. Enter on a cell
   follows the row's link. */

(function () {
  var GRID = "collectives-grid", HIDDEN = "collectives-hidden";
  var known = null;

  /* Sets parameters of the address, without a step in the browser's history. null removes a parameter. */
  function note(parameters) {
    var address = new URL(location.href);
    Object.keys(parameters).forEach(function (name) {
      if (parameters[name] === null || parameters[name] === "") address.searchParams.delete(name);
      else address.searchParams.set(name, parameters[name]);
    });
    history.replaceState(history.state, "", address.pathname + address.search);
    saveAll(address.searchParams);
  }

  /* Changes the link that saves the list, so that it saves the rows that the list shows. */
  function saveAll(asked) {
    var link = document.getElementById("collectives-csv");
    if (!link) return;
    var all = new URL(link.href), words = { order: asked.get("order") || "worst", reverse: asked.get("reverse") ? "true" : null,
      search: asked.get("search"), least_ms: asked.get("least") };
    Object.keys(words).forEach(function (name) {
      if (words[name]) all.searchParams.set(name, words[name]);
      else all.searchParams.delete(name);
    });
    link.href = all.pathname + all.search;
  }

  function grid() {
    return window.dash_ag_grid.getApiAsync(GRID);
  }

  /* Shows as many columns as fit, those with the lowest `last` first, and names the hidden ones. */
  function fit(api, all) {
    var columns = api.getColumns(), frame = document.getElementById(GRID), told = document.getElementById(HIDDEN);
    if (!columns || !frame || !told || !frame.clientWidth) return;
    var free = frame.clientWidth - 20, shown = {}, hidden = [];
    columns.slice().sort(function (a, b) { return a.getColDef().context.last - b.getColDef().context.last; }).forEach(function (column) {
      free -= column.getMinWidth();
      if (free >= 0 || all) shown[column.getColId()] = true;
      else free = -1;
    });
    columns.forEach(function (column) {
      var id = column.getColId(), visible = id in shown;
      if (column.isVisible() !== visible) api.setColumnsVisible([id], visible);
      if (!visible) hidden.push(column.getColDef().headerName);
    });
    if (!all) api.sizeColumnsToFit(frame.clientWidth - 20);
    told.replaceChildren();
    if (!hidden.length) return;
    told.append((hidden.length === 1 ? "1 column is" : hidden.length + " columns are") + " hidden: " + hidden.join(", ") + ". ");
    var button = document.createElement("button");
    button.type = "button";
    button.className = "button small";
    button.textContent = "Show all and scroll";
    button.addEventListener("click", function () { fit(api, true); });
    told.append(button);
  }

  function watch(api) {
    if (known === api) return;
    known = api;
    api.addEventListener("gridSizeChanged", function () { fit(api); });
    fit(api);
  }

  document.addEventListener("keydown", function (event) {
    if (event.key !== "Enter" || event.target.tagName === "A" || !event.target.closest) return;
    var row = event.target.closest(".grid .ag-row"), link = row && row.querySelector("a[href]");
    if (link) link.click();
  });

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    hopscope_lists: {
      /* Takes up what the user chose or typed above the list. It is also called when the page is drawn; a grid that was
         already there then asks the server again. */
      ask: function (order, search, least) {
        note({ search: search, least: least === "0" ? null : least });
        if (order) note({ order: order === "worst" ? null : order, reverse: null });
        grid().then(function (api) {
          var fresh = known !== api;
          watch(api);
          if (order) api.applyColumnState({ defaultState: { sort: null } });
          if (!fresh) api.purgeInfiniteCache();
        });
        return window.dash_clientside.no_update;
      },

      /* Takes up a click on a column's heading: the list is then ordered by the column instead of one of the orders
         above the list. */
      sorted: function (asked, order) {
        var by = asked && asked.sortModel && asked.sortModel[0], column = by && known && known.getColumn(by.colId);
        if (!column) return order || !asked || by ? window.dash_clientside.no_update : "worst";
        var means = column.getColDef().context;
        note({ order: means.order, reverse: by.sort === means.usual ? null : "1" });
        return order ? "" : window.dash_clientside.no_update;
      },
    },
  });
})();
