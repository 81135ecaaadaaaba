/* The timeline as SVG. The same code as for the canvas draws it (timeline_picture.js). In place of a canvas's context
   it gets an object that turns drawing calls into SVG elements. The columns of the ranks stay an image. */

(function () {
  var BASELINES = { middle: "central", top: "hanging" }, ANCHORS = { left: "start", right: "end" };
  var NS = new Range().createContextualFragment("<svg></svg>").firstChild.namespaceURI;

  function Recorder(root) {
    this.into = root;
    this.around = [];
    this.clips = 0;
    this.path = "";
    this.globalAlpha = 1;
    this.lineJoin = "miter";
    this.textAlign = "left";
    this.textBaseline = "alphabetic";
    this.measure = document.createElement("canvas").getContext("2d");
  }

  Recorder.prototype = {
    add: function (name, attributes, into) {
      var made = document.createElementNS(NS, name);
      Object.keys(attributes).forEach(function (key) {
        var value = attributes[key];
        made.setAttribute(key, typeof value === "number" ? Math.round(value * 100) / 100 : value);
      });
      (into || this.into).appendChild(made);
      return made;
    },
    filled: function () {
      return this.globalAlpha === 1 ? { fill: this.fillStyle } : { fill: this.fillStyle, "fill-opacity": this.globalAlpha };
    },
    stroked: function () {
      return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin };
    },
    box: function (x, y, width, height) {
      return { x: Math.min(x, x + width), y: Math.min(y, y + height), width: Math.abs(width), height: Math.abs(height) };
    },
    beginPath: function () { this.path = ""; },
    moveTo: function (x, y) { this.path += "M" + x.toFixed(2) + " " + y.toFixed(2); },
    /* As on a canvas, the first point of a path only sets its beginning. */
    lineTo: function (x, y) { this.path += (this.path ? "L" : "M") + x.toFixed(2) + " " + y.toFixed(2); },
    rect: function (x, y, width, height) { this.path += "M" + x + " " + y + "h" + width + "v" + height + "h" + -width + "z"; },
    stroke: function () { this.add("path", Object.assign({ d: this.path }, this.stroked())); },
    fill: function () { this.add("path", Object.assign({ d: this.path }, this.filled())); },
    fillRect: function (x, y, width, height) { this.add("rect", Object.assign(this.box(x, y, width, height), this.filled())); },
    strokeRect: function (x, y, width, height) { this.add("rect", Object.assign(this.box(x, y, width, height), this.stroked())); },
    save: function () { this.around.push(this.into); },
    restore: function () { this.into = this.around.pop(); },
    clip: function () {
      var name = "clip-" + ++this.clips;
      this.add("path", { d: this.path }, this.add("clipPath", { id: name }));
      this.into = this.add("g", { "clip-path": "url(#" + name + ")" });
    },
    drawImage: function (image, x, y, width, height) {
      var how = { href: image.toDataURL("image/png"), preserveAspectRatio: "none", style: "image-rendering: pixelated" };
      this.add("image", Object.assign(this.box(x, y, width, height), how));
    },
    measureText: function (text) {
      this.measure.font = this.font;
      return this.measure.measureText(text);
    },
    fillText: function (text, x, y, most) {
      var attributes = Object.assign({ x: x, y: y, style: "font: " + this.font }, this.filled());
      attributes["dominant-baseline"] = BASELINES[this.textBaseline] || "auto";
      attributes["text-anchor"] = ANCHORS[this.textAlign];
      if (most && this.measureText(text).width > most) Object.assign(attributes, { textLength: most, lengthAdjust: "spacingAndGlyphs" });
      this.add("text", attributes).textContent = text;
    },
  };

  /* Makes an SVG document of the state that the canvas shows, without what the pointer marks in it. */
  function svg(place, state, colours) {
    var width = place.right + 6, root = document.createElementNS(NS, "svg"), recorder = new Recorder(root);
    [["width", width], ["height", place.height], ["viewBox", "0 0 " + width + " " + place.height]].forEach(function (each) {
      root.setAttribute(each[0], each[1]);
    });
    recorder.fillStyle = colours.paper;
    recorder.fillRect(0, 0, width, place.height);
    window.hopscope_timeline.paint(recorder, place, Object.assign({}, state, { cursor: null, ruler: null, hover: null }), colours);
    return new XMLSerializer().serializeToString(root);
  }

  window.hopscope_timeline.svg = svg;
})();
