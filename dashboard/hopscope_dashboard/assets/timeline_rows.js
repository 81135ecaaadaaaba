/* The order of the timeline's rows, and the ranks that are pinned to the top. The address keeps both. */

(function () {
  function rows(timeline) {
    var state = timeline.state, orders = timeline.props.orders;
    var label = timeline.element("label", "run-order", timeline.head, "Sort by");
    var list = timeline.element("select", "", label), first = Object.keys(orders)[0];
    Object.keys(orders).forEach(function (name) {
      var entry = timeline.element("option", "", list, orders[name].toLowerCase());
      entry.value = name;
      entry.selected = name === state.order;
    });

    function arrange() {
      state.cursor = state.hover = null;
      timeline.teller.clear();
      timeline.keep({ order: state.order === first ? null : state.order, pins: state.pins.join(",") || null });
      timeline.show(state.view);
    }

    function toggle(rank) {
      var at = state.pins.indexOf(rank);
      if (at < 0) state.pins.push(rank);
      else state.pins.splice(at, 1);
      arrange();
    }

    function toggleAt(row) {
      var what = row === null || row === undefined ? null : state.data.rows[row];
      if (what && what.rank !== undefined) toggle(what.rank);
    }

    list.addEventListener("change", function () {
      state.order = list.value;
      list.blur();
      arrange();
    });
    return { toggle: toggle, toggleAt: toggleAt };
  }

  window.hopscope_timeline_parts = Object.assign(window.hopscope_timeline_parts || {}, { rows: rows });
})();
