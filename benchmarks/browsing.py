"""Runs a dashboard in a process of its own, and a browser that measures when its pages are complete (`watch.js`)."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopscope_dashboard.navigation.menu import sections
from hopscope_dashboard.pages import PAGES
from playwright.sync_api import Page, sync_playwright

CHROMIUM: Final = "/usr/bin/chromium"
_FLAGS: Final = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
_WINDOW: Final = {"width": 1280, "height": 800}
_PATIENCE_MS: Final = 120_000

_WATCH: Final = Path(__file__).parent / "watch.js"


@dataclass(frozen=True)
class Spent:
    """The cost of one action: the server's processor seconds, and milliseconds in the browser from the action until the
    page showed something of the run, and until it was complete."""

    processor: float
    useful_ms: float
    whole_ms: float


class Server:
    """A running `hopscope dashboard`."""

    def __init__(self, traces: list[Path], environment: dict[str, str]) -> None:
        """Starts the server. Raises RuntimeError with the command line and the first line of stderr if no address
        appears."""
        words = [str(Path(sys.executable).parent / "hopscope"), "dashboard", *map(str, traces), "--port", "0"]
        self._process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        line = self._process.stderr.readline() if self._process.stderr else ""
        address = re.search(r"(http://\S+)/", line)
        if not address:
            raise RuntimeError(f"{' '.join(words)} does not serve: {line}")
        self.address = address[1]

    @property
    def processor(self) -> float:
        """Processor seconds of all the server's threads up to now."""
        after_name = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def mebibytes(self) -> float:
        """The server's peak memory."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait()


class Visitor:
    """A browser that visits the pages of one server. Each action returns its cost."""

    def __init__(self, server: Server, page: Page) -> None:
        self._server, self._page = server, page
        page.set_default_timeout(_PATIENCE_MS)
        page.add_init_script(path=_WATCH)

    def _spend(self, act: Callable[[], list[float]]) -> Spent:
        begin_seconds = self._server.processor
        useful, whole = act()
        return Spent(self._server.processor - begin_seconds, useful, whole)

    def opens(self) -> Spent:
        """Opens the first page, in a browser that has none of the scripts yet."""

        def act() -> list[float]:
            self._page.goto(self._server.address, wait_until="commit")
            times: list[float] = self._page.evaluate("() => window.hopscopeBench.opened()")
            return times

        return self._spend(act)

    def goes_to(self, path: str) -> Spent:
        """Clicks a page of the menu. Opens the page's section first if it is closed."""
        selector = f'#menu .menu-link[href="{path}"], #menu .menu-link[href^="{path}?"]'
        if not self._page.locator(selector).count():
            (section,) = [
                candidate for candidate in sections(PAGES, None, {}) if path in [page.path for page in candidate.pages]
            ]
            self.goes_to(section.path)
        return self._spend(lambda: self._page.evaluate("it => window.hopscopeBench.clicked(it)", selector))

    def selects(self, **parameters: str | int) -> Spent:
        """Selects a part of the run, as a click on a mark of the page does. Without parameters selects the whole
        run."""
        search = "?" + "&".join(f"{name}={value}" for name, value in parameters.items())
        return self._spend(lambda: self._page.evaluate("it => window.hopscopeBench.selected(it)", search))

    def zooms(self, key: str) -> Spent:
        """Presses a key in the timeline."""

        def act() -> list[float]:
            milliseconds: float = self._page.evaluate("it => window.hopscopeBench.pressed(it)", key)
            return [milliseconds, milliseconds]

        return self._spend(act)


@contextmanager
def visiting(*traces: Path, **environment: str) -> Iterator[tuple[Server, Visitor]]:
    """Context with a new server of these traces and a new browser."""
    server = Server(list(traces), environment)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_FLAGS)
            yield server, Visitor(server, browser.new_page(viewport=_WINDOW))
            browser.close()
    finally:
        server.stop()
