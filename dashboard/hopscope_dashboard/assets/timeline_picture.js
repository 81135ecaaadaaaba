/* Draws a timeline on a canvas: the columns that the server sent as bytes, and over them the single calls and
   messages of a short range. Texts come from the server; no number becomes text here. */

(function () {
  var LABELS = 132, SMALL_LABELS = 92, NEAR = 4, PALE = 0.6, UNDER_HOPS = 8, THIN = 1.4, TWO_LINES = 30, AXIS = 26, BANDS = 16, RIM = 2.2, RIMS = 0.04, HIGHEST = 44, HATCHED = 6, REGION_HUES = [95, 310, 50, 180, 28, 265, 335, 150];

  /* Splits the bytes of an answer into its header and planes of bytes: one for each category, one for waiting if it is
     known, and the last one for the path. */
  function parse(buffer) {
    var length = new DataView(buffer).getUint32(0, true);
    var header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
    var size = header.rows.length * header.columns;
    header.planes = header.categories.concat(header.waiting ? ["waiting"] : [], ["path"]).map(function (_, plane) {
      return new Uint8Array(buffer, 4 + length + plane * size, size);
    });
    header.path = header.planes.pop();
    header.waiting = header.waiting ? header.planes.pop() : null;
    return header;
  }

  function rgb(colour) {
    var value = parseInt(colour.slice(1), 16);
    return (0xff000000 | ((value & 0xff) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
  }

  /* The positions of everything on the canvas, in CSS pixels. `room` is the largest height that all rows together may
     have. */
  function layout(width, rows, small, room, only) {
    var most = small ? 150 : Math.max(320, room);
    var row = Math.max(small ? 1 : 3, Math.min(small ? 14 : HIGHEST, Math.floor(most / Math.max(1, rows))));
    var top = small || only ? 2 : BANDS + 6;
    return { left: small ? SMALL_LABELS : LABELS, host: small ? 58 : 74, right: width - 6, top: top, row: row, bottom: top + row * rows,
             height: top + row * rows + AXIS, rows: rows, small: small, pin: LABELS - 46 };
  }

  /* A translucent colour. */
  function faint(ink) {
    return ((ink & 0xffffff) | 0x58000000) >>> 0;
  }

  /* Draws the columns as an image. Each cell is filled from below with the shares of its categories, in their order.
     Computing is the lowest, so waiting is hatched from the top. A column is about half a CSS pixel wide. */
  function image(data, colours, cell, ratio) {
    var canvas = document.createElement("canvas"), columns = data.columns, isHatched = data.waiting && cell >= HATCHED * ratio;
    canvas.width = columns;
    canvas.height = Math.max(1, data.rows.length * cell);
    var context = canvas.getContext("2d"), picture = context.createImageData(canvas.width, canvas.height);
    var pixels = new Uint32Array(picture.data.buffer), inks = data.categories.map(function (c) { return rgb(colours[c]); });
    for (var row = 0; row < data.rows.length; row++)
      for (var column = 0; column < columns; column++) {
        var at = row * columns + column, sum = 0, drawn = 0;
        for (var plane = 0; plane < inks.length; plane++) {
          sum += data.planes[plane][at];
          var until = Math.min(cell, Math.round((sum * cell) / 255));
          for (; drawn < until; drawn++) pixels[(row * cell + cell - 1 - drawn) * columns + column] = inks[plane];
        }
        var hatched = isHatched ? drawn - Math.round((data.waiting[at] * cell) / 255) : drawn;
        for (var high = Math.max(0, hatched); high < drawn; high++) {
          var pixel = (row * cell + cell - 1 - high) * columns + column;
          if ((column + Math.round((2 * high) / ratio)) % 12 < 5) pixels[pixel] = faint(pixels[pixel]);
        }
      }
    context.putImageData(picture, 0, 0);
    return canvas;
  }

  function x(place, view, ns) {
    return place.left + ((ns - view.from) / (view.to - view.from)) * (place.right - place.left);
  }

  function line(context, x1, y1, x2, y2) {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }

  /* Draws the path where there are too many single stretches. Its thickness in a cell shows its share of the cell, but
     is always large enough to see among many ranks. It has a rim in the background's colour, because it crosses rows of
     every colour. */
  function pathByColumns(context, place, view, data, colours) {
    var width = Math.max(2, x(place, view, view.from + data.width) - place.left), most = Math.max(2, Math.min(5, place.row * 0.6));
    var least = Math.min(3, most), rim = place.row >= 12 ? 1.2 : 0.5;
    [[rim, colours.paper], [0, colours.path]].forEach(function (pen) {
      context.fillStyle = pen[1];
      for (var row = 0; row < data.rows.length; row++)
        for (var column = 0; column < data.columns; column++) {
          var share = data.path[row * data.columns + column];
          if (!share) continue;
          var thick = Math.round(least + ((most - least) * share) / 255) + 2 * pen[0];
          var top = place.top + (row + 0.5) * place.row - thick / 2, at = x(place, view, data.begin + column * data.width);
          /* If a row is no thicker than the line, the line is translucent. A larger share makes it less so. */
          if (place.row < 5) context.globalAlpha = pen[0] ? 0 : 0.25 + (0.75 * share) / 255;
          context.fillRect(at - pen[0], pen[0] ? top : Math.round(top), width + 2 * pen[0], thick);
        }
      context.globalAlpha = 1;
    });
  }

  /* The rank on whose row a stretch of the path begins. For a hop of a collective, it is the sender. */
  function senderOf(stretch) {
    return stretch[4] === undefined || stretch[4] === null ? stretch[0] : stretch[4];
  }

  /* Draws the path from stretch to stretch, with a rim in the background's colour. */
  function pathByStretches(context, place, view, path, middle, colours, thick) {
    [[thick + 2.5, colours.paper], [thick, colours.path]].forEach(function (pen) {
      context.lineWidth = pen[0];
      context.strokeStyle = pen[1];
      context.lineJoin = "round";
      context.beginPath();
      path.forEach(function (stretch) {
        context.lineTo(x(place, view, stretch[1]), middle(senderOf(stretch)));
        context.lineTo(x(place, view, stretch[2]), middle(stretch[0]));
      });
      context.stroke();
    });
  }

  /* Pales the rows of a collective, so that its hops stand out. Times outside the collective's calls become palest, and
     each call gets an outline. */
  function pale(context, place, view, calls, rowOf, colours) {
    context.fillStyle = colours.paper;
    context.strokeStyle = colours.native;
    context.lineWidth = 1.2;
    context.globalAlpha = PALE;
    context.fillRect(place.left, place.top, place.right - place.left, place.bottom - place.top);
    calls.forEach(function (call) {
      if (!(call[0] in rowOf)) return;
      var top = place.top + rowOf[call[0]] * place.row, from = x(place, view, call[1]), to = x(place, view, call[2]);
      context.globalAlpha = PALE;
      if (from > place.left) context.fillRect(place.left, top, Math.min(from, place.right) - place.left, place.row);
      if (to < place.right) context.fillRect(Math.max(to, place.left), top, place.right - Math.max(to, place.left), place.row);
      context.globalAlpha = 1;
      context.strokeRect(from, top + 1.5, Math.max(1, to - from), Math.max(1, place.row - 3));
    });
  }

  /* The row of each rank that has one. */
  function rowsByRank(data) {
    var rowOf = {};
    data.rows.forEach(function (row, index) { if (row.rank !== undefined) rowOf[row.rank] = index; });
    return rowOf;
  }

  /* The hop of a collective whose arrow passes nearest to a point, and near it; null if none does. */
  function arrowAt(place, state, left, top) {
    var rowOf = rowsByRank(state.data), nearest = null, least = NEAR, hops = state.only && state.marks ? state.marks.hops || [] : [];
    hops.forEach(function (hop) {
      if (!(hop[0] in rowOf && hop[1] in rowOf)) return;
      var x1 = x(place, state.view, hop[2]), y1 = place.top + (rowOf[hop[0]] + 0.5) * place.row;
      var wide = x(place, state.view, hop[3]) - x1, high = (rowOf[hop[1]] - rowOf[hop[0]]) * place.row;
      var along = Math.max(0, Math.min(1, ((left - x1) * wide + (top - y1) * high) / (wide * wide + high * high || 1)));
      var away = Math.hypot(x1 + along * wide - left, y1 + along * high - top);
      if (away < least) {
        least = away;
        nearest = hop;
      }
    });
    return nearest;
  }

  /* The width of the rims of messages. Messages cross rows of their own colour, so they need rims; but many rims would
     cover the rows. */
  function rimOf(place, view, those, middle) {
    var length = those.reduce(function (sum, each) {
      return sum + Math.hypot(x(place, view, each[3]) - x(place, view, each[2]), middle(each[1]) - middle(each[0]));
    }, 0);
    return Math.min(RIM, (RIMS * (place.right - place.left) * (place.bottom - place.top)) / Math.max(1, length));
  }

  function arrows(context, place, view, those, middle, colourOf, rim, paper, thick) {
    those.forEach(function (each) {
      var x1 = x(place, view, each[2]), y1 = middle(each[0]), x2 = x(place, view, each[3]), y2 = middle(each[1]), down = y2 > y1 ? 1 : -1;
      context.strokeStyle = paper;
      context.lineWidth = thick + rim;
      line(context, x1, y1, x2, y2);
      context.strokeStyle = context.fillStyle = colourOf(each);
      context.lineWidth = thick;
      line(context, x1, y1, x2, y2);
      context.beginPath();
      context.moveTo(x2, y2);
      context.lineTo(x2 - 3, y2 - 5 * down);
      context.lineTo(x2 + 3, y2 - 5 * down);
      context.fill();
    });
  }

  function bands(context, place, view, those, colours, chosen) {
    context.font = "11px " + colours.font;
    context.textBaseline = "middle";
    those.forEach(function (band) {
      var from = Math.max(place.left, x(place, view, band[0])), to = Math.min(place.right, x(place, view, band[1]));
      context.fillStyle = colours.band;
      if (those.length * 30 < place.right - place.left) {
        context.globalAlpha = 0.5;
        if (band[0] > view.from) context.fillRect(from, BANDS, 1, place.bottom - BANDS);
        if (band[1] < view.to) context.fillRect(to - 1, BANDS, 1, place.bottom - BANDS);
      }
      var other = (chosen.operation && chosen.operation !== band[4]) || (chosen.comms && chosen.comms.indexOf(band[2]) < 0);
      context.globalAlpha = other ? 0.25 : 0.75;
      context.fillRect(from, 2, Math.max(1.5, to - from - 1), BANDS);
      context.globalAlpha = 1;
      var words = band[4] + " " + band[2] + ":" + band[3];
      if (context.measureText(words).width < to - from - 10) {
        context.fillStyle = "#ffffff";
        context.fillText(words, from + 5, 3 + BANDS / 2);
      }
    });
  }

  /* Labels start-up and shutdown, which results leave out, and marks with a line where each ends or begins. */
  function once(context, place, view, those, colours) {
    context.font = "12px " + colours.font;
    context.textBaseline = "middle";
    those.forEach(function (each) {
      var from = Math.max(place.left, x(place, view, each[0])), to = Math.min(place.right, x(place, view, each[1]));
      var wide = context.measureText(each[2]).width + 12, y = (place.top + place.bottom) / 2;
      if (to - from < wide + 8) return;
      context.fillStyle = colours.paper;
      if (each[0] > view.from) context.fillRect(from, place.top, 2, place.bottom - place.top);
      if (each[1] < view.to) context.fillRect(to - 2, place.top, 2, place.bottom - place.top);
      context.fillRect((from + to - wide) / 2, y - 10, wide, 20);
      context.fillStyle = colours.ink;
      context.fillText(each[2], (from + to - wide) / 2 + 6, y);
    });
  }

  /* Lays the background's colour over what is not selected: other times and other ranks. */
  function shade(context, place, state, colours) {
    var chosen = state.selected, from = chosen.from_ns, to = chosen.to_ns;
    var left = from === null || from === undefined ? place.left : Math.max(place.left, x(place, state.view, from));
    var right = to === null || to === undefined ? place.right : Math.min(place.right, x(place, state.view, to));
    context.fillStyle = colours.paper;
    context.globalAlpha = 0.68;
    if (left > place.left) context.fillRect(place.left, 0, left - place.left, place.bottom);
    if (right < place.right) context.fillRect(Math.max(right, place.left), 0, place.right - Math.max(right, place.left), place.bottom);
    if (chosen.ranks && right > left)
      state.data.rows.forEach(function (row, index) {
        if (row.rank !== undefined && chosen.ranks.indexOf(row.rank) < 0)
          context.fillRect(left, place.top + index * place.row, right - left, place.row);
      });
    context.globalAlpha = 1;
  }

  function regionHue(names, name) {
    return REGION_HUES[names.indexOf(name) % REGION_HUES.length];
  }

  function regionColour(names, name) {
    return "hsl(" + regionHue(names, name) + " 60% 45%)";
  }

  /* The colour of text on a region's colour: orange, yellow, green and cyan are light. */
  function regionInk(names, name) {
    return regionHue(names, name) < 200 ? "#000000" : "#ffffff";
  }

  /* The lane of a region within its row, by its depth among those in view. Lanes take seven tenths of a row. If these
   * are too few, the outermost regions have negative lanes: they lie without names below the regions of lane 0. */
  function lanesOf(place, those, high) {
    var depths = Array.from(new Set(those.map(function (region) { return region[1]; }))).sort(function (a, b) { return a - b; });
    var lanes = Math.max(1, Math.min(depths.length, Math.floor(0.7 * place.row / high)));
    return function (region) { return depths.indexOf(region[1]) - depths.length + lanes; };
  }

  /* Draws regions of the program, as lanes at the top of each rank's row. */
  function regions(context, place, view, those, rowOf, names, colours) {
    var high = place.row >= 36 ? 10 : Math.max(2, Math.min(6, place.row / 4)), laneOf = lanesOf(place, those, high);
    those.forEach(function (region) {
      if (!(region[0] in rowOf)) return;
      var from = Math.max(place.left, x(place, view, region[2])), to = Math.min(place.right, x(place, view, region[3]));
      context.fillStyle = regionColour(names, region[4]);
      context.fillRect(from, place.top + rowOf[region[0]] * place.row + Math.max(0, laneOf(region)) * high, Math.max(1, to - from), high);
    });
    var inkOf = function (name) { return regionInk(names, name); };
    window.hopscope_timeline_overlay.regionNames(context, place, view, those, rowOf, high, laneOf, inkOf, colours);
  }

  function axis(context, place, view, data, colours) {
    context.font = "12px " + colours.font;
    context.textBaseline = "top";
    var free = -Infinity;
    data.ticks.forEach(function (tick) {
      var at = x(place, view, tick.at);
      if (at < place.left - 1 || at > place.right) return;
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      line(context, Math.round(at) + 0.5, place.bottom, Math.round(at) + 0.5, place.bottom + 5);
      var width = context.measureText(tick.text).width, from = Math.min(at + 2, place.right - width);
      if (from < free) return;
      context.fillStyle = colours.muted;
      context.fillText(tick.text, from, place.bottom + 8);
      free = from + width + 12;
    });
  }

  function labels(context, place, data, colours) {
    context.font = "12px " + colours.font;
    context.textBaseline = "middle";
    var every = Math.ceil(14 / place.row), clusters = new Set(data.rows.map(function (row) { return row.cluster; }));
    data.rows.forEach(function (row, index) {
      var y = place.top + (index + 0.5) * place.row, before = data.rows[index - 1], firstOfHost = !before || before.host !== row.host || index === data.pins;
      var next = data.rows[index + 1], isTwoLines = place.row >= TWO_LINES && !place.small, below = isTwoLines ? 8 : place.row;
      var isCluster = clusters.size > 1 && (!before || before.cluster !== row.cluster) && (isTwoLines || (next && next.host === row.host && place.row >= 12));
      context.fillStyle = colours.muted;
      if (index % every === 0) {
        var number = row.rank === undefined ? "×" + row.ranks : String(row.rank);
        context.textAlign = "right";
        context.fillText(number, place.left - 8, y);
      }
      context.textAlign = "left";
      if (firstOfHost) {
        if (index && place.row >= 4) {
          context.strokeStyle = colours.line;
          context.lineWidth = 1;
          line(context, 2, place.top + index * place.row + 0.5, place.left, place.top + index * place.row + 0.5);
        }
        if (place.row >= 11 || index % every === 0) {
          context.fillStyle = colours.ink;
          context.fillText(row.host, 2, isCluster && isTwoLines ? y - 8 : y, place.host);
          context.fillStyle = colours.muted;
          if (isCluster) context.fillText(row.cluster, 2, y + below, place.host);
        }
      }
    });
    context.textAlign = "left";
  }

  /* Draws on a canvas, which gets the picture's size. */
  function draw(canvas, place, state, colours) {
    var ratio = window.devicePixelRatio || 1, width = place.right + 6;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(place.height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(place.height * ratio);
      canvas.style.height = place.height + "px";
    }
    var context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, place.height);
    paint(context, place, state, colours);
  }

  /* Draws everything. state: data, picture, marks (or null), view, cursor (row and ns, or null), hit (of the search, or
     null), ruler (a span with its texts, or null). */
  function paint(context, place, state, colours) {
    var data = state.data, view = state.view, marks = state.marks || {}, rowOf = rowsByRank(data), wide = place.row >= 5;
    var over = window.hopscope_timeline_overlay;
    var middle = function (rank) { return place.top + (rowOf[rank] + 0.5) * place.row; };
    var shown = function (rank) { return rank in rowOf; };
    context.save();
    context.beginPath();
    context.rect(place.left, 0, place.right - place.left, place.bottom);
    context.clip();
    context.imageSmoothingEnabled = false;
    var from = x(place, view, data.begin), to = x(place, view, data.begin + data.columns * data.width);
    context.drawImage(state.picture, from, place.top, to - from, place.bottom - place.top);
    if (wide && place.rows > 1) {
      var gap = place.row >= 12 ? 2 : 1;
      context.fillStyle = colours.paper;
      for (var row = 1; row < place.rows; row++) context.fillRect(place.left, place.top + row * place.row - 1, place.right - place.left, gap);
    }
    if (state.only) pale(context, place, view, marks.own || [], rowOf, colours);
    if (marks.collectives && !place.small) bands(context, place, view, marks.collectives, colours, state.selected);
    if (marks.regions && wide) regions(context, place, view, marks.regions, rowOf, state.regionNames, colours);
    var both = function (each) { return each[0] !== each[1] && shown(each[0]) && shown(each[1]); };
    var fits = function (those, pixels) { return those && (state.only || those.length * pixels <= place.right - place.left); };
    var messages = fits(marks.messages, 4) ? marks.messages.filter(both) : [], hops = fits(marks.hops, 4) ? marks.hops.filter(both) : [];
    var rim = rimOf(place, view, messages.concat(hops), middle);
    var isWhole = fits(marks.path, 8) && marks.path.every(function (stretch) { return shown(stretch[0]) && shown(senderOf(stretch)); });
    /* The path of a collective lies under its hops. */
    if (isWhole && state.only) pathByStretches(context, place, view, marks.path, middle, colours, UNDER_HOPS);
    arrows(context, place, view, messages, middle, function () { return colours.p2p; }, rim, colours.paper, THIN);
    arrows(context, place, view, hops, middle, function (hop) { return colours[hop[4]]; }, rim, colours.paper, state.only ? 2 : THIN);
    if (isWhole && !state.only) pathByStretches(context, place, view, marks.path, middle, colours, 2.5);
    else if (!state.only) pathByColumns(context, place, view, data, colours);
    over.names(context, place, view, marks.calls, rowOf, colours, state.only ? colours.ink : "#ffffff");
    once(context, place, view, data.once, colours);
    shade(context, place, state, colours);
    if (state.cursor) {
      context.strokeStyle = colours.ink;
      context.lineWidth = 1;
      var at = x(place, view, state.cursor.at);
      line(context, at, place.top, at, place.bottom);
      context.strokeRect(place.left + 0.5, place.top + state.cursor.row * place.row + 0.5, place.right - place.left - 1, place.row - 1);
    }
    if (state.hit) over.hit(context, place, view, state.hit, rowOf, colours);
    if (state.ruler) over.ruler(context, place, view, state.ruler, colours);
    context.restore();
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    line(context, place.left, place.bottom + 0.5, place.right, place.bottom + 0.5);
    axis(context, place, view, data, colours);
    labels(context, place, data, colours);
    if (!place.small) over.pins(context, place, state, colours);
  }

  window.hopscope_timeline = { parse: parse, layout: layout, image: image, draw: draw, paint: paint, arrowAt: arrowAt, regionColour: regionColour };
})();
