"""The page that is shown while a slow page is computed, and pages that are kept once they were drawn; tested without a
browser."""

import threading

import hopscope
import pytest
from dash import html
from hopscope_dashboard.app import working
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.data.computations import Computations
from hopscope_dashboard.data.trace import TraceData
from served import QUESTIONS, page_question


def test_a_page_comes_with_a_title_that_differs_each_time(trace: hopscope.Trace) -> None:
    """Regression: with 256 ranks, a new selection on a page, or an announced page, took the browser a minute. If only
    the content changes, Dash checks all its components once for each of them."""
    client, question = (create_app(trace).server.test_client(), page_question("/timeline"))
    titles = [client.post(QUESTIONS, json=question).get_json()["response"]["page-title"]["data"] for _ in range(2)]
    assert titles[0] != titles[1]
    assert {title.partition("\n")[0] for title in titles} == {"Timeline · solver · Hopscope"}


def test_what_is_being_computed_is_said(trace: hopscope.Trace) -> None:
    data, go_on, begin_event = TraceData(trace), threading.Event(), threading.Event()

    def wait() -> int:
        begin_event.set()
        assert go_on.wait(60)
        return 1

    asking = threading.Thread(target=lambda: data._cached_answer(("noise", ("by", "host")), wait))
    asking.start()
    assert begin_event.wait(60)
    assert working.progress(data.part({"ranks": "1"})).startswith("noise, since ")
    go_on.set()
    asking.join()
    assert working.progress(data) == "Drawing the page"


def test_a_page_is_drawn_once_however_often_it_is_asked_for() -> None:
    drawings, count, go_on = Computations[str, html.Div](), 0, threading.Event()

    def draw() -> html.Div:
        nonlocal count
        count += 1
        assert go_on.wait(60)
        return html.Div("here")

    assert [drawings.take("/slow", draw, patience_s=0) for _ in range(3)] == [None] * 3
    go_on.set()
    page = drawings.take("/slow", draw, patience_s=60)
    assert isinstance(page, html.Div)
    assert count == 1
    later_page = drawings.take("/slow", draw, patience_s=60)
    assert later_page is not page
    assert count == 2


def test_what_drawing_raised_reaches_who_asked_and_the_next_one_draws_again() -> None:
    drawings, count = Computations[str, html.Div](), 0

    def draw() -> html.Div:
        nonlocal count
        count += 1
        raise ValueError("broken")

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            drawings.take("/broken", draw, patience_s=60)
    assert count == 2


def test_pages_that_nobody_came_back_for_do_not_pile_up() -> None:
    drawings, go_on = Computations[int, html.Div](8), threading.Event()

    def draw() -> html.Div:
        assert go_on.wait(60)
        return html.Div()

    for number in range(40):
        go_on.clear()
        assert drawings.take(number, draw, patience_s=0) is None
        go_on.set()
        drawings._futures[number].result(60)
    # The eight earlier ones, and the newest.
    assert list(drawings._futures) == list(range(31, 40))
