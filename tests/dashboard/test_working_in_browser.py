"""A page that takes long is announced with what is being computed; then it takes the announcement's place."""

import threading
import time
from collections.abc import Callable

import hopscope
import pytest
from dash import html
from hopscope_dashboard.app import create_app
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages import working
from hopscope_dashboard.serving.drawings import Drawings
from playwright.sync_api import Page, expect
from reading import table
from served import QUESTIONS, page_question


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, serve: Callable[[hopscope.Trace], str], trace: hopscope.Trace) -> str:
    """The address of a server that announces every page."""
    monkeypatch.setattr(working, "PATIENCE_S", 0)
    return serve(trace)


def test_an_announced_page_comes_by_itself_with_its_selection_and_history(
    page: Page, impatient: str, trace: hopscope.Trace
) -> None:
    announced: list[bool] = []
    page.on(
        "response",
        lambda answer: announced.append(working.TICK in answer.text()) if "_dash-update" in answer.url else None,
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
    assert any(announced)


def test_a_page_comes_with_a_title_that_differs_each_time(trace: hopscope.Trace) -> None:
    """With 256 ranks a selection on the same page, and a page that had been announced, took the browser a minute: where
    nothing but the content changes, Dash looks at all of its components again for each of them."""
    client, asked = create_app(trace).server.test_client(), page_question("/timeline")
    titles = [client.post(QUESTIONS, json=asked).get_json()["response"]["page-title"]["data"] for _ in range(2)]
    assert titles[0] != titles[1]
    assert {title.partition("\n")[0] for title in titles} == {"Timeline · solver · Hopscope"}


def test_what_is_being_computed_is_said(trace: hopscope.Trace) -> None:
    data, go_on, begun = TraceData(trace), threading.Event(), threading.Event()

    def wait() -> int:
        begun.set()
        assert go_on.wait(60)
        return 1

    asking = threading.Thread(target=lambda: data._once(("findings", ("about", "noise")), wait))
    asking.start()
    assert begun.wait(60)
    assert working.progress(data.part({"ranks": "1"})).startswith("findings about noise, since ")
    go_on.set()
    asking.join()
    assert working.progress(data) == "Drawing the page"


def test_a_page_is_drawn_once_however_often_it_is_asked_for() -> None:
    drawings, drawn, go_on = Drawings(), 0, threading.Event()

    def draw() -> html.Div:
        nonlocal drawn
        drawn += 1
        assert go_on.wait(60)
        return html.Div("here")

    assert [drawings.page("/slow", draw, patience_s=0) for _ in range(3)] == [None] * 3
    go_on.set()
    page = drawings.page("/slow", draw, patience_s=60)
    assert isinstance(page, html.Div)
    assert drawn == 1
    again = drawings.page("/slow", draw, patience_s=60)
    assert again is not page
    assert drawn == 2


def test_what_drawing_raised_reaches_who_asked_and_the_next_one_draws_again() -> None:
    drawings = Drawings()

    def draw() -> html.Div:
        raise ValueError("broken")

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            drawings.page("/broken", draw, patience_s=60)


def test_pages_that_nobody_came_back_for_do_not_pile_up() -> None:
    drawings = Drawings()
    for number in range(40):
        drawings.page(number, html.Div, patience_s=0)
        time.sleep(0.01)
    assert len(drawings._drawings) < 20
