"""The menu: its sections, the pages of the open one, and the pages that it hides."""

import re
from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation import menu
from hopscope_dashboard.pages import PAGES
from playwright.sync_api import Page, expect

SAMPLES = Path(__file__).parents[3] / "sample_traces"


def entries(page: Page) -> list[str]:
    page.locator("#menu .menu-link").first.wait_for()
    return page.locator("#menu .menu-link").all_inner_texts()


def test_without_hops_their_pages_are_hidden_and_their_addresses_still_open(page: Page, serve: Serve) -> None:
    address = serve(hopscope.open(SAMPLES / "observe_only" / "trace"))
    page.goto(f"{address}/collectives?ranks=1")
    assert entries(page) == [
        "Summary", "Timeline", "Imbalance", "Communication", "Critical path", "Collectives", "Messages", "Code",
        "Improve", "SQL",
    ]  # fmt: skip
    page.goto(f"{address}/tree?ranks=1")
    expect(page.locator("#no-hops")).to_contain_text("How to get hops")
    expect(page.locator("#menu .current")).to_have_text("Algorithms and trees")
    page.get_by_role("link", name="Messages", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Messages")
    # The menu is drawn anew in the same page, with the selection.
    expect(page).to_have_url(re.compile(r"/messages\?ranks=1&trace="))


def test_a_section_opens_its_first_page_and_lists_its_pages(page: Page, address: str) -> None:
    page.goto(address)
    assert "By rank" not in entries(page)
    page.get_by_role("link", name="Imbalance", exact=True).click()
    expect(page.locator("h1")).to_have_text("By rank")
    pages = page.get_by_role("group", name="Imbalance").get_by_role("link")
    assert pages.all_inner_texts() == [
        "By rank", "Last arrivals", "Late ranks", "Noise", "Efficiency",
    ]  # fmt: skip
    expect(page.locator("#menu .current")).to_have_text("By rank")


def test_the_menu_asks_no_analysis_of_a_trace() -> None:
    data = TraceData(hopscope.open(SAMPLES / "demo" / "trace"))
    assert list(menu.lacking(PAGES, data)) == ["/regions", "/decision-map", "/compare"]
    # To find out if any call has a call site, the trace itself looks up to the first one that has.
    assert list(data._answers._futures) == [("table", "run")]


@pytest.mark.browsers
def test_on_a_low_window_the_last_entry_can_be_reached(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1024, "height": 500})
    page.goto(address)
    last = page.locator("#menu .menu-link").last
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
