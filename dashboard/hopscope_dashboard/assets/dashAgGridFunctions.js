/* Functions that grid columns name. */

var dagfuncs = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});

/* The text of a cell, which came with its number: the row's `texts` has it by column. */
dagfuncs.hopscopeText = function (params) {
  return params.data ? params.data.texts[params.colDef.field] : "";
};
