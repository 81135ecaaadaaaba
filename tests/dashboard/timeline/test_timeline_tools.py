"""Answers of the server to the timeline's search, ruler, summary and order of rows."""

import json
import struct
from pathlib import Path
from typing import Any

import hopscope
import numpy as np
import pytest
from flask.testing import FlaskClient
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.timeline import run_timeline
from simulated_run import SimulatedRun


class SolverWithRegions(SimulatedRun):
    """A solver in which rank 2 assembles for a millisecond before it exchanges borders, in every other iteration."""

    def _exchange(self, enters: list[int], iteration: int) -> list[int]:
        if iteration % 2 == 0:
            self._interval(2, "assemble", "region", enters[2] - 1_000_000, enters[2])
        return super()._exchange(enters, iteration)


@pytest.fixture(scope="module")
def client(trace: hopscope.Trace) -> FlaskClient:
    return create_app(trace).server.test_client()


def ask(client: FlaskClient, question: str) -> dict[str, Any]:
    answer: dict[str, Any] = client.get(f"/_timeline/{question}").get_json()
    return answer


def rows_of(client: FlaskClient, question: str) -> tuple[dict[str, Any], Any]:
    """The header of the columns, and the bytes by row and column."""
    body = client.get(f"/_timeline/columns?{question}").data
    (length,) = struct.unpack("<I", body[:4])
    header = json.loads(body[4 : 4 + length])
    planes = len(header["categories"]) + header["waiting"] + 1
    shape = (planes, len(header["rows"]), header["columns"])
    return header, np.frombuffer(body[4 + length :], np.uint8).reshape(shape)


def test_a_search_goes_from_one_collective_to_the_next_and_back_and_counts_each_once(
    client: FlaskClient, trace: hopscope.Trace
) -> None:
    """Each of the eight ranks calls all 40 Allreduces."""
    first = ask(client, "search?text=allREDUCE")
    [call] = trace.sql("select first_enter_ns, last_leave_ns from collectives where seq = 0").to_pylist()
    begin, end = call.values()
    assert (first["said"], first["begin"], first["end"], first["rank"]) == ("1 of 40", begin, end, None)
    assert first["what"] == f"MPI_Allreduce 0:0, {quantities.duration(end - begin)}"
    second = ask(client, f"search?text=allreduce&after={first['key']}")
    assert (second["said"], second["what"].partition(",")[0]) == ("2 of 40", "MPI_Allreduce 0:1")
    assert ask(client, f"search?text=allreduce&after={second['key']}&back=1") == first
    # The last one comes before the first, and the first after the last.
    last = ask(client, f"search?text=allreduce&after={first['key']}&back=1")
    assert last["said"] == "40 of 40"
    assert ask(client, f"search?text=allreduce&after={last['key']}") == first
    # The search begins at the view.
    assert ask(client, f"search?text=allreduce&at={begin + 1}")["said"] == "2 of 40"


def test_a_search_finds_call_sites_regions_and_calls_of_one_rank(tmp_path: Path) -> None:
    run = hopscope.open(SolverWithRegions(iterations=6).write(tmp_path / "solver"))
    client = create_app(run).server.test_client()
    assert ask(client, "search?text=0x1a40")["said"] == "1 of 6"
    region = ask(client, "search?text=assem")
    assert (region["said"], region["what"], region["rank"]) == ("1 of 3", "assemble, rank 2, 1.00 ms", 2)
    assert region["end"] - region["begin"] == 1_000_000
    assert ask(client, "search?text=sendrecv")["said"] == "1 of 48"
    assert ask(client, "search?text=MPI_Gather") == {"said": "No hits", "hits": 0}
    assert ask(client, "search?text=%20") == {"said": "No hits", "hits": 0}


def test_a_ruler_has_the_length_and_ends_of_a_span_so_exactly_that_they_differ(client: FlaskClient) -> None:
    ruler = ask(client, "ruler?from=1000000000&to=1250000000")
    assert ruler == {"length": "250 ms", "ends": "1.000000 s to 1.250000 s"}
    assert ask(client, "ruler?from=1000000000&to=1000000040")["ends"] == "1.000000000 s to 1.000000040 s"
    assert client.get("/_timeline/ruler?from=5&to=5").status_code == 400


def test_half_a_call_of_one_rank_is_summarised_as_half_of_its_time(client: FlaskClient, trace: hopscope.Trace) -> None:
    """Rank 3 waits for a hop between the sites in the middle half of its eleventh Allreduce, and not for a late
    rank."""
    [call] = trace.sql(
        "select enter_ns, leave_ns from calls where rank = 3 order by enter_ns limit 1 offset 10"
    ).to_pylist()
    quarter = (call["leave_ns"] - call["enter_ns"]) // 4
    begin, end = call["enter_ns"] + quarter, call["enter_ns"] + 3 * quarter
    summary = ask(client, f"summary?from={begin}&to={end}&ranks=3&waiting=1")
    lasted = quantities.duration(end - begin)
    expected = {"operation": "MPI_Allreduce", "calls": "1", "time": lasted, "waiting": "0 ns", "share": "100.0 %"}
    assert summary["operations"] == [expected]
    assert [(row["category"], row["time"], row["share"]) for row in summary["shares"]] == [("wan", lasted, "100.0 %")]


def test_a_span_of_all_ranks_is_summarised_with_the_calls_that_lie_in_it(
    client: FlaskClient, trace: hopscope.Trace
) -> None:
    begin, end = 1_000_000_000, 1_500_000_000
    summary = ask(client, f"summary?from={begin}&to={end}")
    totals = trace.sql(
        "select count(*) as calls, sum(least(leave_ns, $end) - greatest(enter_ns, $begin))::bigint as time_ns "
        "from calls where enter_ns < $end and leave_ns > $begin",
        {"begin": begin, "end": end},
    ).to_pylist()[0]
    allreduce = {row["operation"]: row for row in summary["operations"]}["MPI_Allreduce"]
    assert allreduce["calls"] == quantities.number(totals["calls"])
    assert allreduce["time"] == quantities.duration(totals["time_ns"])
    # All ranks' time in the span is eight times its length.
    assert allreduce["share"] == quantities.share(totals["time_ns"] / (8 * (end - begin)))


def test_waiting_in_the_whole_run_is_that_of_the_analyses(client: FlaskClient, trace: hopscope.Trace) -> None:
    assert ask(client, "summary") == ask(client, "summary?waiting=1")
    waited = {row["operation"]: row["waiting"] for row in ask(client, "summary?waiting=1")["operations"]}
    [allreduce] = trace.summary(by="operation").to_pylist()
    assert waited["MPI_Allreduce"] == quantities.duration(allreduce["waiting_ns"])
    # Half of a wait counts half.
    [call] = trace.sql(
        "select rank, enter_ns, needed_ns from calls where needed_ns - enter_ns > 5000000 order by enter_ns limit 1"
    ).to_pylist()
    middle = (call["enter_ns"] + call["needed_ns"]) // 2
    half = ask(client, f"summary?from={call['enter_ns']}&to={middle}&waiting=1&ranks={call['rank']}")["operations"][0]
    assert half["waiting"] == half["time"] == quantities.duration(middle - call["enter_ns"])


def test_waiting_in_a_long_run_is_found_only_where_it_is_asked_for(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_timeline, "_SHORT_ROWS", 100)
    summary = ask(client, "summary")
    assert {row["waiting"] for row in summary["operations"]} == {quantities.MISSING}
    assert "waiting" not in {row["category"] for row in summary["shares"]}
    assert not rows_of(client, "columns=200")[0]["waiting"]
    assert {row["waiting"] for row in ask(client, "summary?waiting=1")["operations"]} > {"0 ns"}


def test_rows_are_sorted_and_pinned_as_the_address_says_and_take_their_times_along(client: FlaskClient) -> None:
    """Rank 5 is late twice, by 12 ms. Rank 3 computes 3 ms longer than the others, which is too little to be late."""
    header, plane = rows_of(client, "columns=200")
    planes_by_rank = {row["rank"]: plane[:, index] for index, row in enumerate(header["rows"])}
    for question, expected in (
        ("order=host", [0, 3, 6, 1, 4, 7, 2, 5]),
        ("order=number", [0, 1, 2, 3, 4, 5, 6, 7]),
        ("pins=5,2,5,99,x", [5, 2, 0, 3, 6, 1, 4, 7]),
        ("pins=5&order=number", [5, 0, 1, 2, 3, 4, 6, 7]),
        ("order=nonsense", [0, 3, 6, 1, 4, 7, 2, 5]),
    ):
        header, plane = rows_of(client, f"columns=200&{question}")
        assert [row["rank"] for row in header["rows"]] == expected, question
        for index, rank in enumerate(expected):
            assert (plane[:, index] == planes_by_rank[rank]).all(), (question, rank)
    header, _ = rows_of(client, "columns=200&order=late")
    assert [row["rank"] for row in header["rows"][:2]] == [5, 3]
    assert sorted(row["rank"] for row in header["rows"]) == list(range(8))


def test_a_pinned_rank_has_a_row_over_folded_hosts_and_over_another_host_s_ranks(tmp_path: Path) -> None:
    """131 ranks are placed in turn on three hosts. Rank 7 is on beta."""
    large = hopscope.open(SimulatedRun(ranks=131, iterations=2, hops=False).write(tmp_path / "large"))
    client = create_app(large).server.test_client()
    header, plane = rows_of(client, "pins=7&columns=50")
    assert [row.get("rank", row["host"]) for row in header["rows"]] == [7, "alpha", "beta", "gamma"]
    assert header["pins"] == 1
    beta, of_beta = rows_of(client, "host=beta&columns=50")
    assert (plane[:, 0] == of_beta[:, [row["rank"] for row in beta["rows"]].index(7)]).all()
    header, _ = rows_of(client, "host=alpha&pins=7&columns=50")
    assert [row["rank"] for row in header["rows"]] == [7, *range(0, 131, 3)]
    # A host has the position of its latest rank: rank 3 is on alpha.
    header, _ = rows_of(client, "order=number&columns=50")
    assert [row["host"] for row in header["rows"]] == ["alpha", "beta", "gamma"]


def test_only_calls_long_enough_for_a_name_are_given(client: FlaskClient, trace: hopscope.Trace) -> None:
    begin, end = 1_000_000_000, 1_200_000_000
    least_ns = 20_000_000
    calls = ask(client, f"marks?from={begin}&to={end}&least={least_ns}")["calls"]
    expected = trace.sql(
        "from (select rank, enter_ns, leave_ns, 'MPI_Allreduce' as name from calls union all "
        "select rank, begin_ns, end_ns, region from intervals) where enter_ns < $end and leave_ns > $begin "
        "and leave_ns - enter_ns >= $least order by enter_ns, rank",
        {"begin": begin, "end": end, "least": least_ns},
    ).to_pylist()
    assert calls == [list(row.values()) for row in expected]
    assert {name for *_, name in calls} == {"MPI_Allreduce", "MPI_Sendrecv"}
