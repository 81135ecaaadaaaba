"""Which messages are announced before they go, and what they take, from hops whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from hopscope.links import LINKS
from hopscope.model.costs import Costs, LinkCost, LocalCost
from hopscope.model.eager import answered_from, eager_limit, held_from, with_announcements
from hopscope.model.routes import fitted
from hopscope.model.sequences import duration_ns, lay
from hopscope.remap.fitting.fit import fit, fits
from hopscope.remap.judging.basis import basis_of
from hopscope.remap.run.program import source_of
from simulated_network import Run, SimulatedTrace, round_robin

SIZES = np.repeat([8, 4096, 65536, 1 << 20], 6)


def test_the_limit_lies_above_the_longest_message_whose_sender_went_on() -> None:
    waited = SIZES > 4096
    assert eager_limit(SIZES, waited, ~waited) == 4096


@pytest.mark.parametrize("waits", [True, False])
def test_without_both_kinds_of_senders_there_is_no_limit(waits: bool) -> None:
    same = np.full(len(SIZES), waits)
    assert eager_limit(SIZES, same, ~same) is None


def test_few_messages_or_contradictory_ones_show_no_limit() -> None:
    few = SIZES[::2]
    assert eager_limit(few, few > 4096, few <= 4096) is None
    assert eager_limit(SIZES, SIZES == 8, SIZES > 8) is None


def test_what_no_late_receive_showed_stays_open_between_both_ends() -> None:
    # Up to 4096 bytes senders went on, from 65536 on they waited: what lies between may do either.
    assert held_from(SIZES, SIZES > 4096, SIZES <= 4096) == (4096, 65535, 4096)
    # None waited: longer ones than were seen may.
    nobody = np.zeros(len(SIZES), bool)
    assert held_from(SIZES, nobody, SIZES <= 4096) == (np.inf, np.inf, 4096)
    # All waited, but for those so short that every library takes a copy.
    assert held_from(SIZES, SIZES > 8, nobody) == (1024, 4095, 1024)


def test_a_replayed_message_takes_what_the_announced_one_took() -> None:
    # 100 us of latency and 1 ns a byte; 1 MiB takes three latencies besides.
    size = np.asarray([8] * 9 + [1 << 20] * 9)
    transit = np.where(size > 4096, 300_000 + size, 100_000)
    link = with_announcements(LinkCost(100_000.0, 1.1), 4096, size, transit)
    assert (link.latency_ns, link.per_byte_ns, link.eager_bytes) == (100_000, pytest.approx(1), 4096)
    links = dict.fromkeys(LINKS, link)
    machine = fitted(Costs(links, LocalCost()), [0, 1])
    for bytes_sent, takes in ((8, 100_008), (1 << 20, 300_000 + (1 << 20))):
        laid = lay({"algorithm": "pipeline", "segment_bytes": 0}, "MPI_Bcast", [bytes_sent], [0, 1], root=0)
        assert duration_ns(laid, machine) == pytest.approx(takes, rel=1e-6)


def test_senders_that_are_held_although_the_receive_was_posted_wait_for_an_answer() -> None:
    # 4 KiB and less is gone at once; longer messages hold their sender for two thirds of their way.
    transit = np.full(len(SIZES), 30_000_000)
    held = np.where(SIZES > 4096, 20_000_000, 5_000)
    assert answered_from(SIZES, held, transit) == 4096
    assert answered_from(SIZES[SIZES > 4096], held[SIZES > 4096], transit[SIZES > 4096]) == 65_535
    assert answered_from(SIZES, np.full(len(SIZES), 5_000), transit) is None
    # Few of them, and longer ones that go at once, show nothing.
    assert answered_from(SIZES[::2], held[::2], transit[::2]) is None
    assert answered_from(SIZES, np.where(SIZES == 65_536, 20_000_000, 5_000), transit) is None


def where_senders_are_held(held_ns: int) -> SimulatedTrace:
    """Messages between two hosts that take 88 ms."""
    run = Run(round_robin(4, {"h0": "A", "h1": "A"}, shm=1_000, lan=88_000_000), {"shape": "chain"}, 65_536)
    for _ in range(20):
        run.compute(lambda _: 1_000_000)
        run.allreduce()
    for hop in run.rows["hops"]:
        if hop["link"] == "lan":
            hop["send_end_ns"] = hop["send_begin_ns"] + held_ns
    return run.trace()


def test_of_one_size_the_time_that_senders_are_held_tells_the_latency() -> None:
    """Regression: 64 KiB over TCP took 88 ms between sites 22 ms apart and held its sender for 43. Broadcasts and
    reductions one after another were replayed as free, 0.5 ms for 102, for no sender was held."""
    held = where_senders_are_held(43_000_000)
    costs = fit(source_of(held.table))[0]
    link = costs.links["lan"]
    assert (link.latency_ns, link.eager_bytes) == (21_500_000, 65_535)
    assert 3 * link.latency_ns + link.per_byte_ns * 65_536 == pytest.approx(88_000_000, rel=0.01)
    # Not of messages inside a host, which hold their senders for a copy.
    assert costs.links["shm"].eager_bytes == np.inf
    # A sender that keeps a copy is not held.
    assert fit(source_of(where_senders_are_held(100_000).table))[0].links["lan"].eager_bytes == np.inf


def test_where_the_replay_is_far_off_a_long_message_may_take_its_own_time_after_the_answer() -> None:
    """Regression: Bcasts of 256 KiB and of 1 MiB in a row, over links of 5 to 20 MB/s, were replayed in 300 ms for 180
    and in 4 ms for 213."""
    found = [costs[0] for costs in fits(source_of(where_senders_are_held(43_000_000).table))]
    link = found[-1].links["lan"]
    assert (link.announcement_ns, link.answer_ns) == (21_500_000, 21_500_000)
    assert link.announced_ns == pytest.approx(45_000_000, rel=0.01)
    assert len(found) == 3 and all(costs.links["lan"].answer_ns is None for costs in found[:2])


def test_answers_are_given_up_where_the_replay_is_far_off_with_them() -> None:
    # Held for 600 ms by something else than answers, a message of 88 ms would take three times 300.
    trace = where_senders_are_held(600_000_000)
    answered, plain = (costs[0].links["lan"] for costs in fits(source_of(trace.table)))
    assert (answered.latency_ns, plain.latency_ns) == (300_000_000, 88_000_000)
    basis = basis_of(trace.table)
    assert basis.fitted[0].links["lan"].latency_ns == 88_000_000 and basis.error < 0.01
