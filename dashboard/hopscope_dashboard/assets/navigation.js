/* Ways from what was clicked to an address; the browser knows all that they need. */

window.dash_clientside = Object.assign({}, window.dash_clientside, {
  hopscope: {
    /* From a row of the list of collectives to its timeline. The row's place is the one that is seen, after sorting. The
       link in the first column leads there by itself. */
    openTimeline: function (clicked, shown) {
      var row = clicked && shown && clicked.colId !== "collective" ? shown[clicked.rowIndex] : null;
      return row ? row.href : window.dash_clientside.no_update;
    },

    /* To what was chosen in any list. A list that was just drawn calls, too; only one that no longer shows what is
       current was used. */
    followSelect: function () {
      var lists = window.dash_clientside.callback_context.inputs_list[0];
      var used = lists.find(function (each) {
        return each.value && each.value !== each.id.current;
      });
      return used ? used.value : window.dash_clientside.no_update;
    },
  },
});
