"""Several traces in one dashboard: a list in the header chooses the one that every page, link and timeline shows."""

from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from conftest import Serve
from playwright.sync_api import Page, Request, expect


@pytest.fixture(scope="module")
def address_of_both(trace: hopscope.Trace, trace_without_hops: hopscope.Trace, serve: Serve) -> str:
    """The address of a dashboard that serves two traces: the solver with hops, and the solver without hops."""
    return serve([trace, trace_without_hops])


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Trace").or_(page.get_by_role("textbox", name="Trace")).click()
    page.get_by_role("option", name=name, exact=True).click()


def parameters(page: Page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def verdict(trace: hopscope.Trace) -> str:
    return str(trace.diagnose()["sentence"][0])


@pytest.mark.browsers
def test_the_list_changes_the_pages_and_the_timeline_and_back_and_forward_undo_it(
    page: Page, address_of_both: str, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    timelines: list[str] = []

    def record(request: Request) -> None:
        if "/_timeline/columns" in request.url:
            timelines.append(parse_qs(urlsplit(request.url).query)["trace"][0])

    page.on("request", record)
    page.goto(address_of_both)
    chooser = page.locator("#trace-chooser input").first
    expect(chooser).to_have_value("solver")
    expect(page).to_have_title("Summary · solver · Hopscope")
    expect(page.locator("#verdict")).to_contain_text(verdict(trace))
    choose(page, "observed")
    expect(page).to_have_title("Summary · observed · Hopscope")
    expect(chooser).to_have_value("observed")
    expect(page.locator("#verdict")).to_contain_text(verdict(trace_without_hops))
    assert verdict(trace_without_hops) != verdict(trace)
    assert parameters(page) == {"trace": trace_without_hops.identity[:8]}
    # While a slow page is computed, its timeline is already that of the new trace.
    assert list(dict.fromkeys(timelines)) == [trace.identity[:8], trace_without_hops.identity[:8]]
    page.get_by_role("link", name="Communication", exact=True).click()
    expect(page.locator("h1")).to_have_text("Critical path")
    assert parameters(page)["trace"] == trace_without_hops.identity[:8]
    page.go_back()
    page.go_back()
    expect(page).to_have_title("Summary · solver · Hopscope")
    expect(chooser).to_have_value("solver")
    expect(page.locator("#verdict")).to_contain_text(verdict(trace))
    page.go_forward()
    expect(page).to_have_title("Summary · observed · Hopscope")
    expect(chooser).to_have_value("observed")
