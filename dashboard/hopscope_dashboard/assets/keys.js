/* Keys that follow a link of the page, as the link itself shows: n to the next collective, p to the one before. Not while one
   types, and not with a modifier, which is the browser's. */

document.addEventListener("keydown", function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest && event.target.closest("input, textarea, select, [contenteditable]")) return;
  var link = /^[a-z]$/.test(event.key) && document.querySelector("#content a.key-" + event.key);
  if (link) link.click();
});
