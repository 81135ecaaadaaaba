/* Saves figures and tables as files, mostly without the server: plotly's figures by plotly's own toImage; drawings with
   the styles that they have on the page; the timeline's canvas as it is, or drawn again as SVG; tables as they are
   shown. If a table's link leads to all its rows on the server (components/exports.py), the browser saves those. */

(function () {
  /* The styles that a drawing gets from the page's style sheet. */
  var STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "opacity",
    "paint-order", "color", "font-family", "font-size", "font-weight", "text-anchor", "display"];

  function variable(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function save(name, address) {
    var link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  }

  function saveText(name, text, type) {
    var address = URL.createObjectURL(new Blob([text], { type: type }));
    save(name, address);
    setTimeout(function () { URL.revokeObjectURL(address); }, 10000);
  }

  function savePlot(name, plot, kind) {
    var box = plot.getBoundingClientRect(), paper = variable("--paper");
    var font = Object.assign({}, plot.layout.font, { color: variable("--ink") });
    var size = { width: Math.round(box.width), height: Math.round(box.height) };
    var layout = Object.assign({}, plot.layout, size, { paper_bgcolor: paper, plot_bgcolor: paper, font: font });
    return Plotly.toImage({ data: plot.data, layout: layout }, Object.assign({ format: kind, scale: kind === "png" ? 2 : 1 }, size))
      .then(function (address) { save(name + "." + kind, address); });
  }

  /* Makes a drawing a separate document, in its full size, even if its frame shows only a part. */
  function standalone(svg) {
    var copy = svg.cloneNode(true), from = [svg].concat(Array.from(svg.querySelectorAll("*")));
    [copy].concat(Array.from(copy.querySelectorAll("*"))).forEach(function (part, at) {
      var style = getComputedStyle(from[at]);
      part.removeAttribute("class");
      part.removeAttribute("tabindex");
      part.setAttribute("style", STYLES.map(function (name) { return name + ": " + style.getPropertyValue(name); }).join("; "));
    });
    var box = svg.viewBox.baseVal;
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    copy.style.backgroundColor = variable("--paper");
    return { text: new XMLSerializer().serializeToString(copy), width: box.width, height: box.height };
  }

  function saveDrawing(name, svg, kind) {
    var drawn = standalone(svg);
    if (kind === "svg") return saveText(name + ".svg", drawn.text, "image/svg+xml");
    var image = new Image();
    image.onload = function () {
      /* Browsers cannot draw a canvas with more than about 16,000 pixels a side. */
      var scale = Math.min(2, 16000 / Math.max(drawn.width, drawn.height)), canvas = document.createElement("canvas");
      canvas.width = Math.round(drawn.width * scale);
      canvas.height = Math.round(drawn.height * scale);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      save(name + ".png", canvas.toDataURL("image/png"));
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn.text);
  }

  function saveCanvas(name, canvas) {
    var copy = document.createElement("canvas"), context = copy.getContext("2d");
    copy.width = canvas.width;
    copy.height = canvas.height;
    context.fillStyle = variable("--paper");
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(canvas, 0, 0);
    save(name + ".png", copy.toDataURL("image/png"));
  }

  /* The text of a cell in CSV. A spreadsheet would take a text for a formula if it begins like one. */
  function cell(text) {
    if (/^[=+@\t\r]|^-[^0-9]/.test(text)) text = "'" + text;
    return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  function saveTable(name, table) {
    var rows = Array.from(table.rows).map(function (row) {
      return Array.from(row.cells).map(function (each) { return cell(each.innerText.trim().replace(/\s+/g, " ")); }).join(",");
    });
    saveText(name + ".csv", rows.join("\n") + "\n", "text/csv");
  }

  function nameOf(element) {
    var named = element.closest("[id]") || element.querySelector("[id]");
    return named && !/^(content|react-entry-point)$/.test(named.id) ? named.id : "hopscope";
  }

  document.addEventListener("click", function (event) {
    var button = event.target.closest ? event.target.closest("[data-save]") : null;
    if (!button || button.getAttribute("href")) return;
    var around = button.closest(".exportable, .drawing, .run-canvas"), kind = button.dataset.save;
    if (!around) return;
    var plot = around.querySelector(".js-plotly-plot"), svg = around.querySelector("svg.tree");
    var canvas = around.querySelector("canvas"), table = around.querySelector("table");
    if (kind === "csv" && table) saveTable(nameOf(table), table);
    else if (plot) savePlot(nameOf(plot), plot, kind);
    else if (svg) saveDrawing(nameOf(svg), svg, kind);
    else if (canvas && kind === "svg") saveText(nameOf(around) + ".svg", around.hopscope.svg(), "image/svg+xml");
    else if (canvas) saveCanvas(nameOf(around), canvas);
  });
})();
