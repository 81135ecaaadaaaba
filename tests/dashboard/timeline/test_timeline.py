"""The part of the run with which the page Timeline begins, and the messages that it draws, without a browser."""

from pathlib import Path

import hopscope
import pytest
from drawn_page import components, draw
from hopscope_dashboard.app.application import create_app
from sample_copy import open_copy


@pytest.mark.parametrize("view", ["90000000000..99000000000", "-9..-1", "-100..99000000000"])
def test_a_link_into_another_trace_s_time_shows_what_of_it_this_run_has(trace: hopscope.Trace, view: str) -> None:
    # Regression: after the end of the run the figure failed, and no button led back.
    page = draw(trace, f"/timeline?view={view}")
    (canvas,) = [part for part in components(page.component) if type(part).__name__ == "TimelineCanvas"]
    # If both ends are None, the view is the whole run.
    assert (canvas.begin, canvas.end) in [(None, None), (0, trace.timeline.duration_ns)]
    assert (canvas.begin is None) == (view != "-100..99000000000")


def test_a_link_into_the_run_s_own_time_shows_that(trace: hopscope.Trace) -> None:
    page = draw(trace, "/timeline?view=1000000000..1400000000")
    (canvas,) = [part for part in components(page.component) if type(part).__name__ == "TimelineCanvas"]
    assert (canvas.begin, canvas.end) == (1_000_000_000, 1_400_000_000)


def test_a_tenth_of_a_second_of_the_demo_has_its_hops_and_messages_as_marks(tmp_path: Path) -> None:
    demo = open_copy("demo/trace", tmp_path)
    begin, end = 2_000_000_000, 2_100_000_000
    marks = create_app(demo).server.test_client().get(f"/_timeline/marks?from={begin}&to={end}").get_json()
    counts = demo.sql(
        f"select (select count(*) from hops where send_begin_ns < {end} and recv_end_ns > {begin}) as hops, "
        f"(select count(*) from messages where send_begin_ns < {end} and recv_end_ns > {begin}) as messages"
    ).to_pylist()[0]
    assert {kind: len(marks[kind]) for kind in counts} == counts
    assert counts["hops"] > 5
