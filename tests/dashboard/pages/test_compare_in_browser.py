"""The page Compare of two runs in a browser: edges that only one of them has, and one time scale for both."""

import re
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from conftest import Serve
from playwright.sync_api import Page, expect
from reading import point_at_edge, wait_for_page
from sample_copy import open_copy

TIMELINE = "#compare-timeline-{run}[data-state='ready']"
VIEWS = """() => ["base", "new"].map(run => {
    const {view, only} = document.querySelector(`#compare-timeline-${run}`).hopscope;
    return [view.from - only.from, view.to - only.from];
})"""

Runs = dict[str, hopscope.Trace]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return {name: open_copy(f"changed_tree/{name}", tmp_path_factory.mktemp(name)) for name in ("base", "new")}


@pytest.fixture(scope="module")
def served(runs: Runs, serve: Serve) -> str:
    """The address of the page that compares both runs."""
    return f"{serve(list(runs.values()))}/compare"


def name_of(trace: hopscope.Trace) -> str:
    return trace.identity[:8]


def of_trace(page: Page) -> str:
    """The trace that the page's address names."""
    return parse_qs(urlsplit(page.url).query)["trace"][0]


def no_hidden_overflow(page: Page) -> list[str]:
    parts: list[str] = page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll("#content .table-frame, #content .card")]
            .filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.outerHTML.slice(0, 200))"""
    )
    return parts


@pytest.mark.browsers
def test_an_edge_that_only_one_run_has_is_dashed_says_so_and_leads_to_the_hops_of_that_run(
    page: Page, served: str, runs: Runs
) -> None:
    page.set_viewport_size({"width": 1024, "height": 800})
    page.goto(f"{served}?role=down")
    expect(page.locator(TIMELINE.format(run="new"))).to_be_visible()
    assert no_hidden_overflow(page) == []
    # Edges differ not only by colour, but also by dashes and text.
    dashes = "part => getComputedStyle(part).strokeDasharray"
    assert page.locator("#compare-tree-new .changed .line").first.evaluate(dashes) != "none"
    assert page.locator("#compare-tree-new .kept .line").first.evaluate(dashes) == "none"
    only_new = page.locator("#compare-tree-new .changed").first.get_attribute("data-part") or ""
    point_at_edge(page, only_new)
    expect(page.locator("#compare-tree-new .told")).to_contain_text("Only the new run has this edge.")
    # Regression: the edge led to the base's hops, but the base has none on this edge.
    page.mouse.down()
    page.mouse.up()
    src, dst = only_new.split("-")[1:]
    expect(page.locator("#content")).to_contain_text(f"Hops from rank {src} to rank {dst} over time")
    assert of_trace(page) == name_of(runs["new"])


@pytest.mark.browsers
def test_one_collective_of_both_runs_has_one_scale_which_zooming_keeps(page: Page, served: str, runs: Runs) -> None:
    page.goto(served)
    for run in runs:
        page.locator(TIMELINE.format(run=run)).wait_for()
    before = page.evaluate(VIEWS)
    assert before[0] == before[1]
    canvas = page.locator("#compare-timeline-new canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"], steps=5)
    page.mouse.up()
    zoomed = page.evaluate(VIEWS)
    assert zoomed[0] == zoomed[1] != before[0]
    # A key zooms both by as much, and only once.
    page.keyboard.press("+")
    (begin, end), other = page.evaluate(VIEWS)
    assert [begin, end] == other
    assert end - begin == pytest.approx((zoomed[0][1] - zoomed[0][0]) / 2, abs=2)
    page.get_by_role("link", name="next", exact=True).click()
    page.wait_for_url(re.compile(r"collective=0%3A"))
    wait_for_page(page, "Compare")
    canvas = page.locator(f"{TIMELINE.format(run='new')} canvas")
    canvas.scroll_into_view_if_needed()
    place = page.locator("#compare-timeline-new").first.evaluate("root => root.hopscope.place")
    canvas.click(position={"x": (place["left"] + place["right"]) / 2, "y": place["top"] + 0.2 * place["row"]})
    page.wait_for_url(re.compile("/(timeline|delayed-hops)"))
    assert of_trace(page) == name_of(runs["new"])
