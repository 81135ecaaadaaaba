/* Follows the leads of marks on a page: the addresses that a click on them opens (leads.py). Marks are points of
   figures, parts of drawings and parts of the timeline. A point has its address as `customdata`, without the beginning
   that all points share (`meta.leads`).

   `/page?...` is another page. `?name=value` sets a parameter of this page, and removes it if it has that value
   already. `#id` is a row of this page, which is scrolled to and marked. With Ctrl or the middle button, another page
   opens in a new tab, and a rank is added to the selected ranks or removed from them. Marks inside an element with
   `data-trace` are about that trace, and lead to its pages. */

(function () {
  /* The longest time between the two clicks of a double click, as in plotly. */
  var DOUBLE_MS = 300;

  /* Scripts are loaded in the order of their names, so window.hopscope_selection exists only later. */
  function selection() {
    return window.hopscope_selection;
  }

  function numbers(text) {
    var found = [];
    text.split(",").filter(Boolean).forEach(function (part) {
      var ends = part.split("-").map(Number);
      for (var at = ends[0]; at <= ends[ends.length - 1]; at++) found.push(at);
    });
    return found;
  }

  /* The selected ranks with one rank added or, if it was selected, removed; null for none. */
  function withRank(selected, rank) {
    var those = numbers(selected || ""), there = those.indexOf(rank);
    if (there < 0) those.push(rank);
    else those.splice(there, 1);
    return those.length ? those.sort(function (a, b) { return a - b; }).join(",") : null;
  }

  function toggled(lead, adding) {
    var asked = new URLSearchParams(lead), now = new URLSearchParams(location.search), changes = {}, names = Array.from(asked.keys());
    var same = names.every(function (name) { return now.get(name) === asked.get(name); });
    names.forEach(function (name) {
      if (adding && name === "ranks" && /^\d+$/.test(asked.get(name))) changes[name] = withRank(now.get(name), Number(asked.get(name)));
      else changes[name] = same ? null : asked.get(name);
    });
    return selection().here(changes);
  }

  /* The address of a page, with the mark's trace, which need not be the one that the page shows. */
  function ofTrace(lead, event) {
    var about = event && event.target && event.target.closest ? event.target.closest("[data-trace]") : null;
    if (!about) return lead;
    var to = new URL(lead, location.href);
    if (!to.searchParams.has("trace")) to.searchParams.set("trace", about.dataset.trace);
    return to.pathname + to.search;
  }

  /* Scrolls to the row that contains the part with this id, and marks the row until another row of its table is
     marked. */
  function pointOut(id) {
    var part = document.getElementById(id), row = part && part.closest("tr");
    if (!row) return;
    row.closest("table").querySelectorAll("tr.chosen").forEach(function (other) { other.classList.remove("chosen"); });
    row.classList.add("chosen");
    row.scrollIntoView({ block: "nearest" });
  }

  function follow(lead, event) {
    if (!lead) return;
    var adding = event && (event.ctrlKey || event.metaKey);
    if (lead.startsWith("#")) pointOut(lead.slice(1));
    else if (!lead.startsWith("?")) selection().go(ofTrace(lead, event), event);
    else if (event && event.button === 1) selection().go(toggled(lead, false), event);
    else selection().go(toggled(lead, adding));
  }

  function leadOf(plot, data) {
    var lead = data && data.points && data.points.length ? data.points[0].customdata : null, meta = plot.layout.meta || {};
    return typeof lead === "string" ? (meta.leads || "") + lead : null;
  }

  /* The selection for a range that was dragged along an axis of iterations or time. */
  function dragged(meta, range) {
    var from = Math.max(0, range[0]), to = range[1];
    if (meta.drag === "iteration") return { from: "i:" + Math.max(0, Math.round(from)), to: "i:" + (Math.round(to) + 1) };
    return { from: String(Math.round(from * meta.nanoseconds)), to: String(Math.round(to * meta.nanoseconds)) };
  }

  /* Handlers of the events that a figure reports itself. The figure keeps them, so that each is added only once. */
  function follows(plot) {
    return {
      plotly_hover: function (data) {
        plot.hopscopeLead = leadOf(plot, data);
        plot.classList.toggle("leads", Boolean(plot.hopscopeLead));
      },
      plotly_unhover: function () {
        plot.hopscopeLead = null;
        plot.classList.remove("leads");
      },
      plotly_click: function (data) {
        var meta = plot.layout.meta || {}, lead = leadOf(plot, data);
        if (!meta.drag) return follow(lead, data.event);
        /* The second click of a double click does not follow the mark: it clears the dragged range. The figure reports
           the double click before its second click. */
        clearTimeout(plot.hopscopeClick);
        if (performance.now() - (plot.hopscopeDouble || -Infinity) < DOUBLE_MS) return;
        plot.hopscopeClick = setTimeout(function () { if (plot.isConnected) follow(lead, data.event); }, DOUBLE_MS);
      },
      plotly_relayout: function (change) {
        var meta = plot.layout.meta || {}, range = [change["xaxis.range[0]"], change["xaxis.range[1]"]];
        if (range[0] !== undefined && meta.drag) selection().go(selection().here(dragged(meta, range)));
      },
      plotly_doubleclick: function () {
        clearTimeout(plot.hopscopeClick);
        plot.hopscopeDouble = performance.now();
        var meta = plot.layout.meta || {}, now = new URLSearchParams(location.search);
        if (meta.drag && (now.get("from") || now.get("to"))) selection().go(selection().here({ from: null, to: null }));
      },
    };
  }

  /* A figure that is drawn anew, for example in another size, loses its handlers. So they are added again when the
     pointer comes. */
  document.addEventListener("pointerover", function (event) {
    var plot = event.target.closest ? event.target.closest(".js-plotly-plot") : null;
    if (!plot || !plot.on) return;
    plot.hopscopeFollows = plot.hopscopeFollows || follows(plot);
    Object.entries(plot.hopscopeFollows).forEach(function (each) {
      plot.removeListener(each[0], each[1]);
      plot.on(each[0], each[1]);
    });
  });

  /* plotly ignores the middle button, so this follows its clicks. */
  document.addEventListener("mousedown", function (event) {
    var plot = event.button === 1 && event.target.closest ? event.target.closest(".js-plotly-plot.leads") : null;
    if (!plot) return;
    event.preventDefault();
    event.stopPropagation();
    follow(plot.hopscopeLead, event);
  }, true);

  /* Follows words and numbers with a lead (components/mark.py). Drawings handle clicks on their parts themselves. */
  ["click", "auxclick", "keydown"].forEach(function (name) {
    document.addEventListener(name, function (event) {
      var mark = event.target.closest ? event.target.closest(".mark-link") : null;
      if (!mark || (name === "keydown" && event.key !== "Enter") || (name === "auxclick" && event.button !== 1)) return;
      event.preventDefault();
      follow(mark.dataset.href, event);
    });
  });

  window.hopscope_marks = { follow: follow };
})();
