/* A figure that follows the window's width places its legend before it knows how many lines of it there are now, and so the legend
   may lie over the plot: it is placed once more. */

(function () {
  var later = 0;
  window.addEventListener("resize", function () {
    clearTimeout(later);
    later = setTimeout(function () {
      document.querySelectorAll(".js-plotly-plot").forEach(function (plot) {
        if (plot.querySelector(".legend")) Plotly.relayout(plot, { "legend.y": plot.layout.legend.y });
      });
    }, 400);
  });
})();
