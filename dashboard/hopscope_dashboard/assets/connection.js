/* Notices that the server does not answer, and says so (components/connection.py). When it is back, the page is loaded again: what
   was asked for meanwhile is lost, and an entry that was clicked then would do nothing when clicked once more. The address has all
   that a page shows. */

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

  /* A proxy in front of the server answers for it. */
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
      /* A single question that fails each time, soon after the page was loaded, must not load it for ever. */
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

  /* Who comes back to the page hears it before clicking. */
  window.addEventListener("focus", function () {
    if (!lost) probe().then(function (answers) { if (!answers) onLost(); });
  });

  /* A page that is left drops what it asked for. */
  window.addEventListener("pagehide", function () { leaving = true; });
  window.addEventListener("beforeunload", function () { leaving = true; });
  window.addEventListener("pageshow", function () { leaving = false; });

  document.addEventListener("click", function (event) {
    if (event.target.closest && event.target.closest("#connection [data-again]")) location.reload();
  });
})();
