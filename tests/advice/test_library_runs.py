"""Simulated runs of an MPI library's own algorithms on known networks: the replay of the baseline reproduces each
message."""

from __future__ import annotations

from typing import Any

import pytest
from hopscope.advice.remap import remap, sentence
from hopscope.errors import InputError
from simulated_library import LibraryRun
from simulated_network import MS, Network, Run, SimulatedTrace, iterate, sites


def baseline(trace: SimulatedTrace) -> dict[str, Any]:
    return next(row for row in remap(trace, algorithms="tree").to_pylist() if row["baseline"])


def test_recursive_doubling_over_two_sites_is_replayed_and_a_tree_beats_it() -> None:
    # Three rounds in sequence cross the WAN, 60 ms; a tree crosses it once each way.
    run = iterate(LibraryRun(sites(), jitter=1_000), iterations=20)
    table = remap(run.trace(), algorithms="tree")
    baseline_row = next(row for row in table.to_pylist() if row["baseline"])
    assert baseline_row["predicted_ns"] == pytest.approx(run.iteration_ns(), rel=1e-3)
    # Ranks 0, 3 and 6 are in site A: six of eight pairs cross in each round.
    assert (baseline_row["depth"], baseline_row["wan_messages"]) == (None, 18)
    assert table.to_pylist()[0]["chosen"]
    assert table.to_pylist()[0]["predicted_ns"] == pytest.approx(41 * MS, rel=0.02)
    assert "The run took 61.0 ms by the MPI library" in sentence(table) and "last digits" in sentence(table)


def test_a_rank_that_comes_late_does_not_make_its_messages_wait_for_those_that_came_early() -> None:
    # In every other iteration some rank comes 90 ms late. Its first message is already there when it posts the receive,
    # so the rank receives before it sends its own. If the replay kept this order, the rank's message would seem to
    # depend on the peer's.
    run = LibraryRun(sites())
    for i in range(24):
        run.compute(lambda rank, i=i: MS + (90 * MS if i % 2 and rank == i // 2 % 8 else 0))
        run.allreduce()
    assert baseline(run.trace())["model_error"] < 0.01


def test_messages_that_set_up_the_first_collective_do_not_change_the_others_order() -> None:
    # Regression: 42 ms of Open MPI 5 were replayed in 20.4 ms, because each receive followed as many sends as in the
    # first Allreduce.
    run = LibraryRun(sites())
    run.set_up(messages=10)
    assert baseline(iterate(run, iterations=20).trace())["predicted_ns"] == pytest.approx(61 * MS, rel=0.01)


def test_a_message_that_waits_for_its_receive_blocks_its_sender_and_promises_nothing() -> None:
    # The root's message cannot move before rank 1 posts its receive. The two ranks come 5 ms late in turn. The root
    # begins its next iteration when its message has left, so it cannot use that time to compute.
    run = LibraryRun(Network(["a", "b"], {"a": "A", "b": "A"}, {"shm": 1_000, "lan": 300_000}), size=1 << 20)
    for number in range(20):
        enter = [run.clocks[rank] + (6 if number % 2 == rank else 1) * MS for rank in (0, 1)]
        sent, posted = enter[0] + 1_000, enter[1] + 1_000
        end = max(sent, posted) + 300_000
        run.record_hop(number, (0, 1), sent, posted, (posted, end))
        run.rows["hops"][-1] |= {"send_wait_begin_ns": sent, "send_end_ns": end}
        run.clocks = [end + 1_000, end + 1_000]
        run.record_calls(number, enter, "MPI_Bcast", root=0)
    table = remap(run.trace())
    baseline_row = next(row for row in table.to_pylist() if row["baseline"])
    assert baseline_row["measured_ns"] == pytest.approx(6.302 * MS, rel=1e-3) and baseline_row["model_error"] < 0.001
    text = sentence(table)
    if any(row["not_predicted"] for row in table.to_pylist()):
        assert text.startswith("MPI_Bcast cannot be predicted: 50.0 % of its messages waited for their receives"), text
        assert "`hopscope tune --engine`" in text and not any(table["chosen"].to_pylist())


def test_where_the_replay_misses_the_run_every_candidate_is_listed_without_a_prediction() -> None:
    # The replay does not contain time that ranks lost beyond their typical times: every third iteration takes 200 ms
    # longer.
    run = LibraryRun(sites())
    for i in range(20):
        run.compute(lambda _: MS)
        run.allreduce()
        run.clocks = [t + (200 * MS if i % 3 == 0 else 0) for t in run.clocks]
        run.rows["collectives"][-1]["last_leave_ns"] = max(run.clocks)
        for call in run.rows["calls"][-8:]:
            call["leave_ns"] = run.clocks[call["rank"]]
    table = remap(run.trace(), algorithms="tree")
    rows = [row for row in table.to_pylist() if not row["baseline"]]
    assert rows and all(row["predicted_ns"] is None for row in rows)
    assert all(row["not_predicted"].startswith("the replay misses the run by") for row in rows)
    assert sentence(table).startswith("MPI_Allreduce cannot be predicted: the replay misses the run by")


@pytest.mark.parametrize(("reason", "is_replayed"), [("unmatched", False), ("silent", False), ("undecided", True)])
def test_only_collectives_with_all_their_messages_are_replayed(reason: str, is_replayed: bool) -> None:
    trace = iterate(LibraryRun(sites()), 5).trace().with_column("collectives", "native_reason", [reason] * 5)
    if is_replayed:
        assert baseline(trace)["model_error"] < 0.01
        return
    with pytest.raises(InputError, match=r"no complete MPI_Allreduce, .* with all its hops"):
        remap(trace)


@pytest.mark.parametrize(
    ("table", "column", "value", "problem"),
    [
        ("run", "emulated", "{}", "do not delay the MPI library's own messages"),
        ("comms", "second_group", 4, "with all its hops"),
        ("hops", "binding", "none", "no rank waited for a hop"),
    ],
)
def test_a_run_that_shows_nothing_of_another_algorithm_is_refused(
    table: str, column: str, value: Any, problem: str
) -> None:
    trace = iterate(LibraryRun(sites()), 3).trace()
    with pytest.raises(InputError, match=problem):
        remap(trace.with_column(table, column, [value] * len(trace.tables[table])))


def test_where_nothing_changes_no_rounding_is_spoken_of() -> None:
    table = remap(iterate(Run(sites(), {"shape": "hierarchical"}, jitter=1_000), 20).trace(), algorithms="tree")
    assert not any(table["chosen"].to_pylist()) and "last digits" not in sentence(table)
