"""Planted lateness and distance are found, and nothing else is.

The runs, in sample_traces/planted, are recorded. Their lateness and link times are known, whatever the load on this
machine.
"""

import hopscope
import pytest
from jobs import Planted, by_key

RANKS, LATE_RANK = 4, 2
ITERATIONS, LATE_NS = 40, 20e6
WAN_ITERATIONS, WAN_NS = 20, 20e6


@pytest.fixture(params=["late_by_engine", "late_by_library"])
def late_trace(request: pytest.FixtureRequest, planted: Planted) -> hopscope.Trace:
    return planted(request.param)


def test_a_rank_20_ms_late_is_the_last_arrival_in_more_than_95_percent(late_trace: hopscope.Trace) -> None:
    rows = by_key(late_trace.last_arrivals().to_pylist(), "rank")
    assert rows[LATE_RANK]["share"] > 0.95
    assert rows[LATE_RANK]["waiting_ns"] > 0.95 * LATE_NS * (RANKS - 1) * ITERATIONS


def test_a_late_rank_is_the_compute_on_the_critical_path(late_trace: hopscope.Trace) -> None:
    rows = by_key(late_trace.critical_path(by="rank").to_pylist(), "rank")
    categories = by_key(late_trace.critical_path().to_pylist(), "category")
    compute_ns = categories["compute"]["time_ns"]
    assert rows[LATE_RANK]["compute_ns"] > 0.95 * compute_ns
    # The computing of all iterations except the first. Before the first, a rank's computing cannot be told from its
    # start.
    assert rows[LATE_RANK]["compute_ns"] > (LATE_NS + 6e6) * (ITERATIONS - 1)
    assert compute_ns > 0.95 * sum(row["time_ns"] for name, row in categories.items() if name != "mpi")
    assert sum(row["share"] for row in categories.values()) == pytest.approx(1)


def test_without_the_lateness_nobody_is_found_late(planted: Planted) -> None:
    # Some rank is always last, at least by the microseconds by which the tree releases it later, but not by
    # milliseconds.
    rows = by_key(planted("on_time").last_arrivals().to_pylist(), "rank")
    assert rows[LATE_RANK]["share"] < 0.95
    assert rows[LATE_RANK]["waiting_ns"] < 0.1 * LATE_NS * (RANKS - 1) * ITERATIONS
    assert all(row["margin_ns"] < LATE_NS / 10 for row in rows.values() if row["share"] > 0.1)


def test_with_a_halo_exchange_the_late_rank_is_still_the_named_cause(planted: Planted) -> None:
    trace = planted("late_with_halo")
    rows = trace.critical_path(by="rank").to_pylist()
    assert max(rows, key=lambda row: row["share"])["rank"] == LATE_RANK
    causes = trace.last_arrivals().to_pylist()
    assert max(causes, key=lambda row: row["cause_share"])["rank"] == LATE_RANK


def test_an_emulated_20_ms_link_gives_the_planted_wan_share(planted: Planted) -> None:
    # Two ranks on each site, in blocks: the binomial tree crosses once up and once down, 40 ms in each iteration.
    trace = planted("wan_20_ms")
    wan = by_key(trace.critical_path().to_pylist(), "category")["wan"]
    assert WAN_ITERATIONS * 2 * WAN_NS <= wan["time_ns"] < 1.05 * WAN_ITERATIONS * 2 * WAN_NS
    assert by_key(trace.wan_share().to_pylist(), "scope")["critical_path"]["share"] == pytest.approx(wan["share"])


def test_without_the_link_there_is_no_wan_share(planted: Planted) -> None:
    rows = by_key(planted("wan_0_ms").wan_share().to_pylist(), "scope")
    assert rows["critical_path"]["share"] < 0.02


@pytest.mark.parametrize("name", ["late_by_engine", "late_by_library", "late_with_halo"])
def test_stretches_add_up_to_every_path_s_length(name: str, planted: Planted) -> None:
    paths: dict[tuple[str, int | None], list[dict[str, int]]] = {}
    for row in planted(name).table("path_stretches").to_pylist():
        paths.setdefault((row["path"], row["path_collective_id"]), []).append(row)
    assert paths
    for stretches in paths.values():
        length = max(row["end_ns"] for row in stretches) - min(row["begin_ns"] for row in stretches)
        assert length == sum(row["end_ns"] - row["begin_ns"] for row in stretches)
