/* Grid cells with more than text. */

var dagcomponentfuncs = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});

/* A link inside the application: the address changes, and nothing is loaded again. A row that the server has not sent
   yet shows that it is loading. */
dagcomponentfuncs.HopscopeLink = function (props) {
  if (!props.data) return React.createElement("span", { className: "row-loading", role: "status" }, "loading …");
  var href = props.data[props.hrefField];
  function go(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    window.history.pushState({}, "", href);
    window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
    window.scrollTo(0, 0);
  }
  return React.createElement("a", { href: href, onClick: go }, props.value);
};

/* The time of a collective's critical path by category, as one bar. Colours and columns come from palette.py. */
dagcomponentfuncs.HopscopePath = function (props) {
  if (!props.data) return null;
  var data = props.data, total = data.path_ns || 0;
  if (!total) return React.createElement("span", { className: "path-bar-none" }, "–");
  var parts = props.parts
    .filter(function (part) { return data[part.field] > 0; })
    .map(function (part) {
      return React.createElement("span", {
        key: part.field,
        title: part.name + " " + data.texts[part.field],
        style: { width: (100 * data[part.field]) / total + "%", background: part.colour },
      });
    });
  return React.createElement("span", { className: "path-bar" }, parts);
};
