"""The list of all collectives in a real browser: ordered, searched and opened, whatever their number."""

import re

import hopscope
import pytest
from conftest import Serve
from hopscope.format import quantities
from playwright.sync_api import Page, Route, expect
from reading import grid
from simulated_run import SimulatedRun

COLLECTIVES = 700
FIRST = ".ag-row[row-index='0'] [col-id='collective']"


@pytest.fixture(scope="module")
def long_trace(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """A run with more collectives than a grid requests at once."""
    return hopscope.open(
        SimulatedRun(ranks=4, iterations=COLLECTIVES).write(tmp_path_factory.mktemp("long") / "solver")
    )


@pytest.fixture(scope="module")
def long_list(serve: Serve, long_trace: hopscope.Trace) -> str:
    """The address of the list of this run's collectives."""
    return f"{serve(long_trace)}/collectives"


def names(trace: hopscope.Trace, **options: object) -> list[str]:
    return [str(row["collective"]) for row in trace.collectives(**options).to_pylist()]


def test_the_list_has_every_collective_worst_or_most_usual_first(
    page: Page, long_list: str, long_trace: hopscope.Trace
) -> None:
    page.goto(long_list)
    expect(page.locator("#collectives-count")).to_have_text("700 collectives.")
    worst = long_trace.collectives(order="worst", limit=COLLECTIVES).to_pylist()
    expect(page.locator(FIRST)).to_have_text(worst[0]["collective"])
    assert grid(page, "collective")[:5] == [row["collective"] for row in worst[:5]]
    assert grid(page, "duration_ns")[:5] == [quantities.duration(row["duration_ns"]) for row in worst[:5]]
    page.locator("#collectives-grid .ag-body-viewport").evaluate("frame => frame.scrollTo(0, frame.scrollHeight)")
    last = page.locator(f".ag-row[row-index='{COLLECTIVES - 1}'] [col-id='collective']")
    expect(last).to_have_text(worst[-1]["collective"])
    page.get_by_text("most usual first").click()
    page.wait_for_url("**/collectives?order=median")
    page.locator("#collectives-grid .ag-body-viewport").evaluate("frame => frame.scrollTo(0, 0)")
    expect(page.locator(FIRST)).to_have_text(names(long_trace, order="median", limit=1)[0])


@pytest.mark.browsers
def test_a_row_that_is_not_there_yet_says_so(page: Page, long_list: str) -> None:
    # Regression: the list was blank, as if there were no collectives.
    routes: list[Route] = []
    is_holding = True

    def hold(route: Route) -> None:
        if is_holding and "getRowsResponse" in (route.request.post_data or ""):
            routes.append(route)
        else:
            route.continue_()

    page.route(re.compile("_dash-update-component"), hold)
    page.goto(f"{long_list}?order=first")
    expect(page.locator(FIRST)).to_have_text("loading …")
    is_holding = False
    for route in routes:
        route.continue_()
    expect(page.locator(FIRST)).to_have_text("0:0")
    page.unroute(re.compile("_dash-update-component"))


@pytest.mark.browsers
def test_a_heading_sorts_the_whole_list_and_a_link_shows_the_same(
    page: Page, long_list: str, long_trace: hopscope.Trace
) -> None:
    page.goto(long_list)
    page.get_by_role("columnheader", name="spread").click()
    page.wait_for_url("**/collectives?order=spread")
    expect(page.locator(FIRST)).to_have_text(names(long_trace, order="spread", limit=1)[0])
    page.get_by_role("columnheader", name="spread").click()
    page.wait_for_url("**/collectives?order=spread&reverse=1")
    smallest = names(long_trace, order="spread", reverse=True, limit=1)[0]
    expect(page.locator(FIRST)).to_have_text(smallest)
    page.reload()
    expect(page.locator(FIRST)).to_have_text(smallest)
    page.get_by_text("as they ran").click()
    page.wait_for_url("**/collectives?order=first")
    expect(page.locator(FIRST)).to_have_text("0:0")


def test_a_search_is_answered_over_all_and_stands_in_the_address(page: Page, long_list: str) -> None:
    page.goto(f"{long_list}?order=first")
    search = page.get_by_role("searchbox", name="Search")
    search.fill("0:69")
    expect(page.locator("#collectives-count")).to_have_text("1 of 700 collectives match.")
    expect(page.locator(FIRST)).to_have_text("0:69")
    search.fill("solver+0x1a40 TREE")
    expect(page.locator("#collectives-count")).to_have_text("700 collectives.")
    search.fill("bcast")
    expect(page.locator("#collectives-count")).to_have_text("0 of 700 collectives match.")
    expect(page.locator(FIRST)).to_have_count(0)
    page.wait_for_url("**/collectives?order=first&search=bcast")
    # If another page, such as a finding, links to the list with a filter, the list shows that.
    page.get_by_role("link", name="Collectives", exact=True).click()
    expect(page.locator("#collectives-count")).to_have_text("700 collectives.")
    expect(search).to_have_value("")
    page.goto(f"{long_list}?least=100&search=allreduce")
    expect(page.locator("#collectives-count")).to_contain_text(" of 700 collectives match.")
    expect(search).to_have_value("allreduce")


def test_a_row_leads_to_its_collective_by_a_click_and_by_keys_without_loading_the_application_again(
    page: Page, long_list: str
) -> None:
    page.goto(f"{long_list}?order=first")
    page.evaluate("window.stillHere = true")
    page.locator(".ag-row[row-index='1'] [col-id='duration_ns']").click()
    page.wait_for_url("**/collective?comm=0&seq=1")
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:1")
    page.go_back()
    page.wait_for_url("**/collectives?order=first")
    page.locator("#collectives-grid").get_by_role("link", name="0:2", exact=True).click()
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:2")
    page.go_back()
    expect(page.locator(FIRST)).to_have_text("0:0")
    page.locator(FIRST).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:1")
    assert page.evaluate("window.stillHere")
