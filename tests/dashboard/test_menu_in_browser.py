"""The menu: its groups, and which of its entries are grey, and why."""

import re
from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages import PAGES, menu
from playwright.sync_api import Page, expect

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_traces"
HOPS = "This trace has no hops: what happens inside its collectives was not recorded."
ALONE = {"Compare": "Only one trace is served; start hopscope dashboard with two to compare them."}


def lacking(page: Page) -> dict[str, str]:
    """The grey entries of the menu with the reasons that they give."""
    page.locator("#menu .menu-link").first.wait_for()
    found: list[list[str]] = page.eval_on_selector_all(
        "#menu .menu-link[aria-disabled=true]",
        "all => all.map(each => [each.querySelector('span:not(.icon)').innerText, each.title])",
    )
    return dict(found)


def test_without_hops_their_pages_are_grey_say_why_and_still_open(page: Page, serve: Serve) -> None:
    page.goto(f"{serve(hopscope.open(SAMPLES / 'observe_only' / 'trace'))}/collectives?ranks=1")
    assert lacking(page) == {**dict.fromkeys(["Tree", "WAN share", "Remap", "Models", "Delayed hops"], HOPS), **ALONE}
    tree = page.get_by_role("link", name="Tree", exact=True)
    reason = tree.locator(".menu-lack")
    page.get_by_role("link", name="Messages", exact=True).focus()
    expect(reason).to_be_hidden()
    page.keyboard.press("Tab")
    expect(tree).to_be_focused()
    expect(reason).to_be_visible()
    expect(reason).to_have_text(HOPS)
    expect(reason).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    expect(page.locator("#no-hops")).to_contain_text("How to get hops")
    expect(page).to_have_url(re.compile(r"/tree\?ranks=1&trace="))  # drawn anew in the same page, with the selection


def test_the_menu_asks_no_analysis_of_a_trace() -> None:
    data = TraceData(hopscope.open(SAMPLES / "demo" / "trace"))
    assert list(menu.lacking(PAGES, data)) == ["/compare"]
    # Whether any call has a place is one look of the trace's own, up to the first that has.
    assert list(data._answers) == [("table", "run")]


@pytest.mark.browsers
def test_on_a_low_window_the_last_entry_can_be_reached(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 500})
    page.goto(address)
    last = page.locator("#menu .menu-link").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
