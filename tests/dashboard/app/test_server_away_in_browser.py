"""A page while its server is down, and when the server is back."""

import threading
from collections.abc import Iterator

import hopscope
import pytest
from hopscope_dashboard.app.application import create_app
from playwright.sync_api import BrowserContext, Page, expect
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server


class _OneAnswer(WSGIRequestHandler):
    """Answers requests, and closes each connection after one answer, as a process that ends would."""

    protocol_version = "HTTP/1.0"


class _Server:
    """A dashboard that stops and starts at one address."""

    def __init__(self, trace: hopscope.Trace) -> None:
        self._app = create_app(trace).server
        self._serving: BaseWSGIServer | None = None
        self.port = 0
        self.start()

    def start(self) -> None:
        self._serving = make_server("127.0.0.1", self.port, self._app, threaded=True, request_handler=_OneAnswer)
        self.port = self._serving.server_port
        threading.Thread(target=self._serving.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if self._serving is not None:
            self._serving.shutdown()
            self._serving.server_close()
        self._serving = None


@pytest.fixture
def server(trace: hopscope.Trace) -> Iterator[_Server]:
    started = _Server(trace)
    yield started
    started.stop()


@pytest.fixture
def tab(context: BrowserContext) -> Iterator[Page]:
    """A tab whose console may show errors, because its server is down."""
    tab = context.new_page()
    tab.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield tab
    tab.close()


@pytest.mark.browsers
def test_a_page_without_its_server_says_how_to_start_it_and_goes_on_when_it_is_back(
    tab: Page, server: _Server, trace: hopscope.Trace
) -> None:
    # Regression: the page gave no message, and when the server was back, a click on the same entry did nothing.
    tab.goto(f"http://127.0.0.1:{server.port}/timeline")
    expect(tab.locator("h1")).to_have_text("Timeline")
    tab.locator("#run-timeline[data-state='ready']").wait_for()
    notice = tab.get_by_role("alert")
    expect(notice).to_be_hidden()
    server.stop()
    tab.get_by_role("link", name="SQL", exact=True).click()
    expect(notice).to_contain_text("The dashboard's server cannot be reached")
    expect(notice).to_contain_text(f"hopscope dashboard {trace.path} --port {server.port}")
    expect(tab.locator("h1")).to_have_text("Timeline")
    server.start()
    expect(tab.locator("h1")).to_have_text("SQL")
    expect(notice).to_be_hidden()
    # Typed text remains. A user who returns to the tab sees the notice without a click.
    tab.locator("#sql-box").fill("select 1 as one")
    server.stop()
    tab.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(notice).to_contain_text("cannot be reached")
    server.start()
    expect(notice).to_contain_text("The server answers again.")
    expect(tab.locator("#sql-box")).to_have_value("select 1 as one")
    notice.get_by_role("button", name="Load the page again").click()
    expect(notice).to_be_hidden()
    expect(tab.locator("h1")).to_have_text("SQL")
