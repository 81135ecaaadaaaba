/* Draws parts of a page only once its timeline is there. Figures need plotly, and while a browser loads plotly it draws
   nothing else. */

(function () {
  var LONGEST_MS = 5000;

  function isAsking() {
    return Boolean(document.querySelector('.run-canvas:not([data-state]), .run-canvas[data-state="asking"]'));
  }

  /* The component AfterTimeline of components/after_timeline.py. */
  function AfterTimeline(props) {
    var shown = React.useState(false);
    React.useEffect(function () {
      var next = 0, begin = performance.now();
      function look() {
        if (isAsking() && performance.now() - begin < LONGEST_MS) next = requestAnimationFrame(look);
        else shown[1](true);
      }
      look();
      return function () { cancelAnimationFrame(next); };
    }, []);
    return shown[0] ? props.children : null;
  }

  window.hopscope_dashboard = Object.assign(window.hopscope_dashboard || {}, { AfterTimeline: AfterTimeline });
})();
