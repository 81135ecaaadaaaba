"""The page of a machine file in a browser: nothing is cut, and its report sends no requests."""

from pathlib import Path

import pytest
from conftest import ServeApp
from hopscope.cli.analyze import analyze
from hopscope_dashboard.app.application import create_machine_app
from hopscope_dashboard.data.trace import Machine
from playwright.sync_api import Browser, Page, expect
from probed_machine import HOSTS, probed
from reading import NARROWEST, WIDTHS, is_wider, measured, patient, scrolled_tables, table, wait_for_page


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return probed(tmp_path_factory.mktemp("machine") / "machine.json", 600)


@pytest.fixture(scope="module")
def address(file: Path, serve_app: ServeApp) -> str:
    return serve_app(create_machine_app(Machine(file)))


@pytest.mark.browsers
def test_nothing_is_cut_at_any_width(window: Page, address: str) -> None:
    patient(window)
    wrong: list[str] = []
    for width in WIDTHS:
        window.set_viewport_size({"width": width, "height": 900})
        window.goto(address)
        wait_for_page(window, "Machine")
        wrong += [f"at {width}: {place}" for place in measured(window)]
        # Regression: the table ended after 12 of 18 rows, beside an empty half of the page, and no scroll bar showed
        # that it continued.
        combining = window.locator(".table-frame:has(#machine-combining)")
        hidden = combining.evaluate("part => part.scrollHeight - part.clientHeight")
        wrong += [f"at {width}: {hidden} pixels of Combining are out of sight"] if hidden > 1 else []
        wrong += [f"at {width}: a column of {place} is out of sight" for place in scrolled_tables(window)]
    window.set_viewport_size({"width": NARROWEST, "height": 900})
    assert wrong == []
    assert not is_wider(window)


@pytest.mark.browsers
def test_the_report_of_a_machine_file_has_its_page_and_asks_nobody(
    browser: Browser, file: Path, tmp_path: Path
) -> None:
    report = tmp_path / "machine.html"
    assert analyze.main(["report", str(file), "-o", str(report)], standalone_mode=False) in (0, None)
    context = browser.new_context(offline=True)
    page = context.new_page()
    events: list[str] = []
    page.on("request", lambda request: events.append(request.url))
    page.on("console", lambda message: events.append(message.text))
    page.goto(report.as_uri(), timeout=120_000)
    expect(page.locator("h1")).to_have_text("Machine")
    expect(page.locator(".figure .main-svg").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(page.locator(".figure").count())
    assert len(table(page, "machine-hosts")) == len(HOSTS)
    assert events == [report.as_uri()]
    context.close()
