"""Answers of the server to the timeline's script: columns as bytes, marks and texts, and the reason of a refusal."""

import json
import re
import struct
from pathlib import Path
from typing import Any

import hopscope
import numpy as np
import pytest
from flask.testing import FlaskClient
from hopscope.vocabulary.words import CATEGORIES
from hopscope_dashboard.app.application import create_app
from simulated_run import SimulatedRun
from whole_path import whole_path


@pytest.fixture(scope="module")
def client(trace: hopscope.Trace) -> FlaskClient:
    return create_app(trace).server.test_client()


def parts(body: bytes) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """The header, the planes of the categories and of waiting, and the plane of the path."""
    (length,) = struct.unpack("<I", body[:4])
    header = json.loads(body[4 : 4 + length])
    names = [*header["categories"], *(["waiting"] if header["waiting"] else [])]
    shape = (len(names) + 1, len(header["rows"]), header["columns"])
    planes = np.frombuffer(body[4 + length :], np.uint8).reshape(shape)
    return header, dict(zip(names, planes, strict=False)), planes[-1]


def test_bytes_are_the_shares_of_the_columns_of_the_analysis(client: FlaskClient, trace: hopscope.Trace) -> None:
    begin, end = 1_000_000_000, 1_500_000_000
    answer = client.get(f"/_timeline/columns?from={begin}&to={end}&columns=300")
    assert (answer.status_code, answer.mimetype) == (200, "application/octet-stream")
    header, planes, path = parts(answer.data)
    columns = trace.timeline.columns(begin, end, 300, waiting=True)
    assert (header["begin"], header["width"], header["columns"]) == (columns.begin_ns, columns.width_ns, path.shape[1])
    assert [row["rank"] for row in header["rows"]] == [row["rank"] for row in columns.rows] == [0, 3, 6, 1, 4, 7, 2, 5]
    for index, word in enumerate(CATEGORIES):
        exact = 255 * columns.time_ns[index] / columns.width_ns
        plane = planes.get(word, np.zeros_like(path))
        assert np.abs(plane - exact).max() <= 1, word
        assert ((plane > 0) == (columns.time_ns[index] > 0)).all(), word
    assert columns.waiting_ns is not None
    assert np.abs(planes["waiting"] - 255 * columns.waiting_ns / columns.width_ns).max() <= 1
    assert planes["waiting"].any()
    assert (columns.waiting_ns <= columns.time_ns[1:].sum(axis=0)).all()
    assert np.abs(path - 255 * columns.path_ns.sum(axis=0) / columns.width_ns).max() <= 1
    assert header["said"] == "1.000000 s to 1.500000 s, 500 ms"
    assert header["ticks"][:2] == [
        {"at": 1_000_000_000, "text": "1.000000 s"}, {"at": 1_100_000_000, "text": "+100 ms"},
    ]  # fmt: skip


def test_shares_of_the_whole_run_are_those_of_the_critical_path(client: FlaskClient, trace: hopscope.Trace) -> None:
    header, _, _ = parts(client.get("/_timeline/columns").data)
    shares = client.get("/_timeline/summary").get_json()["shares"]
    shares_of_path = whole_path(trace)
    # Waiting is contained in the other categories.
    assert {row["category"]: row["path"] for row in shares} == {
        word: text for word, text in shares_of_path.items() if word in {row["category"] for row in shares}
    } | {"waiting": ""}
    assert header["duration"] == trace.timeline.duration_ns == header["to"]


def test_more_columns_are_sent_around_what_is_shown_but_never_more_than_2000(client: FlaskClient) -> None:
    header, _, _ = parts(client.get("/_timeline/columns?from=1000000000&to=1200000000&columns=400&around=1").data)
    assert (header["from"], header["to"]) == (1_000_000_000, 1_200_000_000)
    assert header["begin"] <= 900_000_000
    assert header["begin"] + header["columns"] * header["width"] >= 1_300_000_000
    header, _, _ = parts(client.get("/_timeline/columns?columns=999999").data)
    assert 1000 < header["columns"] <= 2000


def test_a_column_is_told_with_the_calls_and_their_pages(client: FlaskClient, trace: hopscope.Trace) -> None:
    call = trace.sql(
        "select rank, enter_ns, leave_ns from calls where rank = 2 order by enter_ns limit 1 offset 4"
    ).to_pylist()[0]
    moment = (call["enter_ns"] + call["leave_ns"]) // 2
    tooltip = client.get(f"/_timeline/told?rank=2&at={moment}&from={moment - 500}&to={moment + 500}").get_json()
    assert tooltip["title"] == f"Rank 2 on gamma at {hopscope.format.quantities.moment(moment)}"
    assert [call["href"] for call in tooltip["calls"]] == ["/collective?comm=0&seq=4"]
    lasted = hopscope.format.quantities.duration(call["leave_ns"] - call["enter_ns"])
    assert tooltip["calls"][0]["text"] == f"MPI_Allreduce 0:4, {lasted}"
    assert tooltip["shares"] == [{"category": "wan", "text": "100.0 %"}]


def test_computing_is_told_with_the_calls_around_it(client: FlaskClient, trace: hopscope.Trace) -> None:
    """Rank 2 computes between its fifth Allreduce and the Sendrecv that follows."""
    [call] = trace.sql("select leave_ns from calls where rank = 2 order by enter_ns limit 1 offset 4").to_pylist()
    left = call["leave_ns"]
    [sent] = trace.sql(
        f"select begin_ns, region from intervals where rank = 2 and begin_ns > {left} order by begin_ns limit 1"
    ).to_pylist()
    entered = sent["begin_ns"]

    def calls_at(moment: int) -> list[str]:
        tooltip = client.get(f"/_timeline/told?rank=2&at={moment}&from={left - 9}&to={entered + 9}").get_json()
        return [call["text"] for call in tooltip["calls"]]

    [computing] = calls_at((left + entered) // 2)
    lasted = hopscope.format.quantities.duration(entered - left)
    assert re.fullmatch(rf"computing, {lasted}, from MPI_Allreduce 0:4( at .*)? to MPI_Sendrecv( at .*)?", computing)
    # At the moment when a call is left, the rank computes; at the moment when the next call is entered, it is in that
    # call.
    starts = [text.partition(",")[0] for moment in (left - 1, left, entered) for text in calls_at(moment)]
    assert starts == ["MPI_Allreduce 0:4", "computing", sent["region"]]


@pytest.mark.parametrize(
    ("question", "status", "reason"),
    [
        ("columns?from=x", 400, "from is 'x'; it takes whole nanoseconds"),
        ("columns?from=5&to=5", 400, "holds nothing"),
        ("columns?from=99999999999999", 400, "holds nothing"),
        ("columns?by=colour", 400, "by is 'colour'; it can be rank or host"),
        ("columns?host=delta", 400, "no host 'delta'"),
        ("marks?to=-1", 400, "to is '-1'"),
        ("told?rank=99&from=0&to=10", 400, "no rank 99"),
        ("other", 404, "No such question"),
    ],
)
def test_a_wrong_question_gets_a_reason(client: FlaskClient, question: str, status: int, reason: str) -> None:
    answer = client.get(f"/_timeline/{question}")
    assert answer.status_code == status
    assert reason in answer.get_data(as_text=True)


def test_with_more_than_128_ranks_hosts_are_shown_and_each_opens_to_its_ranks(tmp_path: Path) -> None:
    """131 ranks are placed in turn on three hosts: 44, 44 and 43."""
    large = hopscope.open(SimulatedRun(ranks=131, iterations=2, hops=False).write(tmp_path / "large"))
    client = create_app(large).server.test_client()
    header, _, _ = parts(client.get("/_timeline/columns").data)
    assert header["by"] == "host"
    assert [(row["host"], row["ranks"]) for row in header["rows"]] == [("alpha", 44), ("beta", 44), ("gamma", 43)]
    header, _, _ = parts(client.get("/_timeline/columns?host=beta").data)
    assert [row["rank"] for row in header["rows"]] == list(range(1, 131, 3))


def test_what_happens_once_is_named_up_to_the_first_collective_or_message(
    client: FlaskClient, trace: hopscope.Trace
) -> None:
    header, _, _ = parts(client.get("/_timeline/columns?from=1000000000&to=1500000000").data)
    bounds = trace.sql(
        "select least((select min(first_enter_ns) from collectives), (select min(least(send_begin_ns, recv_post_ns)) "
        "from messages)) as first, greatest((select max(last_leave_ns) from collectives), "
        "(select max(greatest(send_end_ns, recv_end_ns)) from messages)) as last"
    ).to_pylist()[0]
    one_time_spans = [[0, bounds["first"], "start-up"], [bounds["last"], trace.timeline.duration_ns, "shutdown"]]
    assert header["once"] == [span for span in one_time_spans if span[0] < span[1]] != []
