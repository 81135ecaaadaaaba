"""Long messages of an MPI library, which go when their receivers have answered: they are judged as such."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hopscope import _plan
from hopscope.algorithms.open_mpi import ALGORITHMS, CUT
from hopscope.algorithms.turns import ALL_AT_ONCE, Turns, turns_of
from hopscope.links import LINKS
from hopscope.model.hops import Hops
from hopscope.model.routes import Link, machine
from hopscope.model.sequences import duration_ns, lay, leaves
from hopscope.remap import remap, sentence, suggest_setting
from hopscope.remap.candidates.in_turn import in_turn
from hopscope.remap.fitting.announced import Ends, ends_of, limits_of
from hopscope.remap.judging.basis import basis_of
from hopscope.remap.run.events import DELIVERED, events_of
from hopscope.remap.run.program import source_of
from hopscope.tuning.offered import Library, Offered
from hopscope.tuning.planned import Planned, planned
from simulated_library import LibraryRun
from simulated_network import SimulatedTrace, round_robin

MS = 1_000_000
LONG = 65_536
LATENCY = 20 * MS
TUNED = Library(
    "openmpi",
    "4.1.4",
    "mpirun",
    [
        Offered("allreduce", name, number, "coll_tuned_allreduce_algorithm")
        for number, name in enumerate(("basic_linear", "nonoverlapping", "recursive_doubling", "ring"), 1)
    ]
    + [
        Offered("alltoall", name, at, "coll_tuned_alltoall_algorithm")
        for at, name in enumerate(("linear", "pairwise"), 1)
    ],
    {},
)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed library is TUNED."""
    monkeypatch.setattr(suggest_setting, "installed", lambda *_: TUNED)


def ran(*kinds: tuple[str, int], late: int = 0, held: int = 0, iterations: int = 20) -> SimulatedTrace:
    """By recursive doubling, on one host in site A and two in site B: to and fro between the sites three times.
    Messages of more than 1 KiB are announced. late: every rank but the first computes for longer. held: senders go on
    so much later than their answers are there."""
    sites = round_robin(8, {"a0": "A", "b0": "B", "b1": "B"}, shm=1_000, lan=50_000, wan=LATENCY)
    run, chance = LibraryRun(sites, announced_from=1024), random.Random(3)
    for iteration in range(iterations * len(kinds)):
        run.op, run.size = kinds[iteration % len(kinds)]
        run.compute(lambda rank: MS + chance.randint(0, MS // 20) + (late if rank else 0))
        run.allreduce()
    for hop in run.rows["hops"]:
        hop["send_end_ns"] += held if hop["bytes"] == LONG and hop["link"] == "wan" else 0
    return run.trace()


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("late", [0, 5 * MS, 90 * MS])
def test_what_waits_for_its_answer_is_judged_so(late: int, tmp_path: Path) -> None:
    # Three latencies in each of three rounds. Five messages of other hosts come to the root, which takes one after the
    # other: the first after three latencies, each further one after two, and the result goes to all in three.
    table = remap(ran(("MPI_Allreduce", LONG), late=late), tmp_path / "rules", library="openmpi")
    row = {one["name"]: one for one in table.to_pylist()}
    today, linear = row["today: the MPI library"], row["basic_linear"]
    assert today["model_error"] < 0.02
    assert linear["not_judged"] is None
    assert linear["predicted_ns"] == pytest.approx(late + MS + (3 + 4 * 2 + 3) * LATENCY, rel=0.01)
    # It used to be suggested: as if the root took all at once, and they took one latency each.
    assert not any(table["chosen"].to_pylist()) and not (tmp_path / "rules").exists()
    assert sentence(table).startswith("Leave MPI_Allreduce as it is: ")


@pytest.mark.usefixtures("library")
def test_of_long_messages_too_the_best_is_suggested(tmp_path: Path) -> None:
    # Doubling takes nine latencies for the long ones. Each to each takes three.
    table = remap(ran(("MPI_Alltoall", 8), ("MPI_Alltoall", LONG), ("MPI_Alltoall", LONG // 8)), library="openmpi")
    row = {one["name"]: one for one in table.to_pylist()}
    linear = row["linear for MPI_Alltoall of 8 KiB"]
    assert 1 - linear["gain"] == pytest.approx(1 - 6 * LATENCY / (21 * LATENCY + 3 * MS), abs=0.02)
    assert table.to_pylist()[0]["chosen"]


@pytest.mark.usefixtures("library")
def test_where_the_replay_with_answers_is_far_from_the_run_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggest_setting, "MOST_OFF", -1.0)
    said = sentence(remap(ran(("MPI_Allreduce", LONG)), library="openmpi"))
    assert said.startswith(
        "MPI_Allreduce cannot be predicted: 100.0 % of its messages wait until their receivers have"
    ), said
    assert "and with that the replay of what ran is off by" in said


@pytest.mark.usefixtures("library")
def test_what_holds_senders_in_another_way_is_still_not_judged() -> None:
    # The messages are there long before their senders go on.
    said = sentence(remap(ran(("MPI_Allreduce", LONG), held=5 * LATENCY), library="openmpi"))
    assert said.startswith("MPI_Allreduce cannot be predicted: 11.2 % of its messages waited for their receives"), said


def test_a_class_of_links_whose_senders_go_on_has_no_limit() -> None:
    trace = ran(("MPI_Allreduce", LONG), ("MPI_Allreduce", 512))
    limits = limits_of(ends_of(source_of(trace.table)))
    assert limits["wan"] == 1024
    # Messages that were there long before their senders went on had not waited for them.
    held = ran(("MPI_Allreduce", LONG), ("MPI_Allreduce", 512), held=5 * LATENCY)
    assert "wan" not in limits_of(ends_of(source_of(held.table)))


def test_receives_posted_late_show_best_whether_a_message_waits_for_an_answer() -> None:
    # Regression: of messages whose bytes take 80 ms, an answer after 6 seemed to be none. Six receives were posted
    # before the messages came, and six 50 ms late.
    count = 6
    none, one = np.zeros(2 * count, np.int64), np.ones(2 * count, np.int64)
    posted = np.repeat([0, 150], count) * MS
    begin, answered = 100 * MS * one, np.maximum(103 * MS, posted) + 3 * MS
    link = one * LINKS.index("wan")
    of_late = Hops(
        none, none, one, none, one, link, one, none, one << 20, begin, answered + 74 * MS, posted, one > 0, none
    )
    ends = Ends(of_late, begin, answered, posted)
    assert limits_of(ends) == {"wan": 1024}
    assert ends.control_ns() == (3 * MS, 3 * MS)
    assert set(ends.itself_ns(*ends.control_ns())) == {74 * MS}
    # If only early ones had been seen, that would not show.
    assert not limits_of(ends.of(posted == 0))


def test_a_sender_whose_wait_the_trace_does_not_show_took_no_time_of_its_own() -> None:
    # Regression: the missing time of its wait became a computing time of 2**62 ns.
    events = events_of(source_of(ran(("MPI_Allreduce", LONG), late=90 * MS).table))
    assert (events.kind == DELIVERED).any()
    assert events.own_ns.max() < 200 * MS
    limits = {"wan": 1024.0}
    events = events_of(source_of(ran(("MPI_Allreduce", LONG)).table), limits)
    assert events.announced.any() and events.own_ns.max() < 2 * MS


def test_a_sender_that_went_on_before_the_receive_was_posted_did_not_wait_for_an_answer() -> None:
    # Regression: it was replayed as if it had, and ranks waited for one another.
    trace = ran(("MPI_Allreduce", LONG), late=90 * MS)
    hops = trace.tables["hops"].to_pylist()
    late = [row for row, hop in enumerate(hops) if hop["recv_post_ns"] > hop["send_begin_ns"] + 80 * MS]
    ends = [hop["send_begin_ns"] + 100 if row in late[:3] else hop["send_end_ns"] for row, hop in enumerate(hops)]
    trace.tables["hops"] = with_column(trace.tables["hops"], "send_end_ns", ends)
    events = events_of(source_of(trace.table), {"wan": 1024.0})
    wan = [row for row, hop in enumerate(hops) if hop["link"] == "wan"]
    assert set(np.flatnonzero(~events.announced)) & set(wan) == set(late[:3])


def with_column(table: pa.Table, name: str, values: list[Any]) -> pa.Table:
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), pa.array(values, table.schema.field(at).type))


def test_costs_of_announced_messages_are_those_of_the_network() -> None:
    basis = basis_of(ran(("MPI_Allreduce", LONG), late=5 * MS).table, announced=True)
    wan = basis.fitted[0].links["wan"]
    assert wan.announcement_ns == wan.answer_ns == pytest.approx(LATENCY, rel=0.01)
    assert wan.announced_ns == pytest.approx(LATENCY, rel=0.01)
    assert basis.error < 0.02


def over(operation: str, number: int, ranks: int, segment: int = 0) -> tuple[_plan.Schedules, _plan.Schedules] | None:
    """The schedules of one of Open MPI's algorithms as the plan has them, and in its turns; None if it has none."""
    name = ALGORITHMS[operation, number].name
    found = planned(Offered(operation, name, number, "variable"), ranks, 4, 4096)
    if not isinstance(found, Planned):
        return None
    rule = {**found.rule, **({"segment_bytes": segment} if segment else {})}
    root = 0 if operation in ("bcast", "reduce", "gather", "scatter") else None
    lengths = [] if operation == "barrier" else [4096]
    hosts = list(range(ranks))
    laid = lay(rule, f"MPI_{operation.capitalize()}", lengths, hosts, root=root, trees=found.trees)
    return laid, in_turn(laid, turns_of(operation, number))


def pair(operation: str, number: int, ranks: int, segment: int = 0) -> tuple[_plan.Schedules, _plan.Schedules]:
    found = over(operation, number, ranks, segment)
    assert found is not None
    return found


def announcing(ranks: int) -> dict[str, Any]:
    """Hosts 1 us apart; every message is announced, and takes three latencies."""
    return machine(np.zeros((ranks, ranks), np.int32), [Link(1000.0, eager_bytes=0)])


def test_segments_follow_one_another_when_the_ones_before_have_gone() -> None:
    laid, turns = pair("bcast", 3, 2, 1024 + 512)
    assert duration_ns(laid, announcing(2)) == 3000
    # Each of three holds its sender for two latencies, the last one arrives one later.
    assert duration_ns(turns, announcing(2)) == 3 * 2000 + 1000


def test_the_next_announcement_comes_behind_the_message_before() -> None:
    # A message takes 5000 when it goes. The first goes at 2000; the next one's announcement is there with it, at 7000,
    # and not at 3000, for they share a connection. So the next goes at 8000.
    one_connection = machine(np.zeros((2, 2), np.int32), [Link(1000.0, eager_bytes=0, announced_ns=5000.0)])
    assert duration_ns(pair("bcast", 3, 2, 1024 + 512)[1], one_connection) == 7000 + 2 * 6000


def test_a_root_that_takes_one_message_after_the_other_answers_so() -> None:
    laid, turns = pair("reduce", 1, 4)
    assert duration_ns(laid, announcing(4)) == 3000
    assert duration_ns(turns, announcing(4)) == 3000 + 2 * 2000


def test_what_is_begun_at_once_or_short_has_no_turns() -> None:
    laid, turns = pair("alltoall", 1, 4)
    assert turns is laid and turns_of("alltoall", 1) == ALL_AT_ONCE
    assert in_turn(laid, Turns(1)) is not laid
    short = lay({"algorithm": "linear"}, "MPI_Alltoall", [1024], range(4))
    assert in_turn(short, Turns(1)) is short


def test_every_algorithm_comes_to_its_end_in_its_turns() -> None:
    tried = 0
    for operation, number in sorted(ALGORITHMS):
        for ranks in (2, 3, 5, 8, 13):
            for segment in (0, 1500) if (operation, number) in CUT else (0,):
                both = over(operation, number, ranks, segment)
                if both is not None:
                    before, after = (leaves([one], range(ranks), announcing(ranks), [0, 0]) for one in both)
                    assert (after >= before - 1e-6).all(), (operation, number, ranks, segment)
                    tried += 1
    assert tried > 200
