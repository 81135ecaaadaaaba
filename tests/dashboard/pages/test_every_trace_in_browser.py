"""Every page of every kind of trace, reached by clicks alone: none fails, is cut, or has many words, and marks have
links. One dashboard serves all traces."""

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import hopscope
import pytest
from conftest import watched
from hopscope_dashboard.app.application import create_app
from playwright.sync_api import Page, expect
from reading import measured, scrolled_tables, through_the_menu
from werkzeug.serving import make_server

ROOT = Path(__file__).parents[3]
SAMPLES, ARCHIVES = ROOT / "sample_traces", ROOT / "tests" / "convert" / "archives"
NARROW, WIDE = 1024, 1600
WORDS = (Path(__file__).parents[1] / "words.js").read_text()
MOST_WORDS = 120
"""The largest number of words of a page, besides its tables and figures."""
NAMES = ["demo", "observe_only", "one_late", *sorted(path.name for path in ARCHIVES.glob("scorep-*"))]


@pytest.fixture(scope="module")
def address(late_trace: hopscope.Trace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard of all traces: a solver over a tree, a run without hops, a run with the MPI library's
    own messages, and a run that Score-P recorded."""
    folder = tmp_path_factory.mktemp("traces")
    traces = []
    for name in NAMES:
        source = {"demo": SAMPLES / "demo" / "trace", "observe_only": SAMPLES / "observe_only" / "trace",
                  "one_late": late_trace.path}.get(name, ARCHIVES / name)  # fmt: skip
        traces.append(hopscope.open(shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("dataset"))))
    server = make_server("127.0.0.1", 0, create_app(traces).server, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def wait_for_page(page: Page, title: str, name: str) -> None:
    """Waits for a page and all its figures, and checks that no part failed."""
    expect(page).to_have_title(f"{title} · {name} · Hopscope")
    page.locator("#content h1").wait_for()
    expect(page.locator("[data-dash-is-loading=true], .dash-graph--pending, #working-tick")).to_have_count(0)
    expect(page.locator("#content").locator("#cannot-answer, [role=alert], [data-state=failed]")).to_have_count(0)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "name",
    [name if name == "demo" else pytest.param(name, marks=pytest.mark.browsers) for name in NAMES],
)
def test_every_page_of_every_trace_is_reached_by_clicks_and_none_fails_is_cut_or_has_many_words(
    window: Page, address: str, name: str
) -> None:
    with watched(window):
        assert wrong_on_the_way(window, address, name) == []


def wordy(page: Page, title: str) -> list[str]:
    """A list with a sentence about the number of words of a page, if the page has too many words; otherwise an empty
    list."""
    words: list[str] = page.evaluate(WORDS)
    return [f"{title} has {len(words)} words: {' '.join(words)}"] if len(words) > MOST_WORDS else []


def wrong_on_the_way(page: Page, address: str, name: str) -> list[str]:
    """The parts of the pages that are cut at two widths, and the pages with many words. Reaches each page by clicks."""
    wrong: list[str] = []
    page.set_viewport_size({"width": WIDE, "height": 900})
    page.goto(address)
    page.get_by_role("combobox", name="Trace").or_(page.get_by_role("textbox", name="Trace")).click()
    page.get_by_role("option", name=name, exact=True).click()
    wait_for_page(page, "Summary", name)
    # A call site leads to its source, a category of the critical path to the page that explains it, and a click on a
    # rank's mark selects the rank.
    page.locator("#call-sites .mark-link, #call-sites a").first.click()
    expect(page.locator("h1")).not_to_have_text("Summary")
    # If the trace knows no call sites, the click selected an operation, which other traces may not have.
    whole = page.get_by_role("link", name="Show the whole run")
    if whole.count():
        whole.click()
        expect(whole).to_have_count(0)
    for title in through_the_menu(page):
        wait_for_page(page, title, name)
        for width in (NARROW, WIDE):
            page.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{title} at {width}: {part}" for part in [*measured(page), *scrolled_tables(page)]]
        wrong += wordy(page, title)
        if title == "Collectives" and page.locator("#content .lead a").count():
            page.locator("#content .lead a").click()
            wait_for_page(page, "Timeline of a collective", name)
            wrong += wordy(page, "Timeline of a collective")
    page.get_by_role("link", name="Imbalance", exact=True).click()
    wait_for_page(page, "By rank", name)
    rank = page.locator("#content .mark-link[data-href='?ranks=1']").first
    rank.click()
    expect(page.locator("#selection")).to_contain_text("ranks 1")
    page.get_by_role("link", name="Timeline", exact=True).click()
    wait_for_page(page, "Timeline", name)
    expect(page.locator("#run-timeline")).to_have_attribute("data-state", "ready")
    # The link of a call site without source also selects the operation.
    expect(page.locator("#selection")).to_contain_text(re.compile(r"ranks 1(, operation MPI_\w+)?; the rest is shaded"))
    return wrong


@pytest.mark.browsers
def test_the_critical_path_says_how_much_start_up_it_leaves_out_and_takes_it_in(page: Page, address: str) -> None:
    # Regression: 98 % of this run's path is start-up, and no page said that the shares were those of the rest.
    page.goto(address)
    page.get_by_role("combobox", name="Trace").or_(page.get_by_role("textbox", name="Trace")).click()
    page.get_by_role("option", name="scorep-8.4-mpi-4ranks", exact=True).click()
    wait_for_page(page, "Summary", "scorep-8.4-mpi-4ranks")
    page.get_by_role("link", name="Communication", exact=True).click()
    wait_for_page(page, "Critical path", "scorep-8.4-mpi-4ranks")
    expect(page.get_by_text("Excluded: 319 ms of start-up (98.2 % of the path).")).to_be_visible()
    page.get_by_role("link", name="Include it").click()
    expect(page.locator("#selection")).to_contain_text("start")
    wait_for_page(page, "Critical path", "scorep-8.4-mpi-4ranks")
    expect(page.locator("#critical-path-table")).to_contain_text("startup")
    expect(page.get_by_role("link", name="Include it")).to_have_count(0)
