/* The search of the timeline. It finds operations, call sites and regions, one hit after another, moves the view to the
   hit and marks it. */

(function () {
  var REST_MS = 250, OF_VIEW = 60;

  function search(timeline) {
    var state = timeline.state, asked = 0, timer = 0, hit = null, text = "";
    var box = timeline.element("span", "run-search", timeline.head), input = timeline.element("input", "search", box);
    input.type = "search";
    input.placeholder = "Search ( / )";
    input.title = "Operations, call sites, regions";
    input.setAttribute("aria-label", "Search operations, call sites and regions");
    input.spellcheck = false;
    var said = timeline.element("span", "run-hits", box);
    said.setAttribute("aria-live", "polite");
    timeline.button("‹", "Previous hit", function () { step(true); }, box);
    timeline.button("›", "Next hit", function () { step(false); }, box);

    function find(parameters) {
      var number = ++asked;
      clearTimeout(timer);
      text = input.value.trim();
      if (!text) return forget();
      return timeline.ask("search", Object.assign({ text: text }, parameters)).then(function (answer) {
        if (number !== asked || timeline.isGone()) return;
        said.textContent = answer.said;
        said.title = answer.what || "";
        hit = state.hit = answer.hits ? answer : null;
        if (hit) show();
        else timeline.redraw();
      }).catch(function (error) { said.textContent = error.message; });
    }

    function forget() {
      hit = state.hit = null;
      said.textContent = "";
      timeline.redraw();
    }

    /* Moves the view to the hit. The view gets wider if the hit is longer than the view, and narrower if the hit would
       be too small to see. */
    function show() {
      var long = hit.end - hit.begin, length = state.view.to - state.view.from, middle = (hit.begin + hit.end) / 2;
      length = Math.max(1.25 * long, Math.min(length, Math.max(OF_VIEW * long, 1000)));
      var isSeen = length === state.view.to - state.view.from;
      isSeen = isSeen && hit.begin >= state.view.from && hit.end <= state.view.to;
      if (isSeen) timeline.redraw();
      else timeline.go(middle - length / 2, middle + length / 2);
      var row = state.data.rows.findIndex(function (each) { return each.rank === hit.rank; });
      if (row >= 0) timeline.reveal(row);
    }

    function step(back) {
      if (!state.data || !input.value.trim()) return;
      if (!hit || input.value.trim() !== text) find({ at: state.view.from });
      else find({ after: hit.key, back: back ? 1 : null });
    }

    input.addEventListener("input", function () {
      clearTimeout(timer);
      timer = setTimeout(function () { find({ at: state.view ? state.view.from : 0 }); }, REST_MS);
    });
    input.addEventListener("keydown", function (event) {
      if (event.key === "Enter") step(event.shiftKey);
      else if (event.key === "Escape") {
        input.value = "";
        find({});
        timeline.canvas.focus({ preventScroll: true });
      } else return;
      event.preventDefault();
    });
    timeline.atEnd(function () { clearTimeout(timer); });

    return { step: step, focus: function () { input.focus(); input.select(); } };
  }

  window.hopscope_timeline_parts = Object.assign(window.hopscope_timeline_parts || {}, { search: search });
})();
