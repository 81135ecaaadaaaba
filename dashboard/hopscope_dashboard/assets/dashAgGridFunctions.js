/* Functions that grid columns refer to by name. */

var dagfuncs = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});

/* The text of a cell. The row came with the texts of its numbers, as `texts` by column. */
dagfuncs.hopscopeText = function (params) {
  return params.data ? params.data.texts[params.colDef.field] : "";
};
