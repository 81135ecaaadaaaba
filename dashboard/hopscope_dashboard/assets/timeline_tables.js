/* Tables of what the ranks did, by category and by operation: in the selected time or, if no time is selected, in the
   view. */

(function () {
  /* The tables of a view are asked for only once the view has come to rest. */
  var SELECTED_MS = 50, REST_MS = 400;

  function tables(timeline) {
    var state = timeline.state, asked = "", timer = 0, element = timeline.element;
    var title = element("h2", "run-about", timeline.root), both = element("div", "run-tables", timeline.root);
    var categories = made("run-shares", "Save the table as CSV");
    var operations = made("run-operations", "Save the operations as CSV");
    operations.id = "run-operations";
    both.hidden = true;

    function made(name, label) {
      var around = element("div", "exportable", both), frame = element("div", "table-frame", around);
      var table = element("table", name, frame);
      timeline.saveButton(element("div", "exports", around), "csv", label);
      return table;
    }

    /* Fills a table with rows of texts under headings: a name, numbers, and remarks in a column without a heading. */
    function fill(table, headings, rows) {
      var numbers = headings.map(function (text, at) { return at > 0 && text !== ""; });
      table.replaceChildren();
      var head = element("tr", "", element("thead", "", table)), body = element("tbody", "", table);
      headings.forEach(function (text, at) { element("th", numbers[at] ? "number" : "", head, text); });
      rows.forEach(function (row) {
        var cells = element("tr", "", body);
        row.forEach(function (text, at) { element("td", numbers[at] ? "number" : "", cells, text); });
      });
    }

    function range() {
      var chosen = state.selected, isNone = function (end) { return end === null || end === undefined; };
      var isSelected = !isNone(chosen.from_ns) || !isNone(chosen.to_ns);
      return { isSelected: isSelected, from: isSelected ? chosen.from_ns || 0 : state.view.from,
               to: isSelected ? (isNone(chosen.to_ns) ? state.data.duration : chosen.to_ns) : state.view.to,
               ranks: chosen.ranks ? chosen.ranks.join(",") : null };
    }

    function update() {
      var about = range(), parameters = { from: about.from, to: about.to, ranks: about.ranks };
      if (about.isSelected) parameters.waiting = 1;
      var name = ["summary", timeline.props.trace, JSON.stringify(parameters)].join(" ");
      if (name === asked) return;
      asked = name;
      both.dataset.state = "asking";
      clearTimeout(timer);
      timer = setTimeout(function () {
        timer = 0;
        timeline.once(name, function () { return timeline.ask("summary", parameters); }).then(function (answer) {
          if (name === asked && !timeline.isGone()) show(about, answer);
        }).catch(function (error) { if (name === asked) title.textContent = error.message; });
      }, about.isSelected ? SELECTED_MS : REST_MS);
    }

    function show(about, answer) {
      var who = about.ranks ? ", the selected ranks" : "";
      title.textContent = (about.isSelected ? "Selected: " : "In view: ") + answer.said + who;
      fill(categories, ["category", "time", "of the ranks' time", "of the path", ""], answer.shares.map(function (row) {
        return [row.category, row.time, row.share, row.path, timeline.props.meanings[row.category]];
      }));
      var headings = ["operation", "calls", "time", "waiting", "of the ranks' time"];
      fill(operations, headings, answer.operations.map(function (row) {
        return [row.operation, row.calls, row.time, row.waiting, row.share];
      }));
      both.hidden = false;
      both.dataset.state = "ready";
    }

    /* Drops the request for a view that has not come to rest, because another view is on its way and must not wait for
       it. */
    function postpone() {
      if (!timer) return;
      clearTimeout(timer);
      timer = 0;
      asked = "";
    }

    timeline.atEnd(postpone);
    return { update: update, postpone: postpone };
  }

  window.hopscope_timeline_parts = Object.assign(window.hopscope_timeline_parts || {}, { tables: tables });
})();
