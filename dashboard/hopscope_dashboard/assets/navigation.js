/* Functions that lead from a clicked element to an address, in the browser alone. */

window.dash_clientside = Object.assign({}, window.dash_clientside, {
  hopscope: {
    /* Leads from a row of the list of collectives to the collective's timeline. A row's id is COMM:SEQ. The link in the
       first column works by itself. */
    openTimeline: function (clicked) {
      var name = clicked && clicked.colId !== "collective" ? String(clicked.rowId).split(":") : [];
      if (name.length !== 2) return window.dash_clientside.no_update;
      return "/collective?comm=" + name[0] + "&seq=" + name[1];
    },

    /* Shows a page that took long in place of its notice, unless another page is open by now. */
    showReady: function (ready, path, search) {
      var no = window.dash_clientside.no_update;
      var open = (path || "/") + "?" + (search || "").replace(/^\?/, "");
      return ready && ready.href === open ? [ready.page, ready.title] : [no, no];
    },

    /* Puts a query into the address, from which its result is drawn. If the query is there already, it runs again. */
    runQuery: function (clicks, text, search) {
      var no = window.dash_clientside.no_update, asked = new URLSearchParams(search);
      if (!clicks || !text || !text.trim()) return [no, no];
      if (asked.get("sql") === text) return [no, Date.now().toString(36) + Math.random().toString(36)];
      asked.set("sql", text);
      return ["?" + asked, no];
    },

    /* Leads to the entry that the user chose in a list. Drawing a list calls this too, but then the list's value is
       still the current one. */
    followSelect: function () {
      var lists = window.dash_clientside.callback_context.inputs_list[0];
      var used = lists.find(function (each) {
        return each.value && each.value !== each.id.current;
      });
      return used ? used.value : window.dash_clientside.no_update;
    },
  },
});

/* Ctrl-Enter in the box of a query clicks its button. */
document.addEventListener("keydown", function (event) {
  if (event.target.id !== "sql-box" || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  document.getElementById("sql-run").click();
});
