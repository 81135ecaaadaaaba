/* Adapts figures to the window's width and colour scheme. After a change of width, a figure places its legend before it
   knows how many lines the legend has, so the legend may lie over the plot. So this script places it again. */

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
      /* The figure with the colours of a scheme. Its `meta` has one colour for each series. */
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
