"""The timeline of one collective, without a browser: its rows, its marks and the texts about its ranks."""

import json
import struct
from operator import itemgetter
from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawn_page import draw
from flask.testing import FlaskClient
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.timeline import one_collective
from sample_copy import open_copy

NAME = "0:3"


@pytest.fixture(scope="module")
def client(trace: hopscope.Trace) -> FlaskClient:
    return create_app(trace).server.test_client()


@pytest.fixture(scope="module")
def span(trace: hopscope.Trace) -> tuple[int, int]:
    return one_collective.span(TraceData(trace), trace.collective_calls(collective=NAME).to_pylist())


def ask(client: FlaskClient, question: str, span: tuple[int, int], **parameters: object) -> Any:
    query = {"from": span[0], "to": span[1], "collective": NAME, "since": span[0], **parameters}
    return client.get(f"/_timeline/{question}", query_string=query)


def header(body: bytes) -> dict[str, Any]:
    (length,) = struct.unpack("<I", body[:4])
    columns: dict[str, Any] = json.loads(body[4 : 4 + length])
    return columns


def test_it_begins_with_the_first_enter_from_which_its_times_count(client: FlaskClient, span: tuple[int, int]) -> None:
    begin, end = span
    columns = header(ask(client, "columns", span).data)
    length = quantities.on_axis(end - begin, quantities.axis_unit(end - begin))
    assert columns["said"] == f"0.000 ms to {length}, {quantities.duration(end - begin)}"
    assert columns["ticks"][0] == {"at": begin, "text": "0.00 ms"}
    zoomed = header(ask(client, "columns", (begin + 20_000_000, begin + 30_000_000), since=begin).data)
    assert [tick["text"] for tick in zoomed["ticks"][:2]] == ["20.000 ms", "+2.00 ms"]
    ruler = ask(client, "ruler", (begin + 20_000_000, begin + 30_000_000), since=begin).get_json()
    assert ruler == {"length": "10.0 ms", "ends": "20.000 ms to 30.000 ms"}


def test_only_ranks_of_its_communicator_have_rows(tmp_path: Path) -> None:
    parts = open_copy("many_collectives/trace", tmp_path)
    calls = parts.sql("select comm, seq, list(rank order by rank) as ranks from calls inner join collectives using "
                      "(collective_id) group by all order by len(ranks), comm, seq limit 1").to_pylist()[0]  # fmt: skip
    assert len(calls["ranks"]) < parts.number_of_rows("ranks")
    client, name = create_app(parts).server.test_client(), f"{calls['comm']}:{calls['seq']}"
    columns = header(client.get(f"/_timeline/columns?collective={name}").data)
    assert sorted(row["rank"] for row in columns["rows"]) == calls["ranks"]
    assert client.get("/_timeline/columns?collective=99:0").status_code == 400


def test_its_hops_go_from_sender_to_receiver_and_its_path_is_its_own(
    client: FlaskClient, span: tuple[int, int], trace: hopscope.Trace
) -> None:
    marks = ask(client, "marks", span).get_json()
    hops = trace.collective_hops(collective=NAME).to_pylist()
    columns = ("src", "dst", "send_begin_ns", "recv_end_ns", "link")
    assert [hop[:5] for hop in marks["hops"]] == [[hop[name] for name in columns] for hop in hops]
    first = hops[0]
    took = quantities.duration(first["recv_end_ns"] - first["send_begin_ns"])
    text, href = marks["hops"][0][5:]
    assert text.startswith(f"Rank {first['src']} to rank {first['dst']} ({first['role']}), {first['link']}: ")
    assert took in text and text.endswith("Click: see its hops over time")
    assert href == leads.edge(first["src"], first["dst"])
    path = trace.critical_path(collective=NAME).to_pylist()
    columns = ("rank", "begin_ns", "end_ns", "category", "src")
    assert marks["path"] == [[step[name] for name in columns] for step in path]
    assert marks["messages"] == marks["collectives"] == []
    calls = trace.collective_calls(collective=NAME).to_pylist()
    assert marks["own"] == [[call[name] for name in ("rank", "enter_ns", "leave_ns")] for call in calls]
    # In a range of which the first hop is over, it is left out.
    later = ask(client, "marks", (first["recv_end_ns"], span[1])).get_json()["hops"]
    assert first["src"] in {hop[0] for hop in marks["hops"]} and len(later) < len(hops)


def test_a_rank_is_told_with_the_message_that_it_waits_for_and_before_its_call_with_what_it_computes(
    client: FlaskClient, span: tuple[int, int], trace: hopscope.Trace
) -> None:
    hop = next(hop for hop in trace.collective_hops(collective=NAME).to_pylist() if hop["binding"] == "recv")
    middle = (hop["recv_wait_begin_ns"] + hop["recv_end_ns"]) // 2
    answer = ask(client, "told", (middle - 50, middle + 50), rank=hop["dst"], at=middle, since=span[0]).get_json()
    at = quantities.on_axis(middle - span[0], quantities.axis_unit(middle - span[0]))
    assert answer["title"].endswith(f" at {at}")
    waited = quantities.duration(hop["recv_end_ns"] - hop["recv_wait_begin_ns"])
    inside, *_, waiting = answer["calls"]
    assert inside["text"].endswith(" inside") and inside["does"] == "see it in the run's timeline"
    assert waiting["text"] == f"waiting {waited} for rank {hop['src']} ({hop['role']})"
    assert waiting["href"] == leads.edge(hop["src"], hop["dst"])
    last = trace.collective_calls(collective=NAME).sort_by("enter_ns").to_pylist()[-1]
    before = last["enter_ns"] - 1
    answer = ask(client, "told", (before, before + 1), rank=last["rank"], at=before).get_json()
    assert "computing" in answer["calls"][-1]["text"]


def test_each_rank_waits_from_its_enter_on(trace: hopscope.Trace, span: tuple[int, int]) -> None:
    data = TraceData(trace)
    grid = data.timeline.columns(*span, 400)
    waited = dict(zip([row["rank"] for row in grid.rows], one_collective.waiting(data, NAME, grid), strict=True))
    calls = trace.collective_calls(collective=NAME).to_pylist()
    assert {rank: int(columns.sum()) for rank, columns in waited.items()} == {
        call["rank"]: call["waiting_ns"] for call in calls
    }
    early = max(calls, key=itemgetter("waiting_ns"))
    column = (early["enter_ns"] + early["waiting_ns"] // 2 - grid.begin_ns) // grid.width_ns
    assert waited[early["rank"]][column] == grid.width_ns


def test_a_call_that_a_rank_never_left_goes_on_to_the_end_of_the_run(trace: hopscope.Trace) -> None:
    calls = [{"enter_ns": 7, "leave_ns": 9}, {"enter_ns": 5, "leave_ns": None}]
    data = TraceData(trace)
    assert one_collective.span(data, calls) == (5, trace.timeline.duration_ns)
    assert one_collective.span(data, calls[:1]) == (7, 9)
    assert one_collective.span(data, [{"enter_ns": 5, "leave_ns": 5}]) == (5, 6)


def test_a_zoom_that_holds_nothing_of_a_collective_shows_all_of_it(
    trace: hopscope.Trace, span: tuple[int, int]
) -> None:
    # Regression: a zoom into a collective of 100 ms was kept on the next one, of 10 ms, so the picture was empty.
    begin, end = span

    def view(ends: str) -> tuple[int, int]:
        canvas: Any = draw(trace, f"/collective?comm=0&seq=3&view={ends}").part("timeline")
        assert canvas.collective == {"name": NAME, "from": begin, "to": end}
        return canvas.begin - begin, canvas.end - begin

    assert view("4000000..900000000") == (4_000_000, 900_000_000)
    assert view("900000000..990000000") == view("-2000000..0") == view("") == (0, end - begin)
