"""Messages by rendezvous: which messages go that way, and their times."""

from __future__ import annotations

import numpy as np
import pytest
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.machine.hops import Hops
from hopscope.machine.routes import fitted
from hopscope.native.sequences import duration_ns, lay
from hopscope.replay.basis import basis_of
from hopscope.replay.fitting.rendezvous import Ends, ends_of, limits_of
from hopscope.replay.run.events import DELIVERED, events_of
from hopscope.replay.run.subject import source_of
from hopscope.vocabulary.links import LINKS
from simulated_library import LibraryRun
from simulated_network import MS, Run, SimulatedTrace, round_robin, sites

LONG, LATENCY = 65_536, 20 * MS


def run_doubling(*sizes: int, delay: int = 0, blocked: int = 0, iterations: int = 20) -> SimulatedTrace:
    """A run by recursive doubling between two sites, in which messages of more than 1 KiB go by rendezvous. delay:
    extra computing of every rank except the first. blocked: extra time that senders stay blocked after their CTS has
    arrived."""
    run = LibraryRun(sites(), rendezvous_from=1024)
    for iteration in range(iterations * len(sizes)):
        run.size = sizes[iteration % len(sizes)]
        run.compute(lambda rank: MS + (delay if rank else 0))
        run.allreduce()
    for hop in run.rows["hops"]:
        hop["send_end_ns"] += blocked if hop["bytes"] == LONG and hop["link"] == "wan" else 0
    return run.trace()


def test_a_replayed_message_takes_what_the_one_by_rendezvous_took() -> None:
    # Latency 100 us, 1 ns per byte. A message of 1 MiB takes three latencies.
    link = LinkCost(100_000.0, 1.0, eager_bytes=4096)
    hosts = fitted(Costs(dict.fromkeys(LINKS, link), LocalCost()), [0, 1])
    for bytes_sent, takes in ((8, 100_008), (1 << 20, 300_000 + (1 << 20))):
        schedules = lay({"algorithm": "pipeline", "segment_bytes": 0}, "MPI_Bcast", [bytes_sent], [0, 1], root=0)
        assert duration_ns(schedules, hosts) == pytest.approx(takes, rel=1e-6)


def where_senders_are_blocked(blocked_ns: int) -> SimulatedTrace:
    """A run whose messages between two hosts take 88 ms and block their senders for `blocked_ns`."""
    run = Run(round_robin(4, {"h0": "A", "h1": "A"}, shm=1_000, lan=88_000_000), {"shape": "chain"}, LONG)
    for _ in range(20):
        run.compute(lambda _: MS)
        run.allreduce()
    for hop in run.rows["hops"]:
        hop["send_end_ns"] = hop["send_begin_ns"] + blocked_ns if hop["link"] == "lan" else hop["send_end_ns"]
    return run.trace()


def test_of_one_size_the_time_that_senders_are_blocked_tells_the_latency() -> None:
    """Regression: 64 KiB over TCP took 88 ms between sites 22 ms apart, and blocked their sender for 43 ms. Broadcasts
    and reductions in sequence were replayed in 0.5 ms instead of 102 ms."""
    basis = basis_of(where_senders_are_blocked(43_000_000).table)
    lan = basis.costs.links["lan"]
    assert (lan.announcement_ns, lan.answer_ns, lan.eager_bytes) == (21_500_000, 21_500_000, 1024)
    assert lan.message_ns(LONG) == pytest.approx(88_000_000, rel=0.01) and basis.model.error < 0.01
    # A sender that copies its message is not blocked.
    assert limits_of(ends_of(source_of(where_senders_are_blocked(100_000).table))) == {}


def test_a_rendezvous_is_given_up_where_the_replay_is_far_off_with_it() -> None:
    # If something else blocks senders for 600 ms, a message of 88 ms would take three times 300 ms.
    basis = basis_of(where_senders_are_blocked(600_000_000).table)
    assert basis.costs.links["lan"].latency_ns == 88_000_000 and basis.model.error < 0.01


@pytest.mark.parametrize("delay", [0, 5 * MS, 90 * MS])
def test_a_library_s_rendezvous_is_replayed_and_its_costs_are_those_of_the_network(delay: int) -> None:
    basis = basis_of(run_doubling(LONG, delay=delay).table)
    wan = basis.costs.links["wan"]
    assert wan.announcement_ns == wan.answer_ns == wan.announced_ns == pytest.approx(LATENCY, rel=0.01)
    assert basis.model.error < 0.001


def test_a_class_of_links_whose_senders_go_on_has_no_limit() -> None:
    assert limits_of(ends_of(source_of(run_doubling(LONG, 512).table)))["wan"] == 1024
    # If messages arrived long before their senders went on, the senders were not blocked by them.
    assert "wan" not in limits_of(ends_of(source_of(run_doubling(LONG, 512, blocked=5 * LATENCY).table)))


def test_receives_posted_late_show_best_whether_a_message_waits_for_its_cts() -> None:
    # Regression: for messages whose bytes take 80 ms, a CTS after 6 ms was overlooked. Six receives were posted before
    # the messages came, and six 50 ms late.
    zero, unit = np.zeros(12, np.int64), np.ones(12, np.int64)
    posted = np.repeat([0, 150], 6) * MS
    begin, cleared, link = 100 * MS * unit, np.maximum(103 * MS, posted) + 3 * MS, unit * LINKS.index("wan")
    hops = Hops(
        zero, zero, unit, zero, unit, link, unit, zero, unit << 20, begin, cleared + 74 * MS, posted, unit > 0, zero
    )
    ends = Ends(hops, begin, cleared, posted)
    assert limits_of(ends) == {"wan": 1024} and set(ends.latency_ns()) == {3 * MS}
    assert set(ends.itself_ns(3 * MS)) == {74 * MS}


def test_a_sender_s_wait_is_no_time_of_its_own() -> None:
    # Regression: where the time of a wait was missing, the rank computed for 2**62 ns.
    trace = run_doubling(LONG, delay=90 * MS)
    events = events_of(source_of(trace.table))
    assert (events.kind == DELIVERED).any() and events.own_ns.max() < 200 * MS
