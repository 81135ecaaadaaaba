/* The line under the timeline that describes what is under the pointer, and the lead that a click there follows. */

(function () {
  function told(timeline) {
    var state = timeline.state, line = timeline.told, element = timeline.element, asked = 0, timer = 0, clickTimer = 0, clicks = 0;

    function link(text, href) {
      var made = element("a", "", line, text);
      var about = line.closest("[data-trace]"), trace = about ? about.dataset.trace : new URLSearchParams(location.search).get("trace");
      made.href = trace ? href + "&trace=" + encodeURIComponent(trace) : href;
      return made;
    }

    function columnAt(at) {
      return Math.floor((at - state.data.begin) / state.data.width);
    }

    /* Asks the server what a row does at a time, and finds the innermost call with a lead; null outside the picture. */
    function askTold(row, at) {
      var data = state.data, what = data.rows[row], column = columnAt(at), begin = Math.max(0, data.begin + column * data.width);
      if (!what || at < state.view.from || at >= state.view.to) return Promise.resolve(null);
      return timeline.ask("told", { rank: what.rank, host: what.rank === undefined ? what.host : null, at: at, from: begin, to: begin + data.width })
        .then(function (answer) {
          answer.leading = answer.calls.filter(function (call) { return call.href; }).pop();
          answer.lead = answer.leading ? { row: row, column: column, href: answer.leading.href } : null;
          return answer;
        });
    }

    function cannotTell(error) {
      if (!timeline.isGone()) line.textContent = error.message;
    }

    function clear() {
      asked++;
      clearTimeout(timer);
      line.replaceChildren();
    }

    /* Describes under the picture what a row does at a time. */
    function row(index, at) {
      var number = ++asked;
      clearTimeout(timer);
      timer = setTimeout(function () {
        askTold(index, at).then(function (answer) {
          if (!answer || number !== asked || timeline.isGone()) return;
          line.replaceChildren();
          state.lead = answer.lead;
          timeline.canvas.style.cursor = answer.lead ? "pointer" : "crosshair";
          element("strong", "", line, answer.title + (answer.lead ? ". Click: " + answer.leading.does : ""));
          element("span", "", line, answer.shares.map(function (share) { return share.category + " " + share.text; }).join(", "));
          answer.calls.forEach(function (call) {
            if (call.href) link(call.text, call.href);
            else element("span", "", line, call.text);
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

    function band(at) {
      var those = bandsAt(at);
      if (!those.length) return;
      clear();
      those.slice(0, 6).forEach(function (each) { link(each[4] + " " + each[2] + ":" + each[3], bandAddress(each)); });
      element("span", "", line, "Click: see " + (those.length > 1 ? "the first" : "it"));
    }

    function hop(what) {
      clear();
      link(what[5], what[6]);
    }

    function label(what) {
      if (!what) return;
      clear();
      if (what.rank === undefined) element("span", "", line, "Click: show the ranks of host " + what.host);
      else element("span", "", line, "Click: select rank " + what.rank + "; with Ctrl, add it to the selected ranks or remove it");
    }

    function pin(what) {
      clear();
      var isPinned = state.pins.indexOf(what.rank) >= 0;
      element("span", "", line, isPinned ? "Click: unpin rank " + what.rank : "Click: pin rank " + what.rank + " to the top");
    }

    function leadOf(pointer) {
      var what = state.data.rows[pointer.row], lead = state.lead;
      if (pointer.inBands) return bandsAt(pointer.at).map(bandAddress)[0] || null;
      if (pointer.hop) return pointer.hop[6];
      if (!what) return null;
      if (pointer.inLabels) return what.rank === undefined ? null : "?ranks=" + what.rank;
      return lead && lead.row === pointer.row && lead.column === columnAt(pointer.at) ? lead.href : null;
    }

    /* The lead of a click. If the pointer did not rest there before, the lead is asked for only now. */
    function leadOfClick(pointer) {
      var known = leadOf(pointer);
      if (known || pointer.inBands || pointer.inLabels) return Promise.resolve(known);
      return askTold(pointer.row, pointer.at).then(function (answer) { return answer && answer.lead ? answer.lead.href : null; });
    }

    function click(pointer, event) {
      var number = ++clicks, keys = { ctrlKey: event.ctrlKey, metaKey: event.metaKey, shiftKey: event.shiftKey, target: line }, found = leadOfClick(pointer);
      clearTimeout(clickTimer);
      /* Wait: a second click would mean a double click, which shows the whole run. */
      clickTimer = setTimeout(function () {
        found.then(function (lead) { if (!timeline.isGone() && number === clicks) window.hopscope_marks.follow(lead, keys); }).catch(cannotTell);
      }, 250);
    }

    /* Drops all clicks so far: none of them is followed. */
    function forget() {
      clicks++;
      clearTimeout(clickTimer);
    }

    return { row: row, band: band, hop: hop, label: label, pin: pin, leadOf: leadOf, click: click, forget: forget, clear: clear };
  }

  window.hopscope_timeline_parts = Object.assign(window.hopscope_timeline_parts || {}, { told: told });
})();
