"""While a slow page is computed, the browser shows an announcement that names the computation. Then the page replaces
the announcement."""

import time
from collections.abc import Callable

import hopscope
import pytest
from hopscope_dashboard.app import working
from playwright.sync_api import APIResponse, Page, Route, expect
from reading import table


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, serve: Callable[[hopscope.Trace], str], trace: hopscope.Trace) -> str:
    """The address of a server that announces every page."""
    monkeypatch.setattr(working, "PATIENCE_S", 0)
    return serve(trace)


def test_an_announced_page_comes_by_itself_with_its_selection_and_history(
    page: Page, impatient: str, trace: hopscope.Trace
) -> None:
    announcements: list[bool] = []
    page.on(
        "response",
        lambda answer: announcements.append(working.TICK in answer.text()) if "_dash-update" in answer.url else None,
    )
    page.goto(f"{impatient}/late-ranks?ranks=2,3")
    expect(page.locator("h1")).to_have_text("Late ranks")
    expect(page.locator("#selection")).to_contain_text("ranks 2,3")
    assert [row[0] for row in table(page, "late-ranks-table")] == ["2", "3"]
    expect(page.locator(f"#{working.TICK}")).to_have_count(0)
    page.get_by_role("link", name="Noise", exact=True).click()
    expect(page.locator("h1")).to_have_text("Noise")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Late ranks")
    assert any(announcements)


def test_an_announced_page_comes_over_a_link_that_is_slower_than_the_browser_asks(page: Page, impatient: str) -> None:
    """Regression: the browser asked again before the page had arrived, and discarded it. The server drew it again,
    without end."""

    def delay(route: Route) -> None:
        time.sleep(0.5)  # twice the time after which the browser asks again
        route.continue_()

    page.goto(f"{impatient}/")
    expect(page.locator("h1")).to_have_text("Summary")
    page.route("**/_dash-update-component*", delay)
    page.get_by_role("link", name="Imbalance", exact=True).click()
    expect(page.locator("h1")).to_have_text("By rank")
    page.unroute_all()


def test_a_page_that_comes_after_its_reader_has_gone_on_is_not_shown(
    page: Page, impatient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: the announced page replaced a page that the reader had opened meanwhile."""
    held_back: list[tuple[Route, APIResponse]] = []

    def hold_ready_page(route: Route) -> None:
        answer = route.fetch()
        is_look = working.TICK in (route.request.post_data or "")
        if is_look and "Late ranks" in answer.text() and not held_back:
            held_back.append((route, answer))
        else:
            route.fulfill(response=answer)

    page.route("**/_dash-update-component*", hold_ready_page)
    page.goto(f"{impatient}/late-ranks")
    expect(page.locator(f"#{working.PLACE}")).to_be_visible()
    while not held_back:
        page.wait_for_timeout(50)
    monkeypatch.setattr(working, "PATIENCE_S", 60)
    page.get_by_role("link", name="By rank", exact=True).click()
    expect(page.locator("h1")).to_have_text("By rank")
    (route, answer), *_ = held_back
    with page.expect_response("**/_dash-update-component*"):
        route.fulfill(response=answer)
    page.wait_for_timeout(200)
    expect(page.locator("h1")).to_have_text("By rank")
