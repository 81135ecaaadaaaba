/* The mouse on the timeline: dragging measures a span and selects it, or in a collective zooms (with Shift it only
   measures), the wheel zooms, and a click follows the lead under the pointer. */

(function () {
  function pointer(timeline) {
    var state = timeline.state, canvas = timeline.canvas, teller = timeline.teller, small = timeline.small;
    var isMeasuring = false;

    function where(event) {
      var place = timeline.place(), box = canvas.getBoundingClientRect();
      var x = event.clientX - box.left, y = event.clientY - box.top;
      var inLabels = x < place.left - 2, row = Math.floor((y - place.top) / place.row), what = state.data.rows[row];
      var inRow = Boolean(what) && y >= place.top;
      return { x: Math.max(place.left, Math.min(place.right, x)), row: row, at: Math.round(nsAt(x)),
               inLabels: inLabels, inBands: y < place.top, hop: inLabels || small ? null : hopAt(x, y),
               inPin: Boolean(timeline.rows) && inLabels && inRow && what.rank !== undefined && Math.abs(x - place.pin) <= 9 };
    }

    /* The hop whose arrow is under the pointer. Only hops with a text lead somewhere. */
    function hopAt(x, y) {
      return window.hopscope_timeline.arrowAt(timeline.place(), state, x, y);
    }

    function nsAt(x) {
      var place = timeline.place();
      return state.view.from + ((x - place.left) / (place.right - place.left)) * (state.view.to - state.view.from);
    }

    /* Measures a span. Its texts come from the server. Until they arrive, the texts of the last span remain. */
    function measure() {
      var ends = [nsAt(state.drag[0]), nsAt(state.drag[1])].sort(function (a, b) { return a - b; }).map(Math.round);
      var texts = state.ruler || {};
      state.ruler = { from: ends[0], to: ends[1], length: texts.length, ends: texts.ends };
      if (ends[0] < ends[1]) askRuler();
    }

    function askRuler() {
      var ruler = state.ruler;
      if (isMeasuring || !ruler) return;
      isMeasuring = true;
      timeline.ask("ruler", { from: ruler.from, to: ruler.to }).then(function (texts) {
        isMeasuring = false;
        if (!state.ruler || timeline.isGone()) return;
        Object.assign(state.ruler, texts);
        timeline.redraw();
        if (state.ruler.from !== ruler.from || state.ruler.to !== ruler.to) askRuler();
      }).catch(function () { isMeasuring = false; });
    }

    function onMove(event) {
      if (!timeline.place() || !state.data) return;
      var spot = where(event);
      if (state.drag) {
        state.drag[1] = spot.x;
        measure();
        return timeline.redraw();
      }
      if (small) return;
      state.at = spot.inLabels ? null : spot.at;
      if (timeline.rows) hover(spot.inLabels && !spot.inBands && state.data.rows[spot.row] ? spot.row : null);
      if (spot.inBands) teller.band(spot.at);
      else if (spot.inPin) teller.pin(state.data.rows[spot.row]);
      else if (spot.inLabels) teller.label(state.data.rows[spot.row]);
      else if (spot.hop) teller.hop(spot.hop);
      else teller.row(spot.row, spot.at);
      canvas.style.cursor = spot.inPin || opensHost(spot) || teller.leadOf(spot) ? "pointer" : "crosshair";
    }

    function hover(row) {
      if (state.hover === row) return;
      state.hover = row;
      timeline.redraw();
    }

    function onDown(event) {
      if (event.button !== 0 || !state.data) return;
      var spot = where(event), row = state.data.rows[spot.row];
      state.ruler = null;
      if (teller) teller.forget();
      if (spot.inPin && !small) return timeline.rows.toggle(row.rank);
      if (spot.inLabels && !small) {
        if (opensHost(spot)) return timeline.open(row.host);
        return window.hopscope_marks.follow(teller.leadOf(spot), event);
      }
      state.drag = [spot.x, spot.x];
      canvas.setPointerCapture(event.pointerId);
    }

    function opensHost(spot) {
      var row = state.data.rows[spot.row];
      return spot.inLabels && !spot.inBands && Boolean(row) && row.rank === undefined;
    }

    function onUp(event) {
      var drag = state.drag;
      state.drag = null;
      if (!drag) return;
      var from = Math.min(drag[0], drag[1]), to = Math.max(drag[0], drag[1]);
      if (to - from < 4) {
        state.ruler = null;
        timeline.redraw();
        if (small) timeline.root.parentNode.querySelector("a").click();
        else teller.click(where(event), event);
        return;
      }
      if (event.shiftKey) return timeline.redraw();
      state.ruler = null;
      timeline.drag(nsAt(from), nsAt(to));
    }

    function onWheel(event) {
      event.preventDefault();
      if (!state.data) return;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) timeline.move(Math.sign(event.deltaX) / 16);
      else timeline.zoom(event.deltaY > 0 ? 1.25 : 0.8, where(event).at);
    }

    canvas.addEventListener("pointermove", onMove);
    canvas.addEventListener("pointerdown", onDown);
    canvas.addEventListener("pointerup", onUp);
    canvas.addEventListener("pointercancel", function () {
      state.drag = state.ruler = null;
      timeline.redraw();
    });
    if (small) return;
    canvas.addEventListener("pointerleave", function () {
      state.at = null;
      hover(null);
    });
    canvas.addEventListener("dblclick", function (event) {
      if (where(event).inLabels) return;
      teller.forget();
      timeline.whole();
    });
    canvas.addEventListener("wheel", onWheel, { passive: false });
  }

  window.hopscope_timeline_parts = Object.assign(window.hopscope_timeline_parts || {}, { pointer: pointer });
})();
