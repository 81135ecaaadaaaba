/* Returns the visible words of a page outside tables, figures, legends, code, choices and folded parts.
 * test_every_trace_in_browser.py runs it in the browser. */
() => {
  const LEFT_OUT = [
    "table, [class^='ag-'], [class*=' ag-'], .exports",
    "svg, canvas, .js-plotly-plot, .graph-frame, .legend",
    "pre, .command, .copy",
    "select, textarea, input, [role=listbox], .choice-links",
  ].join(", ");
  const shown = element => element.checkVisibility({ opacityProperty: false, visibilityProperty: true });
  const isFolded = element => {
    const folded = element.closest("details:not([open])");
    return folded && !element.closest("summary");
  };
  const walker = document.createTreeWalker(document.querySelector("#content"), NodeFilter.SHOW_TEXT);
  const words = [];
  while (walker.nextNode()) {
    const text = walker.currentNode, element = text.parentElement;
    if (element.closest(LEFT_OUT) || isFolded(element) || !shown(element)) continue;
    words.push(...text.data.split(/\s+/).filter(word => /[\p{L}\p{N}]/u.test(word)));
  }
  return words;
}
