/* Keys that follow the link of the page that names them: n to the next collective, p to the previous one. They have no
   effect while the user types, or with a modifier, because such keys belong to the browser. */

document.addEventListener("keydown", function (event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest && event.target.closest("input, textarea, select, [contenteditable]")) return;
  var link = /^[a-z]$/.test(event.key) && document.querySelector("#content a.key-" + event.key);
  if (link) link.click();
});
