"""Several traces in one dashboard: a list in the header chooses the one that every page, link and timeline shows."""

from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from conftest import Serve
from hopscope import quantities
from playwright.sync_api import Page, Request, expect
from reading import table


@pytest.fixture(scope="module")
def both(trace: hopscope.Trace, trace_without_hops: hopscope.Trace, serve: Serve) -> str:
    """Where the solver with hops, and the same without, are served together."""
    return serve([trace, trace_without_hops])


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Trace").or_(page.get_by_role("textbox", name="Trace")).click()
    page.get_by_role("option", name=name, exact=True).click()


def asked(page: Page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def path_table(trace: hopscope.Trace) -> list[list[str]]:
    return [
        [row["category"], quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in trace.critical_path().to_pylist()
    ]


def shown_path(page: Page) -> list[list[str]]:
    return [[row[0], *row[2:4]] for row in table(page, "critical-path-table")]


@pytest.mark.browsers
def test_the_list_changes_the_pages_and_the_timeline_and_back_and_forward_undo_it(
    page: Page, both: str, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    timelines: list[str] = []

    def heard(request: Request) -> None:
        if "/_timeline/columns" in request.url:
            timelines.append(parse_qs(urlsplit(request.url).query)["trace"][0])

    page.on("request", heard)
    page.goto(both)
    chooser = page.locator("#trace-chooser input").first
    expect(chooser).to_have_value("solver")
    expect(page).to_have_title("Overview · solver · Hopscope")
    assert shown_path(page) == path_table(trace)
    choose(page, "observed")
    expect(page).to_have_title("Overview · observed · Hopscope")
    expect(chooser).to_have_value("observed")
    expect(page.locator("#whole-run")).to_have_attribute("data-state", "ready")
    assert shown_path(page) == path_table(trace_without_hops)
    assert shown_path(page) != path_table(trace)
    assert asked(page) == {"trace": trace_without_hops.identity[:8]}
    # A page that takes long shows the timeline before it, too.
    assert list(dict.fromkeys(timelines)) == [trace.identity[:8], trace_without_hops.identity[:8]]
    page.get_by_role("link", name="Collectives", exact=True).click()
    expect(page.locator("h1")).to_have_text("Collectives")
    assert asked(page)["trace"] == trace_without_hops.identity[:8]
    page.go_back()
    page.go_back()
    expect(page).to_have_title("Overview · solver · Hopscope")
    expect(chooser).to_have_value("solver")
    assert shown_path(page) == path_table(trace)
    page.go_forward()
    expect(page).to_have_title("Overview · observed · Hopscope")
    expect(chooser).to_have_value("observed")
