/* The timeline of a run or of one collective. It asks the server for what is in view and shows it. The address has the
   view as `view` (in ns; of a collective, since its first enter). The selected time (`from`, `to`) is for all pages,
   and everything else is shaded. A small timeline shows the whole run. Timelines of collectives on one page zoom
   together. Its parts are in files of their own, each of which gets the object `timeline`: pointer, told, keys, search,
   rows and tables. */

(function () {
  var MOST_COLUMNS = 2000, KEPT = 32, SHORTEST = 20, NAME_PIXELS = 36, BESIDE_PICTURE = 150;
  /* Answers of the server by request, including those on their way. A page that is drawn again need not ask again. */
  var kept = new Map();

  /* The answer under a name. If there is none, `ask` requests it. */
  function once(name, ask) {
    var answer = kept.get(name) || ask();
    kept.delete(name);
    kept.set(name, answer);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    answer.catch(function () { kept.delete(name); });
    return answer;
  }

  function element(name, className, parent, text) {
    var made = document.createElement(name);
    if (className) made.className = className;
    if (text) made.textContent = text;
    parent.appendChild(made);
    return made;
  }

  function request(what, parameters) {
    var given = Object.keys(parameters).filter(function (name) { return parameters[name] !== null && parameters[name] !== undefined; });
    var search = given.map(function (name) { return name + "=" + encodeURIComponent(parameters[name]); }).join("&");
    return fetch("/_timeline/" + what + "?" + search).then(function (answer) {
      if (answer.ok) return what === "columns" ? answer.arrayBuffer() : answer.json();
      return answer.text().then(function (text) { throw new Error(text); });
    });
  }

  function mount(root, props) {
    var small = props.small, only = props.collective, picture = window.hopscope_timeline, parts = window.hopscope_timeline_parts;
    var state = { view: null, data: null, picture: null, marks: null, cursor: null, drag: null, ruler: null, hit: null,
                  hover: null, at: null, host: props.host || null, order: props.order,
                  pins: (props.pins || []).slice(), regionNames: [], selected: props.selected || {}, lead: null,
                  only: only };
    var wanted = null, isBusy = false, addressTimer = 0, place = null, gone = false, tables = null, ends = [];

    function ask(what, parameters) {
      return request(what, Object.assign({ trace: props.trace, collective: only && only.name, since: only && only.from }, parameters));
    }

    root.replaceChildren();
    var head = element("div", "run-head", root), said = element("p", "run-said", head);
    said.setAttribute("aria-live", "polite");
    var canvas = element("canvas", "run-picture", root);
    canvas.setAttribute("tabindex", small ? "-1" : "0");
    canvas.setAttribute("role", small ? "img" : "application");
    canvas.setAttribute("aria-label", only ? "Timeline of the collective " + only.name : "Timeline of the run. The shares below say the same in words.");
    var told = small ? null : element("div", "run-told", root), legend = element("div", "legend run-legend", root);
    if (told) told.setAttribute("aria-live", "polite");
    root.hopscope = state;
    state.follow = function (from, to) { show({ from: only.from + from, to: only.from + to }); };
    state.svg = function () { return picture.svg(place, state, colours()); };

    function colours() {
      var style = getComputedStyle(document.documentElement), made = Object.assign({}, props.colours);
      ["ink", "muted", "line", "paper", "accent"].forEach(function (name) { made[name] = style.getPropertyValue("--" + name).trim(); });
      made.font = getComputedStyle(document.body).fontFamily;
      made.band = made.native;
      return made;
    }

    /* The largest total height of the rows for which the picture and the text under it fit into the window. */
    function room() {
      return window.innerHeight - (canvas.getBoundingClientRect().top + window.scrollY) - BESIDE_PICTURE;
    }

    function redraw() {
      if (!state.data || gone) return;
      place = picture.layout(canvas.clientWidth || root.clientWidth, state.data.rows.length, small, room(), only);
      state.place = place;
      var ratio = window.devicePixelRatio || 1;
      if (!state.picture) state.picture = picture.image(state.data, props.colours, Math.max(1, Math.round(place.row * ratio)), ratio);
      picture.draw(canvas, place, state, colours());
    }

    function button(text, label, act, parent) {
      var made = element("button", "button", parent || head, text);
      made.type = "button";
      made.setAttribute("aria-label", label);
      made.title = label;
      made.addEventListener("click", act);
      return made;
    }

    function say(data) {
      said.textContent = (state.host ? "Host " + state.host + ": " : "") + data.said + (tooMuch() ? ". Zoom in to see single messages and collectives." : "");
      legend.replaceChildren();
      data.categories.forEach(function (word) { entry(word, props.colours[word], props.meanings[word]); });
      if (data.waiting) entry("waiting", "repeating-linear-gradient(135deg, " + props.colours.native + " 0 3px, transparent 3px 5px)", props.meanings.waiting);
      entry("critical path", props.colours.path, "what decided how long the " + (only ? "collective" : "run") + " took");
      state.regionNames.slice(0, 8).forEach(function (name) { entry(name, picture.regionColour(state.regionNames, name), "a region of the program"); });
    }

    function rest() {
      root.dataset.state = "ready";
      if (tables) tables.update();
    }

    function entry(word, colour, meaning) {
      var made = element("span", "legend-entry", legend);
      made.title = meaning || word;
      element("span", "swatch", made).style.background = colour;
      made.append(word);
    }

    function tooMuch() {
      return !small && !(state.marks && (only ? state.marks.hops : state.marks.collectives));
    }

    /* Shows a view. The old picture is stretched until the answer comes. If several other views are chosen meanwhile,
       only the last one is asked for. */
    function show(view) {
      state.view = wanted = view;
      redraw();
      root.dataset.state = "asking";
      if (tables) tables.postpone();
      if (!isBusy) load();
    }

    function columnsOf(view) {
      var columns = Math.min(MOST_COLUMNS, Math.max(100, 2 * Math.round((canvas.clientWidth || 800) - 140)));
      var asked = { from: view.from, to: view.to, host: state.host, columns: columns, around: 1, order: state.order || null,
                    pins: state.pins.join(",") || null };
      return once([props.trace, small, only && only.name, JSON.stringify(asked)].join(" "), function () {
        return ask("columns", asked).then(function (buffer) { return { data: picture.parse(buffer), marks: null }; });
      });
    }

    function load() {
      var view = wanted;
      wanted = null;
      isBusy = true;
      columnsOf(view).then(arrive, fail);
    }

    function arrive(got) {
      isBusy = false;
      if (gone) return;
      state.data = got.data;
      state.picture = null;
      if (wanted) {
        redraw();
        return load();
      }
      /* The answer ends where the run ends. The view may go on, if a longer collective is compared with this one. */
      if (!only) state.view = { from: got.data.from, to: got.data.to };
      showMarks(got);
      if (small || got.marks || !(got.data.exact || only)) return rest();
      var name = Math.ceil(((got.data.to - got.data.from) * NAME_PIXELS) / (place.right - place.left));
      var least = window.hopscope_timeline_overlay.hasNames(place) ? name : null;
      ask("marks", { from: got.data.from, to: got.data.to, least: least }).then(function (marks) {
        got.marks = marks;
        if (gone || isBusy || state.data !== got.data) return;
        showMarks(got);
        rest();
      }).catch(function (error) { if (state.data === got.data && !isBusy) fail(error); });
    }

    function showMarks(got) {
      state.marks = got.marks;
      state.regionNames = Array.from(new Set(((got.marks && got.marks.regions) || []).map(function (region) { return region[4]; })));
      redraw();
      say(got.data);
    }

    function fail(error) {
      isBusy = false;
      if (gone) return;
      if (wanted) return load();
      said.textContent = error.message;
      root.dataset.state = "failed";
    }

    /* The range of the run or of the collective. */
    function bounds() {
      return only || { from: 0, to: state.data.duration };
    }

    /* A range, moved and cut so that it lies inside the run or the collective. */
    function inside(from, to) {
      var most = bounds(), length = Math.min(most.to - most.from, Math.max(SHORTEST, Math.round(to - from)));
      var begin = Math.max(most.from, Math.min(most.to - length, Math.round(from)));
      return { from: begin, to: begin + length };
    }

    /* Goes to a view, and so do the other collectives of the page. The address gets the view once it is at rest. */
    function go(from, to) {
      if (!state.data) return;
      show(inside(from, to));
      if (only) document.querySelectorAll(".run-canvas").forEach(function (other) {
        if (other !== root && other.hopscope.only) other.hopscope.follow(state.view.from - only.from, state.view.to - only.from);
      });
      clearTimeout(addressTimer);
      addressTimer = setTimeout(note, 250);
    }

    function isAt(from, to) {
      return state.view.from === from && state.view.to === to;
    }

    function note() {
      if (gone) return;
      var chosen = only ? { from_ns: null, to_ns: null } : state.selected, most = bounds(), since = only ? only.from : 0;
      var first = chosen.from_ns === null ? most.from : chosen.from_ns, last = chosen.to_ns === null ? most.to : chosen.to_ns;
      var view = isAt(first, Math.min(last, most.to)) ? null : state.view.from - since + ".." + (state.view.to - since);
      keep({ view: view });
    }

    /* Sets parameters of the address without a step in the browser's history. They say how the run is shown, not what
       is selected. */
    function keep(parameters) {
      history.replaceState(history.state, "", window.hopscope_selection.here(parameters));
    }

    /* Selects a range of time for all pages, and shows it. In a collective, only shows it. */
    function drag(from, to) {
      if (only) go(from, to);
      else select(inside(from, to));
    }

    function select(chosen) {
      clearTimeout(addressTimer);
      state.selected = Object.assign({}, state.selected, { from_ns: chosen.from, to_ns: chosen.to });
      if (small) redraw();
      else show(chosen);
      window.hopscope_selection.go(window.hopscope_selection.here(Object.assign({ from: String(chosen.from), to: String(chosen.to) }, only ? {} : { view: null })));
    }

    /* Shows the whole collective, or the whole run, and then clears the selected time. */
    function whole() {
      if (!state.data) return;
      if (only) return go(only.from, only.to);
      clearTimeout(addressTimer);
      var now = new URLSearchParams(location.search), changed = now.get("from") || now.get("to") || now.get("view");
      state.selected = Object.assign({}, state.selected, { from_ns: null, to_ns: null });
      show(inside(0, state.data.duration));
      if (changed) window.hopscope_selection.go(window.hopscope_selection.here({ from: null, to: null, view: null }));
    }

    function zoom(factor, around) {
      if (!state.data) return;
      var view = state.view, at = around === undefined || around === null ? (view.from + view.to) / 2 : around;
      go(at - (at - view.from) * factor, at + (view.to - at) * factor);
    }

    function move(part) {
      if (!state.data) return;
      var by = (state.view.to - state.view.from) * part;
      go(state.view.from + by, state.view.to + by);
    }

    function open(host) {
      state.host = host;
      state.cursor = null;
      state.marks = null;
      all.hidden = !host;
      show(state.view);
      window.hopscope_selection.go(window.hopscope_selection.here({ host: host }));
    }

    /* Scrolls the page so that a row is visible. */
    function reveal(row) {
      var top = canvas.getBoundingClientRect().top + place.top + row * place.row, header = 70;
      if (top < header) window.scrollBy(0, top - header);
      else if (top + place.row > window.innerHeight) window.scrollBy(0, top + place.row - window.innerHeight);
    }

    /* A button that saves the picture or a table (exports.js). */
    function saveButton(parent, kind, label) {
      var made = element("button", "save", parent, kind.toUpperCase());
      made.type = "button";
      made.dataset.save = kind;
      made.setAttribute("aria-label", label);
      return made;
    }

    function saves(make) {
      ["png", "svg"].forEach(function (kind) {
        var made = make(kind);
        made.dataset.save = kind;
        made.setAttribute("aria-label", "Save the picture as " + kind.toUpperCase());
      });
    }

    var timeline = {
      root: root, props: props, small: small, state: state, head: head, canvas: canvas, told: told, ask: ask,
      once: once, element: element, button: button, saveButton: saveButton, redraw: redraw, show: show, go: go,
      drag: drag, whole: whole, zoom: zoom, move: move, open: open, keep: keep, reveal: reveal,
      place: function () { return place; },
      isGone: function () { return gone; },
      /* Adds a function to call when the timeline is removed. */
      atEnd: function (end) { ends.push(end); },
    };
    if (small || only) {
      var files = element("div", "exports", root);
      saves(function (kind) { return saveButton(files, kind, ""); });
    }
    if (small) canvas.title = "Drag: select a time. Click: look closer";
    else {
      timeline.teller = parts.told(timeline);
      if (!only) {
        timeline.search = parts.search(timeline);
        timeline.rows = parts.rows(timeline);
      }
      button("−", "Zoom out", function () { zoom(2); });
      button("+", "Zoom in", function () { zoom(0.5); });
      button(only ? "All" : "Whole run", only ? "Whole collective" : "Whole run", whole);
      if (only) button("Select this time", "Select this time for all pages", function () { select(state.view); });
      var all = button("All hosts", "All hosts", function () { open(null); });
      all.hidden = !state.host;
      if (!only) saves(function (kind) { return button(kind.toUpperCase(), "", function () {}); });
      parts.keys(timeline);
      if (!only) tables = parts.tables(timeline);
    }
    parts.pointer(timeline);
    var resized = new ResizeObserver(redraw), scheme = new MutationObserver(redraw);
    resized.observe(root);
    window.addEventListener("resize", redraw);
    scheme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-mantine-color-scheme"] });
    var known = props.begin !== null && props.begin !== undefined, chosen = state.selected;
    show(known ? { from: props.begin, to: props.end } : only ? inside(only.from, only.to) : small ? {} : { from: chosen.from_ns, to: chosen.to_ns });
    return function () {
      gone = true;
      resized.disconnect();
      scheme.disconnect();
      window.removeEventListener("resize", redraw);
      ends.forEach(function (end) { end(); });
    };
  }

  /* The component TimelineCanvas of timeline/canvas.py. */
  function TimelineCanvas(props) {
    var root = React.useRef(null);
    var shown = [props.trace, props.begin, props.end, props.host, props.order, String(props.pins), JSON.stringify([props.selected, props.collective])];
    React.useEffect(function () { return mount(root.current, props); }, shown);
    return React.createElement("div", { id: props.id, className: props.small ? "run-canvas small" : "run-canvas", ref: root });
  }

  window.hopscope_dashboard = Object.assign(window.hopscope_dashboard || {}, { TimelineCanvas: TimelineCanvas });
})();
