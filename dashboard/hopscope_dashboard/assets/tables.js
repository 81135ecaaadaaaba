/* Sorts a plain table (blocks.table) by the heading that is clicked: numbers the largest first, words from A on. A
   second click reverses the order. Unknown values stay last, and equal cells keep the page's order. */

(function () {
  var UNKNOWN = "–";

  function keyOf(cell, isNumber) {
    var text = cell ? cell.textContent.trim() : "";
    if (!text || text === UNKNOWN) return null;
    return isNumber ? (cell.dataset.value === undefined ? null : Number(cell.dataset.value)) : text;
  }

  function compared(one, other) {
    return typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
  }

  function arrange(heading) {
    var body = heading.closest("table").tBodies[0], at = heading.cellIndex, isNumber = heading.classList.contains("number");
    var sign = heading.getAttribute("aria-sort") === "descending" ? -1 : 1;
    var rows = Array.from(body.rows).map(function (row) { return { row: row, key: keyOf(row.cells[at], isNumber) }; });
    rows.sort(function (one, other) {
      if (one.key === null || other.key === null) return (one.key === null) - (other.key === null);
      return sign * compared(one.key, other.key);
    });
    rows.forEach(function (each) { body.append(each.row); });
  }

  function sort(heading) {
    var first = heading.classList.contains("number") ? "descending" : "ascending", now = heading.getAttribute("aria-sort");
    var next = now === null ? first : now === "ascending" ? "descending" : "ascending";
    heading.closest("tr").querySelectorAll("[aria-sort]").forEach(function (other) { other.removeAttribute("aria-sort"); });
    heading.setAttribute("aria-sort", next);
    arrange(heading);
  }

  ["click", "keydown"].forEach(function (name) {
    document.addEventListener(name, function (event) {
      var heading = event.target.closest ? event.target.closest(".table-frame th[tabindex]") : null;
      if (heading && (name === "click" || event.key === "Enter")) sort(heading);
    });
  });
})();
