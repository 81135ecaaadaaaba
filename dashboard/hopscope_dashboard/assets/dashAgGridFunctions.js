/* Functions that grid columns name: numbers with their unit, as units.py writes them. */

var dagfuncs = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});

dagfuncs.hopscopeDuration = function (ns) {
  if (ns === null || ns === undefined) return "–";
  if (ns === 0) return "0";
  var units = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]];
  var size = Math.abs(ns);
  var unit = units.find(function (u) { return size >= 0.9995 * u[1]; }) || units[3];
  var value = ns / unit[1];
  var shown = Math.abs(value);
  return value.toFixed(shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2) + " " + unit[0];
};

dagfuncs.hopscopeSize = function (bytes) {
  if (bytes === null || bytes === undefined) return "–";
  var units = [["GiB", 1073741824], ["MiB", 1048576], ["KiB", 1024]];
  var unit = units.find(function (u) { return bytes >= u[1]; });
  return unit ? (bytes / unit[1]).toFixed(1).replace(/\.0$/, "") + " " + unit[0] : bytes + " B";
};

dagfuncs.hopscopeKnown = function (value) {
  return value === null || value === undefined ? "–" : value;
};
