/* Draws over the rows of the timeline: names of calls and regions, the hit of a search, the ruler, and pins beside
   ranks. It uses the same few drawing functions as timeline_picture.js, so that everything can become SVG. */

(function () {
  var SMALLEST_ROW = 14, RULER = 44;

  function x(place, view, ns) {
    return place.left + ((ns - view.from) / (view.to - view.from)) * (place.right - place.left);
  }

  /* True if rows are high enough for names. */
  function hasNames(place) {
    return place.row >= SMALLEST_ROW;
  }

  /* A name as it fits into a bar: whole, or without the prefix MPI_; null if neither fits. */
  function fitting(context, name, room) {
    var short = name.replace(/^MPI_/, "");
    return [name, short].find(function (each) { return context.measureText(each).width <= room; }) || null;
  }

  function written(context, place, view, begin, end, name, y) {
    var from = Math.max(place.left, x(place, view, begin)), to = Math.min(place.right, x(place, view, end));
    var text = fitting(context, name, to - from - 8);
    if (text) context.fillText(text, from + 4, y);
  }

  /* Draws names of calls below the critical path, which runs through the middle of a row. */
  function names(context, place, view, calls, rowOf, colours, ink) {
    if (!calls || !hasNames(place)) return;
    context.font = "11px " + colours.font;
    context.textBaseline = "middle";
    context.fillStyle = ink;
    var height = place.row < 24 ? 0.5 : 0.76;
    calls.forEach(function (call) {
      var row = rowOf[call[0]];
      if (row !== undefined) written(context, place, view, call[1], call[2], call[3], place.top + (row + height) * place.row);
    });
  }

  /* Draws names of regions in their lanes, if these are high enough. */
  function regionNames(context, place, view, regions, rowOf, high, laneOf, inkOf, colours) {
    if (high < 10) return;
    context.font = "10px " + colours.font;
    context.textBaseline = "middle";
    regions.forEach(function (region) {
      context.fillStyle = inkOf(region[4]);
      var row = rowOf[region[0]], y = place.top + row * place.row + (laneOf(region) + 0.5) * high + 0.5;
      if (row !== undefined && laneOf(region) >= 0) written(context, place, view, region[2], region[3], region[4], y);
    });
  }

  /* Draws a frame around a hit of the search: on its rank, or over all rows. */
  function hit(context, place, view, found, rowOf, colours) {
    var from = x(place, view, found.begin), to = x(place, view, found.end), row = rowOf[found.rank];
    var isOnRow = row !== undefined, top = isOnRow ? place.top + row * place.row : 1;
    var bottom = isOnRow ? top + place.row : place.bottom - 1;
    if (to < place.left || from > place.right) return;
    var left = Math.min(from, (from + to) / 2 - 3), width = Math.max(to - from, 6);
    [[5, colours.paper], [2.5, colours.ink]].forEach(function (pen) {
      context.lineWidth = pen[0];
      context.strokeStyle = pen[1];
      context.strokeRect(left, top, width, bottom - top);
    });
  }

  function ruler(context, place, view, measured, colours) {
    var from = x(place, view, measured.from), to = x(place, view, measured.to), y = place.top + RULER;
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.16;
    context.fillRect(from, 0, to - from, place.bottom);
    context.globalAlpha = 1;
    [[from, 0, 1, place.bottom], [to - 1, 0, 1, place.bottom], [from, y, to - from, 1.5]].forEach(function (box) {
      context.fillRect(box[0], box[1], box[2], box[3]);
    });
    if (!measured.length) return;
    context.textBaseline = "middle";
    context.font = "600 14px " + colours.font;
    var wide = context.measureText(measured.length).width;
    context.font = "11px " + colours.font;
    wide = Math.max(wide, context.measureText(measured.ends).width) + 18;
    var left = Math.max(place.left, Math.min(place.right - wide, (from + to - wide) / 2)), top = place.top + 2;
    context.fillStyle = colours.paper;
    context.fillRect(left, top, wide, RULER - 4);
    context.strokeStyle = colours.accent;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, top + 0.5, wide - 1, RULER - 5);
    context.fillStyle = colours.muted;
    context.fillText(measured.ends, left + 9, top + 29);
    context.fillStyle = colours.ink;
    context.font = "600 14px " + colours.font;
    context.fillText(measured.length, left + 9, top + 13);
  }

  /* Draws the pins of the pinned ranks, and of the rank under the pointer. */
  function pins(context, place, state, colours) {
    state.data.rows.forEach(function (row, index) {
      var isPinned = row.rank !== undefined && state.pins.indexOf(row.rank) >= 0;
      if (place.row < 8 || row.rank === undefined || !(isPinned || index === state.hover)) return;
      var y = place.top + (index + 0.5) * place.row;
      context.fillStyle = isPinned ? colours.accent : colours.muted;
      [[-3, -6, 6, 1.5], [-2, -5, 4, 5], [-4, 0, 8, 1.5], [-0.6, 1, 1.2, 5]].forEach(function (box) {
        context.fillRect(place.pin + box[0], y + box[1], box[2], box[3]);
      });
    });
    if (!state.data.pins) return;
    context.fillStyle = colours.accent;
    context.fillRect(2, place.top + state.data.pins * place.row - 1, place.right - 2, 2);
  }

  window.hopscope_timeline_overlay = { hasNames: hasNames, names: names, regionNames: regionNames, hit: hit, ruler: ruler, pins: pins };
})();
