/* The keys of the timeline, and the list of them. They work on the whole page except where the user types. Keys that
   scroll a page work only on the picture. */

(function () {
  var LIST = [["W S", "zoom in and out"], ["A D", "left and right; also ← →"], ["↑ ↓", "from rank to rank, on the picture"],
    ["/", "search"], ["N ⇧N", "next and previous hit"], ["P", "pin the rank under the pointer"],
    ["Home", "the whole run, on the picture"], ["Esc", "clear the ruler and the mark"],
    ["drag", "select a time for all pages"], ["⇧ drag", "only measure"], ["2 clicks", "the whole run, no time selected"]];
  var OF_COLLECTIVE = { "drag": "zoom", "2 clicks": "the whole collective", Home: "the whole collective, on the picture", "/": null, "N ⇧N": null, P: null };

  function keys(timeline) {
    var state = timeline.state, canvas = timeline.canvas, isOfRun = Boolean(timeline.search);
    var opener = timeline.button("?", "Keys", toggle), list = timeline.element("dl", "run-keys", timeline.root);
    opener.setAttribute("aria-expanded", "false");
    timeline.root.insertBefore(list, canvas);
    list.hidden = true;
    LIST.forEach(function (pair) {
      var meaning = isOfRun || !(pair[0] in OF_COLLECTIVE) ? pair[1] : OF_COLLECTIVE[pair[0]];
      if (!meaning) return;
      var entry = timeline.element("div", "", list), name = timeline.element("dt", "", entry);
      pair[0].split(" ").forEach(function (key) { timeline.element("kbd", "", name, key); });
      timeline.element("dd", "", entry, meaning);
    });

    function toggle() {
      list.hidden = !list.hidden;
      opener.setAttribute("aria-expanded", String(!list.hidden));
      timeline.redraw();
    }

    /* Moves the cursor to another rank, and describes what that rank does in the middle of the view. */
    function look(step) {
      var cursor = state.cursor, rows = state.data.rows.length, row = cursor ? cursor.row + step : 0;
      var middle = Math.round((state.view.from + state.view.to) / 2);
      state.cursor = { row: Math.max(0, Math.min(rows - 1, row)), at: middle };
      timeline.redraw();
      timeline.reveal(state.cursor.row);
      timeline.teller.row(state.cursor.row, state.cursor.at);
    }

    function move(part) {
      timeline.move(part);
      if (state.cursor) look(0);
    }

    function zoomAtPointer(factor) {
      timeline.zoom(factor, state.at);
    }

    function clear() {
      state.drag = state.ruler = state.cursor = state.hit = null;
      if (!list.hidden) toggle();
      timeline.redraw();
    }

    var ANYWHERE = {
      w: function () { zoomAtPointer(0.8); }, s: function () { zoomAtPointer(1.25); },
      a: function () { move(-0.1); }, d: function () { move(0.1); },
      ArrowLeft: function () { move(-0.25); }, ArrowRight: function () { move(0.25); },
      "+": function () { timeline.zoom(0.5); }, "=": function () { timeline.zoom(0.5); },
      "-": function () { timeline.zoom(2); },
      "?": toggle, Escape: clear,
    };
    if (isOfRun) Object.assign(ANYWHERE, {
      "/": function () { timeline.search.focus(); },
      n: function (event) { timeline.search.step(event.shiftKey); },
      p: function () { timeline.rows.toggleAt(state.hover === null ? state.cursor && state.cursor.row : state.hover); },
    });
    var ON_PICTURE = {
      ArrowUp: function () { look(-1); }, ArrowDown: function () { look(1); },
      Home: function () { timeline.go(-Infinity, Infinity); },
      Enter: function () {
        var row = state.cursor && state.data.rows[state.cursor.row], first = timeline.told.querySelector("a");
        if (row && row.rank === undefined) timeline.open(row.host);
        else if (first) first.focus();
      },
    };

    function onKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !state.data) return;
      if (event.target.closest && event.target.closest("input, textarea, select, [contenteditable]")) return;
      var key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      var act = ANYWHERE[key] || (event.target === canvas ? ON_PICTURE[key] : null);
      if (!act) return;
      event.preventDefault();
      act(event);
    }

    document.addEventListener("keydown", onKey);
    timeline.atEnd(function () { document.removeEventListener("keydown", onKey); });
  }

  window.hopscope_timeline_parts = Object.assign(window.hopscope_timeline_parts || {}, { keys: keys });
})();
