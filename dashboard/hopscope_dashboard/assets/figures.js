/* What figures take from the window: its width and its colour scheme. A figure that follows the width places its legend before it
   knows how many lines of it there are now, and so the legend may lie over the plot: it is placed once more. */

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

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    hopscope_figures: {
      /* The figure with the colours that its `meta` has for the scheme, one for each series. */
      inScheme: function (scheme, figure) {
        var colours = figure && figure.layout.meta && figure.layout.meta.schemes[scheme];
        if (!colours || figure.data[0].marker.color === colours[0]) return window.dash_clientside.no_update;
        var data = figure.data.map(function (series, at) {
          return Object.assign({}, series, { marker: Object.assign({}, series.marker, { color: colours[at] }) });
        });
        return Object.assign({}, figure, { data: data });
      },
    },
  });
})();
