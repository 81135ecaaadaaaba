/* Notices that the server does not answer, and tells the user (components/connection.py). When the server is back, the
   page is loaded again. Otherwise the requests made meanwhile would be lost, and a menu entry that was clicked
   meanwhile would do nothing when clicked again. The address has everything that a page shows. */

(function () {
  var PATIENCE_MS = 1500, YOUNG_MS = 5000;
  var ask = window.fetch.bind(window), leaving = false, lost = false, wasAway = false;

  function say(state) {
    var shown = document.getElementById("connection"), command = document.getElementById("connection-command");
    if (!shown) return;
    if (location.port && !/ --port /.test(command.textContent)) command.textContent += " --port " + location.port;
    shown.dataset.state = state;
    shown.hidden = false;
  }

  function isTyping() {
    var at = document.activeElement;
    return Boolean(at && /^(INPUT|TEXTAREA)$/.test(at.tagName) && at.value);
  }

  /* True if a proxy answers in place of the server. */
  function isAway(answer) {
    return answer.status >= 502 && answer.status <= 504;
  }

  function probe() {
    return ask("/", { method: "HEAD", cache: "no-store" }).then(function (answer) { return !isAway(answer); }, function () { return false; });
  }

  function waitForIt() {
    probe().then(function (answers) {
      if (leaving) return;
      if (!answers) {
        wasAway = true;
        say("away");
        setTimeout(waitForIt, PATIENCE_MS);
      /* A request that fails soon after every load of the page must not reload the page for ever. */
      } else if (isTyping() || (!wasAway && performance.now() < YOUNG_MS)) say("back");
      else location.reload();
    });
  }

  function onLost() {
    if (lost || leaving) return;
    lost = true;
    waitForIt();
  }

  window.fetch = function (what, options) {
    var ours = new URL(what.url || what, location.href).origin === location.origin;
    return ask(what, options).then(function (answer) {
      if (ours && isAway(answer)) onLost();
      return answer;
    }, function (error) {
      if (ours && error.name !== "AbortError") onLost();
      throw error;
    });
  };

  /* A user who comes back to the page should learn before clicking that the server is away. */
  window.addEventListener("focus", function () {
    if (!lost) probe().then(function (answers) { if (!answers) onLost(); });
  });

  /* When the user leaves the page, its requests fail; this does not mean that the server is away. */
  window.addEventListener("pagehide", function () { leaving = true; });
  window.addEventListener("beforeunload", function () { leaving = true; });
  window.addEventListener("pageshow", function () { leaving = false; });

  document.addEventListener("click", function (event) {
    if (event.target.closest && event.target.closest("#connection [data-again]")) location.reload();
  });
})();
