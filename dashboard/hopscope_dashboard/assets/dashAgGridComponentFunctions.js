/* Cells that are more than text. */

var dagcomponentfuncs = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});

/* A link inside the application: the address changes, nothing is loaded again. A row that the server has not sent yet says so. */
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

/* Where the time of a collective's critical path went, as one bar; colours and columns come from palette.py. */
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
