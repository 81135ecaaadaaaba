"""A simulated trace, a dashboard of it on a loopback port, and a real browser that must not send requests to other
hosts."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import hopscope
import local_mpi
import pytest
from dash import Dash
from hopscope_dashboard.app.application import create_app
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from recorded_jobs import fill_once, shared_folder
from werkzeug.serving import make_server

sys.path.insert(0, str(Path(__file__).parent))

from reading import patient
from simulated_run import SimulatedRun

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]

PROGRAMS = Path(__file__).parent / "programs"
INCLUDE = local_mpi.ROOT / "collector" / "include"
LATE_MS = 1500
"""Delay of one rank of `late_trace`, in ms. It is longer than other programs keep a rank from its core."""

Serve = Callable[[hopscope.Trace | list[hopscope.Trace]], str]
ServeApp = Callable[[Dash], str]


@pytest.fixture(scope="session")
def trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """A solver on eight ranks over two sites. Its Allreduce crosses between the sites three times in sequence in each
    direction."""
    return hopscope.open(SimulatedRun().write(tmp_path_factory.mktemp("simulated") / "solver"))


@pytest.fixture(scope="session")
def trace_without_hops(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """The solver under the MPI library's own collectives, of which only the calls are known."""
    return hopscope.open(SimulatedRun(hops=False).write(tmp_path_factory.mktemp("simulated") / "observed"))


@pytest.fixture(scope="session")
def trace_of_many_trees(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """The solver, whose tree has each rank as its root in turn."""
    return hopscope.open(SimulatedRun(roots=tuple(range(8))).write(tmp_path_factory.mktemp("simulated") / "roots"))


def run_of_one_late(mpi: local_mpi.LocalMpi, source: Path, folder: Path) -> hopscope.Trace:
    """The trace of programs/one_late.c from this source file, built in a new folder and run on four ranks."""
    program = mpi.compile(source, "-g", "-I", str(INCLUDE))
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", str(folder), "--"]
    words = [*run, *mpi.launch(4), str(program), str(LATE_MS), str(folder.with_name("begun"))]
    subprocess.run(words, check=True, capture_output=True, timeout=120)
    return hopscope.open(folder)


@pytest.fixture(scope="session")
def late_trace(first_mpi: local_mpi.LocalMpi, tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """A real run of programs/one_late.c on four ranks, one of which is late to one collective. The MPI library's own
    messages are its hops."""

    def record(folder: Path) -> None:
        run_of_one_late(first_mpi, PROGRAMS / "one_late.c", folder / "trace")

    folder, _ = fill_once(shared_folder(tmp_path_factory), ("one_late", first_mpi.release), record)
    return hopscope.open(folder / "trace")


@pytest.fixture(scope="session")
def serve(serve_app: ServeApp) -> Serve:
    """A function that serves the dashboard of one or more traces from a thread, and returns its address."""
    return lambda trace: serve_app(create_app(trace))


@pytest.fixture(scope="session")
def serve_app() -> Iterator[ServeApp]:
    """A function that serves an application from a thread, and returns its address."""
    servers = []

    def start(app: Dash) -> str:
        server = make_server("127.0.0.1", 0, app.server, threaded=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="session")
def address(serve: Serve, trace: hopscope.Trace) -> str:
    """The address of the dashboard of the trace with hops."""
    return serve(trace)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    if not Path(CHROMIUM).exists():
        pytest.fail(f"the dashboard's tests drive {CHROMIUM}, which is not there: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """A window with scroll bars, which Playwright hides by default."""
    second_browser = browser.browser_type.launch(
        executable_path=CHROMIUM, args=FLAGS, ignore_default_args=["--hide-scrollbars"]
    )
    page = second_browser.new_page(viewport={"width": 1280, "height": 900})
    patient(page)
    yield page
    second_browser.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One profile for all tests, so that the scripts, several megabytes, are fetched and compiled once."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    yield context
    context.close()


@pytest.fixture(scope="session")
def tabs(context: BrowserContext) -> list[Page]:
    """A list with the tab that tests use one after the other; empty if the last test closed it."""
    return [context.new_page()]


@pytest.fixture
def page(context: BrowserContext, tabs: list[Page]) -> Iterator[Page]:
    """A page of 1280 x 800. Fails the test if the console shows an error, or if the page sends a request to another
    host.

    Tests share one tab: a new tab compiles the scripts again, which takes more than twice as long as drawing a page.
    """
    page = tabs.pop() if tabs and not tabs[0].is_closed() else context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.mouse.move(0, 0)
    patient(page)
    with watched(page):
        yield page
        page.evaluate("localStorage.clear()")
        page.goto("about:blank")
    tabs[:] = [page]


@contextmanager
def watched(page: Page) -> Iterator[None]:
    """Context that fails if the page's console shows an error, or if the page sends a request to another host."""
    wrong: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    listeners: dict[Any, Any] = {
        "console": listen,
        "pageerror": lambda error: wrong.append(str(error)),
        "request": lambda request: wrong.append(request.url) if not _is_local(request.url) else None,
        "response": lambda answer: wrong.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    assert wrong == []


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("data", "blob", "about") or parts.hostname in ("127.0.0.1", "localhost", "::1")
