/* Drawings of trees and exchanges, on the pages. A line under the drawing describes the part under the pointer, or the
   part that the arrow keys reach. A click or Enter on a part with a link follows the link (marks.js). A click on
   another part keeps its description in the line until Escape. */

(function () {
  window.hopscope_dashboard = Object.assign(window.hopscope_dashboard || {}, {
    /* The component Drawing of components/drawing.py. */
    Drawing: function (props) {
      var place = React.useRef(null);
      React.useEffect(function () { showRoot(place.current); }, [props.markup]);
      return React.createElement("div", {
        id: props.id,
        ref: place,
        className: "drawing",
        dangerouslySetInnerHTML: { __html: props.markup },
      });
    },
  });

  /* Scrolls a drawing that is wider than its frame to its root. */
  function showRoot(drawing) {
    var frame = drawing.querySelector(".graph-frame"), root = drawing.querySelector(".rank.root");
    if (!frame || !root) return;
    var box = root.getBoundingClientRect(), around = frame.getBoundingClientRect();
    frame.scrollLeft += box.left + box.width / 2 - around.left - around.width / 2;
  }

  document.querySelectorAll(".drawing").forEach(showRoot);

  var KEYS = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

  function partOf(event) {
    return event.target.closest ? event.target.closest(".tree [data-part]") : null;
  }

  function selected(drawing) {
    return drawing.querySelector('[aria-pressed="true"]');
  }

  function say(drawing, part) {
    var line = drawing.querySelector(".told");
    line.textContent = part ? part.querySelector("title").textContent : line.dataset.hint;
  }

  function select(drawing, part) {
    var before = selected(drawing);
    if (before) before.setAttribute("aria-pressed", "false");
    if (part && part !== before) part.setAttribute("aria-pressed", "true");
    say(drawing, selected(drawing));
  }

  function onPart(name, act) {
    document.addEventListener(name, function (event) {
      var part = partOf(event);
      if (part) act(part.closest(".drawing"), part, event);
    });
  }

  onPart("pointerover", say);
  onPart("pointerout", function (drawing) {
    say(drawing, selected(drawing));
  });
  function act(drawing, part, event) {
    if (part.dataset.href) window.hopscope_marks.follow(part.dataset.href, event);
    else select(drawing, part);
  }

  onPart("click", act);
  onPart("auxclick", function (drawing, part, event) {
    if (event.button === 1 && part.dataset.href) act(drawing, part, event);
  });
  onPart("focusin", function (drawing, part) {
    /* Tab leads back to the part that had the focus last. */
    drawing.querySelectorAll('[tabindex="0"]').forEach(function (other) {
      other.setAttribute("tabindex", "-1");
    });
    part.setAttribute("tabindex", "0");
    say(drawing, part);
  });
  onPart("focusout", function (drawing) {
    say(drawing, selected(drawing));
  });
  onPart("keydown", function (drawing, part, event) {
    if (event.key === "Enter") act(drawing, part, event);
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key in KEYS) {
      var next = drawing.querySelector('[data-part="' + part.getAttribute("data-" + KEYS[event.key]) + '"]');
      if (next) next.focus();
    } else if (event.key === "Home") drawing.querySelector(".rank.root, .round ~ .edge").focus();
    else if (event.key === " " && !part.dataset.href) select(drawing, part);
    else if (event.key === "Escape") select(drawing, null);
    else return;
    event.preventDefault();
  });
})();
