/* The run's timeline: asks for what is in view, and turns the wheel and keys into another view, which the address has as `view` (in
   ns). Dragging selects a time for all pages (`from`, `to`), and a click leads to what is there. What is not selected is shaded.
   A small one shows the whole run: dragging selects there as well, and a click leads to the large one. */

(function () {
  var MOST_COLUMNS = 2000, KEPT = 24, SHORTEST = 20;
  /* Answers, come or on their way, by what was asked: a page that is drawn again has them already. */
  var kept = new Map();

  /* What is kept under a name; `ask` asks for it where nothing is. */
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
    var small = props.small, picture = window.hopscope_timeline;
    var state = { view: null, data: null, picture: null, marks: null, cursor: null, drag: null, host: props.host || null, regionNames: [],
                  selected: props.selected || {}, lead: null };
    var asked = 0, toldAsked = 0, toldTimer = 0, addressTimer = 0, clickTimer = 0, clicks = 0, place = null, gone = false;

    function ask(what, parameters) {
      return request(what, Object.assign({ trace: props.trace }, parameters));
    }

    root.replaceChildren();
    var head = element("div", "run-head", root), said = element("p", "run-said", head);
    said.setAttribute("aria-live", "polite");
    var canvas = element("canvas", "run-picture", root);
    canvas.setAttribute("tabindex", small ? "-1" : "0");
    canvas.setAttribute("role", small ? "img" : "application");
    canvas.setAttribute("aria-label", "Timeline of the run. The shares below say the same in words.");
    var told = small ? null : element("div", "run-told", root), legend = element("div", "legend run-legend", root);
    var table = small ? null : element("table", "run-shares", element("div", "table-frame", root));
    if (told) told.setAttribute("aria-live", "polite");
    if (table) saveButton(element("div", "exports", root), "csv", "Save the table as CSV");
    root.hopscope = state;
    state.svg = function () { return picture.svg(place, state, colours()); };

    function colours() {
      var style = getComputedStyle(document.documentElement), made = Object.assign({}, props.colours);
      ["ink", "muted", "line", "paper"].forEach(function (name) { made[name] = style.getPropertyValue("--" + name).trim(); });
      made.font = getComputedStyle(document.body).fontFamily;
      made.band = made.native;
      return made;
    }

    function redraw() {
      if (!state.data || gone) return;
      place = picture.layout(canvas.clientWidth || root.clientWidth, state.data.rows.length, small, !small);
      state.place = place;
      if (!state.picture) state.picture = picture.image(state.data, props.colours, Math.max(1, Math.round(place.row * (window.devicePixelRatio || 1))));
      picture.draw(canvas, place, state, colours());
    }

    function button(text, label, act) {
      var made = element("button", "button", head, text);
      made.type = "button";
      made.setAttribute("aria-label", label);
      made.addEventListener("click", act);
      return made;
    }

    function link(parent, text, href) {
      var made = element("a", "", parent, text);
      var trace = new URLSearchParams(location.search).get("trace");
      made.href = trace ? href + "&trace=" + encodeURIComponent(trace) : href;
      return made;
    }

    function say(data) {
      said.textContent = (state.host ? "Host " + state.host + ": " : "") + data.said + (tooMuch() ? ". Zoom in to see single messages and collectives." : "");
      legend.replaceChildren();
      data.categories.forEach(function (word) { entry(word, props.colours[word], props.meanings[word]); });
      entry("critical path", props.colours.path, "what decided how long the run took");
      state.regionNames.slice(0, 8).forEach(function (name) { entry(name, picture.regionColour(state.regionNames, name), "a region of the program"); });
      if (!table) return;
      table.replaceChildren();
      var row = element("tr", "", element("thead", "", table)), body = element("tbody", "", table);
      ["category", "of the ranks' time", "of the path in view", ""].forEach(function (text, at) {
        element("th", at === 1 || at === 2 ? "number" : "", row, text);
      });
      data.shares.forEach(function (share) {
        var cells = element("tr", "", body);
        [share.category, share.time, share.path, props.meanings[share.category]].forEach(function (text, at) {
          element("td", at === 1 || at === 2 ? "number" : "", cells, text);
        });
      });
    }

    function entry(word, colour, meaning) {
      var made = element("span", "legend-entry", legend);
      made.title = meaning || word;
      element("span", "swatch", made).style.background = colour;
      made.append(word);
    }

    function tooMuch() {
      return !small && !(state.marks && state.marks.collectives);
    }

    /* Shows a view; what is there already is stretched until the answer comes. */
    function show(view) {
      state.view = view;
      redraw();
      var number = ++asked;
      root.dataset.state = "asking";
      var columns = Math.min(MOST_COLUMNS, Math.max(100, 2 * Math.round((canvas.clientWidth || 800) - 140)));
      once([props.trace, small, view.from, view.to, state.host, columns].join(" "), function () {
        return ask("columns", { from: view.from, to: view.to, host: state.host, columns: columns, around: 1 })
          .then(function (buffer) { return { data: picture.parse(buffer), marks: null }; });
      }).then(function (got) {
        if (number !== asked || gone) return;
        state.data = got.data;
        state.view = { from: got.data.from, to: got.data.to };
        state.picture = null;
        state.marks = got.marks;
        names();
        redraw();
        say(got.data);
        if (small || got.marks || !got.data.exact) return (root.dataset.state = "ready");
        return ask("marks", { from: got.data.from, to: got.data.to }).then(function (marks) {
          got.marks = marks;
          if (number !== asked || gone) return;
          state.marks = marks;
          names();
          redraw();
          say(got.data);
          root.dataset.state = "ready";
        });
      }).catch(function (error) {
        if (number !== asked || gone) return;
        said.textContent = error.message;
        root.dataset.state = "failed";
      });
    }

    function names() {
      state.regionNames = Array.from(new Set(((state.marks && state.marks.regions) || []).map(function (region) { return region[4]; })));
    }

    /* A range inside the run. */
    function inside(from, to) {
      var run = state.data.duration, length = Math.min(run, Math.max(SHORTEST, Math.round(to - from)));
      var begin = Math.max(0, Math.min(run - length, Math.round(from)));
      return { from: begin, to: begin + length };
    }

    /* Where one looks: the address says so when one has come to rest. */
    function go(from, to) {
      if (!state.data) return;
      show(inside(from, to));
      clearTimeout(addressTimer);
      addressTimer = setTimeout(note, 250);
    }

    function isAt(from, to) {
      return state.view.from === from && state.view.to === to;
    }

    function note() {
      if (gone) return;
      var chosen = state.selected, first = chosen.from_ns === null ? 0 : chosen.from_ns, last = chosen.to_ns === null ? state.data.duration : chosen.to_ns;
      var view = isAt(first, Math.min(last, state.data.duration)) ? null : state.view.from + ".." + state.view.to;
      history.replaceState(history.state, "", window.hopscope_selection.here({ view: view }));
    }

    /* Selects a range of time for all pages, and looks at it. */
    function select(from, to) {
      var chosen = inside(from, to);
      clearTimeout(addressTimer);
      state.selected = Object.assign({}, state.selected, { from_ns: chosen.from, to_ns: chosen.to });
      if (small) redraw();
      else show(chosen);
      window.hopscope_selection.go(window.hopscope_selection.here({ from: String(chosen.from), to: String(chosen.to), view: null }));
    }

    /* Shows the whole run, and no longer selects a time. */
    function whole() {
      if (!state.data) return;
      clearTimeout(addressTimer);
      var now = new URLSearchParams(location.search), changed = now.get("from") || now.get("to") || now.get("view");
      state.selected = Object.assign({}, state.selected, { from_ns: null, to_ns: null });
      show(inside(0, state.data.duration));
      if (changed) window.hopscope_selection.go(window.hopscope_selection.here({ from: null, to: null, view: null }));
    }

    function zoom(factor, around) {
      if (!state.data) return;
      var view = state.view, at = around === undefined ? (view.from + view.to) / 2 : around;
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

    function atPointer(event) {
      var box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      var share = (x - place.left) / (place.right - place.left);
      return { x: Math.max(place.left, Math.min(place.right, x)), row: Math.floor((y - place.top) / place.row), inLabels: x < place.left - 2,
               inBands: y < place.top, at: Math.round(state.view.from + share * (state.view.to - state.view.from)) };
    }

    function columnAt(at) {
      return Math.floor((at - state.data.begin) / state.data.width);
    }

    /* Asks what a row does at a time, and which of that leads somewhere; null outside the picture. */
    function askTold(row, at) {
      var data = state.data, what = data.rows[row], column = columnAt(at), begin = Math.max(0, data.begin + column * data.width);
      if (!what || at < state.view.from || at >= state.view.to) return Promise.resolve(null);
      return ask("told", { rank: what.rank, host: what.rank === undefined ? what.host : null, at: at, from: begin, to: begin + data.width })
        .then(function (answer) {
          answer.leading = answer.calls.filter(function (call) { return call.href; }).pop();
          answer.lead = answer.leading ? { row: row, column: column, href: answer.leading.href } : null;
          return answer;
        });
    }

    function cannotTell(error) {
      if (!gone) told.textContent = error.message;
    }

    /* Says under the picture what a row does at a time. */
    function tell(row, at) {
      var number = ++toldAsked;
      clearTimeout(toldTimer);
      toldTimer = setTimeout(function () {
        askTold(row, at).then(function (answer) {
          if (!answer || number !== toldAsked || gone) return;
          told.replaceChildren();
          state.lead = answer.lead;
          canvas.style.cursor = answer.lead ? "pointer" : "crosshair";
          element("strong", "", told, answer.title + (answer.lead ? ". Click: " + answer.leading.does : ""));
          element("span", "", told, answer.shares.map(function (share) { return share.category + " " + share.text; }).join(", "));
          answer.calls.forEach(function (call) {
            if (call.href) link(told, call.text, call.href);
            else element("span", "", told, call.text);
          });
        }).catch(cannotTell);
      }, 60);
    }

    function bandsAt(at) {
      return ((state.marks && state.marks.collectives) || []).filter(function (band) { return band[0] <= at && at < band[1]; });
    }

    function bandAddress(band) {
      return "/collective?comm=" + band[2] + "&seq=" + band[3];
    }

    function tellBand(at) {
      var those = bandsAt(at);
      if (!those.length) return;
      toldAsked++;
      clearTimeout(toldTimer);
      told.replaceChildren();
      those.slice(0, 6).forEach(function (band) { link(told, band[4] + " " + band[2] + ":" + band[3], bandAddress(band)); });
      element("span", "", told, "Click: see " + (those.length > 1 ? "the first" : "it"));
    }

    function leadOf(pointer) {
      var row = state.data.rows[pointer.row], lead = state.lead;
      if (pointer.inBands) return bandsAt(pointer.at).map(bandAddress)[0] || null;
      if (!row) return null;
      if (pointer.inLabels) return row.rank === undefined ? null : "?ranks=" + row.rank;
      return lead && lead.row === pointer.row && lead.column === columnAt(pointer.at) ? lead.href : null;
    }

    /* Where a click leads, also one on what nobody rested on, which is asked for only now. */
    function leadOfClick(pointer) {
      var known = leadOf(pointer);
      if (known || pointer.inBands || pointer.inLabels) return Promise.resolve(known);
      return askTold(pointer.row, pointer.at).then(function (answer) { return answer && answer.lead ? answer.lead.href : null; });
    }

    function click(pointer, event) {
      var number = ++clicks, keys = { ctrlKey: event.ctrlKey, metaKey: event.metaKey, shiftKey: event.shiftKey }, found = leadOfClick(pointer);
      clearTimeout(clickTimer);
      /* A second click would be one for the whole run. */
      clickTimer = setTimeout(function () {
        found.then(function (lead) { if (!gone && number === clicks) window.hopscope_marks.follow(lead, keys); }).catch(cannotTell);
      }, 250);
    }

    function tellRank(row) {
      if (!row) return;
      toldAsked++;
      clearTimeout(toldTimer);
      told.replaceChildren();
      if (row.rank === undefined) element("span", "", told, "Click: show the ranks of host " + row.host);
      else element("span", "", told, "Click: select rank " + row.rank + "; with Ctrl, add it to those selected or take it away");
    }

    function onMove(event) {
      if (!place || !state.data) return;
      var pointer = atPointer(event);
      if (state.drag) {
        state.drag[1] = pointer.x;
        return redraw();
      }
      if (small) return;
      if (pointer.inBands) tellBand(pointer.at);
      else if (pointer.inLabels) tellRank(state.data.rows[pointer.row]);
      else tell(pointer.row, pointer.at);
      canvas.style.cursor = opensHost(pointer) || leadOf(pointer) ? "pointer" : "crosshair";
    }

    function onDown(event) {
      if (event.button !== 0 || !state.data) return;
      var pointer = atPointer(event);
      clicks++;
      if (pointer.inLabels && !small) return opensHost(pointer) ? open(state.data.rows[pointer.row].host) : window.hopscope_marks.follow(leadOf(pointer), event);
      state.drag = [pointer.x, pointer.x];
      canvas.setPointerCapture(event.pointerId);
    }

    function opensHost(pointer) {
      return pointer.inLabels && state.data.by === "host" && Boolean(state.data.rows[pointer.row]);
    }

    function onUp(event) {
      var drag = state.drag;
      state.drag = null;
      if (!drag) return;
      var from = Math.min(drag[0], drag[1]), to = Math.max(drag[0], drag[1]), span = state.view.to - state.view.from;
      if (to - from < 4) {
        redraw();
        if (small) root.parentNode.querySelector("a").click();
        else click(atPointer(event), event);
        return;
      }
      var ns = function (x) { return state.view.from + ((x - place.left) / (place.right - place.left)) * span; };
      select(ns(from), ns(to));
    }

    function onWheel(event) {
      event.preventDefault();
      if (!state.data) return;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(Math.sign(event.deltaX) / 16);
      else zoom(event.deltaY > 0 ? 1.25 : 0.8, atPointer(event).at);
    }

    function look(step) {
      var cursor = state.cursor, rows = state.data.rows.length, row = cursor ? cursor.row + step : 0;
      state.cursor = { row: Math.max(0, Math.min(rows - 1, row)), at: Math.round((state.view.from + state.view.to) / 2) };
      redraw();
      tell(state.cursor.row, state.cursor.at);
    }

    var KEYS = {
      ArrowLeft: function () { move(-0.25); }, ArrowRight: function () { move(0.25); }, ArrowUp: function () { look(-1); },
      ArrowDown: function () { look(1); }, "+": function () { zoom(0.5); }, "=": function () { zoom(0.5); }, "-": function () { zoom(2); },
      Home: function () { if (state.data) go(0, state.data.duration); }, Escape: function () { state.drag = state.cursor = null; redraw(); },
      Enter: function () {
        var row = state.cursor && state.data.rows[state.cursor.row];
        var first = told.querySelector("a");
        if (row && state.data.by === "host") open(row.host);
        else if (first) first.focus();
      },
    };

    function onKey(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || !state.data || !(event.key in KEYS)) return;
      event.preventDefault();
      KEYS[event.key]();
      if (state.cursor && event.key.startsWith("Arrow") && event.key !== "ArrowUp" && event.key !== "ArrowDown") look(0);
    }

    canvas.addEventListener("pointermove", onMove);
    canvas.addEventListener("pointerdown", onDown);
    canvas.addEventListener("pointerup", onUp);
    canvas.addEventListener("pointercancel", function () {
      state.drag = null;
      redraw();
    });
    /* What saves the picture and the table (exports.js). */
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

    if (small) {
      canvas.title = "Drag: select a time. Click: look closer";
      var files = element("div", "exports", root);
      saves(function (kind) { return saveButton(files, kind, ""); });
    } else {
      button("−", "Zoom out", function () { zoom(2); });
      button("+", "Zoom in", function () { zoom(0.5); });
      button("Whole run", "Whole run", whole);
      var all = button("All hosts", "All hosts", function () { open(null); });
      all.hidden = !state.host;
      saves(function (kind) { return button(kind.toUpperCase(), "", function () {}); });
      canvas.addEventListener("dblclick", function () {
        clearTimeout(clickTimer);
        whole();
      });
      canvas.addEventListener("wheel", onWheel, { passive: false });
      canvas.addEventListener("keydown", onKey);
    }
    var resized = new ResizeObserver(redraw), scheme = new MutationObserver(redraw);
    resized.observe(root);
    scheme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-mantine-color-scheme"] });
    var known = props.begin !== null && props.begin !== undefined, chosen = state.selected;
    show(known ? { from: props.begin, to: props.end } : small ? {} : { from: chosen.from_ns, to: chosen.to_ns });
    return function () {
      gone = true;
      resized.disconnect();
      scheme.disconnect();
    };
  }

  /* The component RunCanvas of components/run_canvas.py. */
  function RunCanvas(props) {
    var root = React.useRef(null);
    React.useEffect(function () { return mount(root.current, props); }, [props.trace, props.begin, props.end, props.host, JSON.stringify(props.selected)]);
    return React.createElement("div", { id: props.id, className: props.small ? "run-canvas small" : "run-canvas", ref: root });
  }

  window.hopscope_dashboard = Object.assign(window.hopscope_dashboard || {}, { RunCanvas: RunCanvas });
})();
