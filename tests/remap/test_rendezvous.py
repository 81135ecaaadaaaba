"""Messages by rendezvous: which are, what they take, and the send order of a library that waits for them."""

from __future__ import annotations

import numpy as np
import pytest
from hopscope import _plan
from hopscope.algorithms.open_mpi import ALGORITHMS, CUT
from hopscope.algorithms.turns import ALL_AT_ONCE, Turns, turns_of
from hopscope.links import LINKS
from hopscope.model.costs import Costs, LinkCost, LocalCost
from hopscope.model.eager import answered_from, eager_limit, held_from, with_announcements
from hopscope.model.hops import Hops
from hopscope.model.routes import Link, fitted, machine
from hopscope.model.sequences import duration_ns, lay, leaves
from hopscope.remap.algorithms.send_order import in_send_order
from hopscope.remap.fitting.fit import fit, fits
from hopscope.remap.fitting.rendezvous import Ends, ends_of, limits_of
from hopscope.remap.replay.basis import basis_of
from hopscope.remap.run.events import DELIVERED, events_of
from hopscope.remap.run.program import source_of
from hopscope.tuning.offered import Offered
from hopscope.tuning.planned import Planned, planned
from simulated_library import LibraryRun
from simulated_network import MS, Run, SimulatedTrace, round_robin, sites

LONG, LATENCY = 65_536, 20 * MS
SIZES = np.repeat([8, 4096, 65536, 1 << 20], 6)


def ran(*sizes: int, late: int = 0, blocked: int = 0, iterations: int = 20) -> SimulatedTrace:
    """By recursive doubling between two sites; messages of more than 1 KiB go by rendezvous. late: every rank but the
    first computes for longer. blocked: senders go on so much later than their CTS is there."""
    run = LibraryRun(sites(), rendezvous_from=1024)
    for iteration in range(iterations * len(sizes)):
        run.size = sizes[iteration % len(sizes)]
        run.compute(lambda rank: MS + (late if rank else 0))
        run.allreduce()
    for hop in run.rows["hops"]:
        hop["send_end_ns"] += blocked if hop["bytes"] == LONG and hop["link"] == "wan" else 0
    return run.trace()


def test_the_limit_lies_above_the_longest_message_whose_sender_went_on() -> None:
    waited = SIZES > 4096
    assert eager_limit(SIZES, waited, ~waited) == 4096
    # Without both kinds of senders, from few messages or contradictory ones, there is none.
    every = np.full(len(SIZES), fill_value=True)
    few = SIZES[::2]
    assert eager_limit(SIZES, every, ~every) is eager_limit(SIZES, ~every, every) is None
    assert eager_limit(few, few > 4096, few <= 4096) is eager_limit(SIZES, SIZES == 8, SIZES > 8) is None
    # Of emulated links, short messages always go without.
    assert [held_from(SIZES, least < SIZES, SIZES <= 4096) for least in (4096, 1 << 30)] == [4096, np.inf]
    assert held_from(SIZES, SIZES > 8, ~every) == 1024


def test_a_replayed_message_takes_what_the_one_by_rendezvous_took() -> None:
    # 100 us of latency and 1 ns a byte; 1 MiB takes three latencies besides.
    size = np.asarray([8] * 9 + [1 << 20] * 9)
    transit = np.where(size > 4096, 300_000 + size, 100_000)
    link = with_announcements(LinkCost(100_000.0, 1.1), 4096, size, transit)
    assert (link.latency_ns, link.per_byte_ns, link.eager_bytes) == (100_000, pytest.approx(1), 4096)
    hosts = fitted(Costs(dict.fromkeys(LINKS, link), LocalCost()), [0, 1])
    for bytes_sent, takes in ((8, 100_008), (1 << 20, 300_000 + (1 << 20))):
        schedules = lay({"algorithm": "pipeline", "segment_bytes": 0}, "MPI_Bcast", [bytes_sent], [0, 1], root=0)
        assert duration_ns(schedules, hosts) == pytest.approx(takes, rel=1e-6)


def test_senders_that_are_blocked_although_the_receive_was_posted_wait_for_the_cts() -> None:
    # 4 KiB and less is gone at once; longer messages block their sender for two thirds of their way.
    transit = np.full(len(SIZES), 30_000_000)
    blocked = np.where(SIZES > 4096, 20_000_000, 5_000)
    assert answered_from(SIZES, blocked, transit) == 4096
    assert answered_from(SIZES[SIZES > 4096], blocked[SIZES > 4096], transit[SIZES > 4096]) == 65_535
    # Few of them, none, or longer ones that go at once show nothing.
    assert answered_from(SIZES[::2], blocked[::2], transit[::2]) is None
    assert answered_from(SIZES, np.full(len(SIZES), 5_000), transit) is None
    assert answered_from(SIZES, np.where(SIZES == 65_536, 20_000_000, 5_000), transit) is None


def where_senders_are_blocked(blocked_ns: int) -> SimulatedTrace:
    """Messages between two hosts that take 88 ms."""
    run = Run(round_robin(4, {"h0": "A", "h1": "A"}, shm=1_000, lan=88_000_000), {"shape": "chain"}, LONG)
    for _ in range(20):
        run.compute(lambda _: MS)
        run.allreduce()
    for hop in run.rows["hops"]:
        hop["send_end_ns"] = hop["send_begin_ns"] + blocked_ns if hop["link"] == "lan" else hop["send_end_ns"]
    return run.trace()


def test_of_one_size_the_time_that_senders_are_blocked_tells_the_latency() -> None:
    """Regression: 64 KiB over TCP took 88 ms between sites 22 ms apart and blocked its sender for 43. Broadcasts and
    reductions one after another were replayed as free, 0.5 ms for 102."""
    found = [costs.links["lan"] for costs in fits(source_of(where_senders_are_blocked(43_000_000).table))]
    assert (found[0].latency_ns, found[0].eager_bytes) == (21_500_000, 65_535)
    assert 3 * found[0].latency_ns + found[0].per_byte_ns * LONG == pytest.approx(88_000_000, rel=0.01)
    # A long message may take its own time after the CTS.
    assert (found[-1].announcement_ns, found[-1].answer_ns) == (21_500_000, 21_500_000) and len(found) == 3
    # A sender that keeps a copy is not blocked.
    assert fit(source_of(where_senders_are_blocked(100_000).table)).links["lan"].eager_bytes == np.inf


def test_a_rendezvous_is_given_up_where_the_replay_is_far_off_with_it() -> None:
    # Blocked for 600 ms by something else, a message of 88 ms would take three times 300.
    basis = basis_of(where_senders_are_blocked(600_000_000).table)
    assert basis.costs.links["lan"].latency_ns == 88_000_000 and basis.model.error < 0.01


@pytest.mark.parametrize("late", [0, 5 * MS, 90 * MS])
def test_a_library_s_rendezvous_is_replayed_and_its_costs_are_those_of_the_network(late: int) -> None:
    basis = basis_of(ran(LONG, late=late).table)
    wan = basis.costs.links["wan"]
    assert wan.announcement_ns == wan.answer_ns == wan.announced_ns == pytest.approx(LATENCY, rel=0.01)
    assert basis.model.error < 0.02


def test_a_class_of_links_whose_senders_go_on_has_no_limit() -> None:
    assert limits_of(ends_of(source_of(ran(LONG, 512).table)))["wan"] == 1024
    # Messages that were there long before their senders went on had not waited for them.
    assert "wan" not in limits_of(ends_of(source_of(ran(LONG, 512, blocked=5 * LATENCY).table)))


def test_receives_posted_late_show_best_whether_a_message_waits_for_its_cts() -> None:
    # Regression: of messages whose bytes take 80 ms, a CTS after 6 seemed to be none. Six receives were posted before
    # the messages came, and six 50 ms late.
    none, one = np.zeros(12, np.int64), np.ones(12, np.int64)
    posted = np.repeat([0, 150], 6) * MS
    begin, cleared, link = 100 * MS * one, np.maximum(103 * MS, posted) + 3 * MS, one * LINKS.index("wan")
    hops = Hops(none, none, one, none, one, link, one, none, one << 20, begin, cleared + 74 * MS, posted, one > 0, none)
    ends = Ends(hops, begin, cleared, posted)
    assert limits_of(ends) == {"wan": 1024} and ends.control_ns() == (3 * MS, 3 * MS)
    assert set(ends.itself_ns(*ends.control_ns())) == {74 * MS}


def test_a_sender_s_wait_is_no_time_of_its_own_and_one_that_went_on_had_no_rendezvous() -> None:
    # Regressions: the missing time of its wait became a computing time of 2**62 ns; and ranks waited for one another.
    trace = ran(LONG, late=90 * MS)
    events = events_of(source_of(trace.table))
    assert (events.kind == DELIVERED).any() and events.own_ns.max() < 200 * MS
    hops = trace.tables["hops"].to_pylist()
    late = [row for row, hop in enumerate(hops) if hop["recv_post_ns"] > hop["send_begin_ns"] + 80 * MS][:3]
    for row in late:
        hops[row]["send_end_ns"] = hops[row]["send_begin_ns"] + 100
    trace.tables["hops"] = type(trace.tables["hops"]).from_pylist(hops, schema=trace.tables["hops"].schema)
    announced = events_of(source_of(trace.table), {"wan": 1024.0}).announced
    assert {row for row in np.flatnonzero(~announced).tolist() if hops[row]["link"] == "wan"} == set(late)


def schedules_of(operation: str, number: int, ranks: int, segment: int = 0) -> list[_plan.Schedules]:
    """One of Open MPI's algorithms as the plan has it, and in its send order; empty if there is none."""
    plan = planned(Offered(operation, ALGORITHMS[operation, number].name, number, "variable"), ranks, 4, 4096)
    if not isinstance(plan, Planned):
        return []
    rule = {**plan.rule, **({"segment_bytes": segment} if segment else {})}
    root = 0 if operation in ("bcast", "reduce", "gather", "scatter") else None
    lengths = [] if operation == "barrier" else [4096]
    schedules = lay(rule, f"MPI_{operation.capitalize()}", lengths, range(ranks), root=root, trees=plan.trees)
    return [schedules, in_send_order(schedules, turns_of(operation, number))]


def by_rendezvous(ranks: int, own_ns: float | None = None) -> dict[str, object]:
    """Hosts 1 us apart; every message takes three latencies, or its own time as the third."""
    link = Link(1000.0, eager_bytes=0) if own_ns is None else Link(1000.0, eager_bytes=0, announced_ns=own_ns)
    return machine(np.zeros((ranks, ranks), np.int32), [link])


def test_segments_and_a_root_s_messages_follow_one_another() -> None:
    at_once, in_order = schedules_of("bcast", 3, 2, 1024 + 512)
    # Each of three segments blocks its sender for two latencies, the last one arrives one later.
    assert [duration_ns(each, by_rendezvous(2)) for each in (at_once, in_order)] == [3000, 3 * 2000 + 1000]
    # The first goes at 2000 and takes 5000; the next RTS is there with it, for they share a connection.
    assert duration_ns(in_order, by_rendezvous(2, 5000.0)) == 7000 + 2 * 6000
    assert [duration_ns(each, by_rendezvous(4)) for each in schedules_of("reduce", 1, 4)] == [3000, 3000 + 2 * 2000]


def test_what_is_begun_at_once_or_short_has_no_order_and_every_algorithm_comes_to_its_end_in_its_own() -> None:
    at_once, in_order = schedules_of("alltoall", 1, 4)
    assert (
        in_order is at_once
        and turns_of("alltoall", 1) == ALL_AT_ONCE
        and in_send_order(at_once, Turns(1)) is not at_once
    )
    short = lay({"algorithm": "linear"}, "MPI_Alltoall", [1024], range(4))
    assert in_send_order(short, Turns(1)) is short
    compared = 0
    for operation, number in sorted(ALGORITHMS):
        for ranks in (2, 5, 8):
            for segment in (0, 1500) if (operation, number) in CUT else (0,):
                both = schedules_of(operation, number, ranks, segment)
                if both:
                    before, after = (leaves([each], range(ranks), by_rendezvous(ranks), [0, 0]) for each in both)
                    assert (after >= before - 1e-6).all(), (operation, number, ranks, segment)
                    compared += 1
    assert compared > 120
