/* Functions that grid columns refer to by name. */

var dagfuncs = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});

/* The text of a cell. The server sends a row's numbers also as texts: `texts`, by column. */
dagfuncs.hopscopeText = function (params) {
  return params.data ? params.data.texts[params.colDef.field] : "";
};
