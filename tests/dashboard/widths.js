/* Returns sentences about parts of a page that are cut or outside. test_widths_in_browser.py runs it in the browser. */
() => {
  const wrong = [], slack = 2, shown = element => element.checkVisibility({ opacityProperty: false, visibilityProperty: true });
  const name = element => {
    const near = element.closest("[id]"), own = String(element.className.baseVal ?? element.className).trim().split(/\s+/).slice(0, 2).join(".");
    const words = (element.innerText || element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `${near ? "#" + near.id : ""} ${element.tagName.toLowerCase()}.${own} "${words}"`;
  };
  const shownBar = grid => {
    const bar = grid.querySelector(".ag-body-horizontal-scroll");
    return bar && shown(bar) && bar.offsetHeight > 4;
  };
  const page = document.documentElement;
  if (page.scrollWidth > window.innerWidth) wrong.push(`the page is ${page.scrollWidth} wide`);
  for (const element of document.querySelectorAll("body *")) {
    if (element instanceof SVGElement || !shown(element) || element.clientWidth === 0) continue;
    const style = getComputedStyle(element);
    const ways = [["overflowX", element.scrollWidth - element.clientWidth, element.offsetHeight - element.clientHeight],
                  ["overflowY", element.scrollHeight - element.clientHeight, element.offsetWidth - element.clientWidth]];
    for (const [way, beyond, bar] of ways) {
      if (beyond <= slack || !(element.innerText || "").trim()) continue;
      const rim = way === "overflowX" ? parseFloat(style.borderTopWidth) + parseFloat(style.borderBottomWidth)
                                      : parseFloat(style.borderLeftWidth) + parseFloat(style.borderRightWidth);
      const grid = element.closest(".ag-root-wrapper");
      if (!grid && ["auto", "scroll"].includes(style[way]) && bar - rim < 4)
        wrong.push(`${name(element)} scrolls without a bar (${way}, ${beyond} px)`);
      /* A grid hides the scroll bars of its parts and draws its own. */
      const clips = ["hidden", "clip"].includes(style[way]);
      if (clips && (!grid || (way === "overflowX" && element.matches(".ag-cell, .ag-cell *, .ag-header-cell-text"))))
        wrong.push(`${name(element)} is cut (${way}, ${beyond} px)`);
      if (way === "overflowX" && element.matches(".ag-center-cols-viewport") && !shownBar(grid)) wrong.push(`${name(element)} has columns that no bar leads to`);
    }
  }
  const inside = (one, other) => one.left >= other.left - slack && one.right <= other.right + slack && one.top >= other.top - slack && one.bottom <= other.bottom + slack;
  for (const text of document.querySelectorAll("#content svg text")) {
    const box = text.getBoundingClientRect(), drawing = text.ownerSVGElement.getBoundingClientRect();
    if (!text.textContent.trim() || !box.width || !shown(text)) continue;
    if (!inside(box, drawing)) wrong.push(`${name(text)} lies outside of its drawing`);
  }
  const overlap = (one, other) => one.left < other.right - slack && other.left < one.right - slack && one.top < other.bottom - slack && other.top < one.bottom - slack;
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const bar = plot.querySelector(".modebar"), legend = plot.querySelector(".legend");
    if (bar && legend && overlap(bar.getBoundingClientRect(), legend.getBoundingClientRect())) wrong.push(`${name(plot)}: the buttons lie over the legend`);
    const bars = [...plot.querySelectorAll(".barlayer .point path")];
    if (legend && bars.some(each => overlap(each.getBoundingClientRect(), legend.getBoundingClientRect()))) wrong.push(`${name(plot)}: the legend lies over bars`);
    const names = [...plot.querySelectorAll(".g-xtitle text, .g-ytitle text")], labels = [...plot.querySelectorAll(".xtick text, .ytick text")];
    for (const title of names)
      if (labels.some(label => overlap(title.getBoundingClientRect(), label.getBoundingClientRect()))) wrong.push(`${name(title)} lies over the labels of its axis`);
  }
  return wrong;
}
