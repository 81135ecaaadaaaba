"""The replay of sequences of collectives: cases worked out by hand, and a slow replay with which it must agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hopscope.machine.published import LogGP
from hopscope.machine.routes import NO_SERVER, Link, Server, Work, interfaces, machine, published
from hopscope.native import _plan, _replay
from hopscope.native.sequences import duration_ns, lay, leaves, sequence
from slow_replay import SlowReplay

OVER_TREE = {"reduce_tree": "t", "broadcast_tree": "t"}
LATENCY, OVERHEAD, GAP, PER_BYTE = 1000.0, 10.0, 50.0, 2.0
SERVED = [
    pytest.param(row.name, operation, row.by_tree, marks=[] if place == 0 else pytest.mark.statistics)
    for row in _plan.algorithms()
    for place, operation in enumerate(row.operations)
]
"""Every algorithm with its first operation; a slice has its other operations."""
OPERATIONS = {operation.name: operation for operation in _plan.operations()}


def tree_schedules(shape: str, operation: str, size: int, hosts: Any, root: int = 0) -> _plan.Schedules:
    """The schedules over a tree with a shape."""
    root_if_any = root if OPERATIONS[operation].has_root else None
    return lay(OVER_TREE, operation, [size], hosts, root=root_if_any, trees={"t": {"shape": shape}})


def slow_link(hosts: int, **work: float) -> dict[str, Any]:
    """A machine: interfaces take 2 ns per byte and rest for 50, hosts are 1000 ns apart, each message costs its ranks
    10 ns."""
    outgoing, incoming = interfaces(hosts)
    link = np.zeros((hosts, hosts), np.int32)
    links = [Link(LATENCY, send_ns=OVERHEAD, receive_ns=OVERHEAD)]
    servers = [Server(0.0, PER_BYTE, GAP)] * (2 * hosts)
    return machine(link, links, send_servers=[outgoing], receive_servers=[incoming], servers=servers, work=Work(**work))


def test_one_message_takes_overheads_latency_and_bytes() -> None:
    # Sent at 10; the 100 bytes leave until 210; the last one arrives at 1210 and is received at 1220.
    assert leaves([tree_schedules("flat", "MPI_Bcast", 100, [0, 1])], [0, 1], slow_link(2)).tolist() == [[10, 1220]]


def test_a_root_that_broadcasts_twice_waits_for_its_interface() -> None:
    # Two children: messages leave at 10 and, after 200 + 50, at 260. The root is done at 20 and calls again at once.
    # Its next messages leave at 510 and 760 instead of 30 and 40. Each arrives 1200 later and takes another 10.
    twice = leaves([tree_schedules("flat", "MPI_Bcast", 100, range(3))], range(3), slow_link(3), [0, 0])
    assert twice.tolist() == [[20, 1220, 1470], [40, 1720, 1970]]


def test_many_broadcasts_take_what_the_interface_takes() -> None:
    # 100 broadcasts of two messages, of 250 each. The last message needs no rest after it.
    last = leaves([tree_schedules("flat", "MPI_Bcast", 100, range(3))], range(3), slow_link(3), [0] * 100).max()
    assert last == 10 + 200 * 250 - GAP + LATENCY + 10


def test_a_second_broadcast_queues_behind_the_first_on_a_shared_link() -> None:
    # Ranks 0 and 1 are at one site, 2 and 3 at the other. The first broadcast goes over the chain 0 1 2 3, in which 1
    # sends to 2. The second one goes from rank 1 over the chain 1 2 3 0. All messages between the sites cross one link
    # of 100 ns per byte; a message has 10 bytes and takes 1000 ns. Latencies are 0.
    cluster = np.asarray([0, 0, 1, 1])
    crosses = cluster[:, None] < cluster[None, :]
    link = np.zeros((4, 4), np.int32)
    shared = np.where(crosses, 0, NO_SERVER)
    m = machine(link, [Link()], send_servers=[shared], servers=[Server(0.0, 100.0)], cut_through=False)
    flat = [tree_schedules("flat", "MPI_Bcast", 10, range(4), root) for root in (0, 1)]
    # First broadcast: 0 sends to 1, 2 and 3 at 0; they have the message at 0, 1000 and 2000. Rank 1 leaves at 0 and
    # calls again. Its messages wait until 2000 and arrive at 3000 and 4000; rank 0 has its own at 0.
    assert leaves(flat, range(4), m, [0, 1]).tolist() == [[0, 0, 1000, 2000], [0, 0, 3000, 4000]]


def test_a_rank_is_busy_with_one_message_after_the_other() -> None:
    # Three messages reach the root together, at 10 + 1000. Without interfaces, it takes 10 to receive each and 5 to
    # combine.
    links = [Link(LATENCY, send_ns=OVERHEAD, receive_ns=OVERHEAD)]
    m = machine(np.zeros((4, 4), np.int32), links, work=Work(combine_ns=5))
    done = leaves([tree_schedules("flat", "MPI_Reduce", 8, range(4))], range(4), m)
    assert done.tolist() == [[1010 + 3 * 15, 10, 10, 10]]


def test_a_message_that_comes_before_the_call_is_taken_in_when_the_rank_enters() -> None:
    # The message arrives at 1210. The receiver computes until 5000, enters within 7, receives it and leaves within 3.
    m = slow_link(2, enter_ns=7, leave_ns=3)
    assert leaves(
        [tree_schedules("flat", "MPI_Bcast", 100, [0, 1])], [0, 1], m, gaps_ns=np.asarray([[0], [5000]])
    ).tolist() == [[7 + 10 + 3, 5000 + 7 + 10 + 3]]


def test_a_message_that_is_announced_goes_when_its_receive_is_posted() -> None:
    # The RTS arrives at 10 + 1000. The receive was posted at 0, so the CTS is back at 2010. The bytes leave until 2210
    # and arrive at 3210.
    outgoing, incoming = interfaces(2)
    links = [Link(LATENCY, send_ns=OVERHEAD, receive_ns=OVERHEAD, eager_bytes=99)]
    m = machine(
        np.zeros((2, 2), np.int32),
        links,
        send_servers=[outgoing],
        receive_servers=[incoming],
        servers=[Server(0.0, PER_BYTE, GAP)] * 4,
    )
    flat = tree_schedules("flat", "MPI_Bcast", 100, [0, 1])
    assert leaves([flat], [0, 1], m).tolist() == [[2210, 3220]]
    # The receive is posted at 5000, so the CTS is back at 6000.
    assert leaves([flat], [0, 1], m, gaps_ns=np.asarray([[0], [5000]])).tolist() == [[6200, 7210]]
    # The RTS and the CTS may take other times than the message.
    rendezvous_links = [
        replace(links[0], announcement_ns=500.0, answer_ns=300.0, announced_ns=1300.0, announced_per_byte_ns=1.0)
    ]
    m = machine(
        np.zeros((2, 2), np.int32),
        rendezvous_links,
        send_servers=[outgoing],
        receive_servers=[incoming],
        servers=[Server(0.0, PER_BYTE, GAP)] * 4,
    )
    assert leaves([flat], [0, 1], m).tolist() == [[10 + 800 + 200, 10 + 800 + 200 + 1400 + 10]]
    # A shorter message does not go by rendezvous.
    assert leaves([tree_schedules("flat", "MPI_Bcast", 99, [0, 1])], [0, 1], m).tolist() == [[10, 10 + 198 + 1000 + 10]]


def test_ranks_of_one_host_share_its_interface() -> None:
    # Ranks 0 and 1 on host 0 both send 100 bytes to the root on host 1 at 10. One message leaves from 10 to 210, and
    # the interface rests until 260. The other one leaves until 460 and arrives at 1460.
    chain = tree_schedules("flat", "MPI_Reduce", 100, [0, 0, 1], root=2)
    assert leaves([chain], [0, 0, 1], slow_link(2)).tolist() == [[10, 10, 1470]]


def test_an_emulated_link_holds_the_sender_of_a_long_message_and_not_the_message() -> None:
    # Regression: roots ran ahead of their broadcasts without end, so a tree whose links carry three copies of each
    # message was predicted to take 29 ms instead of 87. The receiver computes for 5000 before the first call and 10
    # before the second. The root sends at 0 and is blocked until 5000. The message arrives at 1000, and is received
    # when the receiver enters.
    link = np.zeros((2, 2), np.int32)
    m = machine(link, [Link(LATENCY, eager_bytes=64)], emulates=True)
    gaps = np.asarray([[0, 0], [5000, 10]])
    twice = leaves([tree_schedules("flat", "MPI_Bcast", 100, [0, 1])], [0, 1], m, [0, 0], gaps)
    # The second message is sent at 5000, posted at 5010, and arrives at 6000.
    assert twice.tolist() == [[5000, 5000], [5010, 6000]]
    short = leaves([tree_schedules("flat", "MPI_Bcast", 64, [0, 1])], [0, 1], m, [0, 0], gaps)
    assert short.tolist() == [[0, 5000], [0, 5010]]


def test_an_emulated_interface_takes_a_message_in_when_its_receive_is_posted() -> None:
    # Regression: messages that came before their receives were posted passed the interface before later ones, so mixes
    # of operations were predicted to take 65 ms instead of 68. The interface takes 200. Rank 1 enters at 4000; its
    # message arrives at 5000 and is received at 5200. The root leaves, enters again, and only then receives the
    # messages of 1000 and 5000.
    incoming = interfaces(3)[1]
    far = {"receive_servers": [incoming], "servers": [Server(0.0, PER_BYTE)] * 6}
    gaps = np.asarray([[0, 0], [4000, 0], [0, 0]])
    reduce = tree_schedules("flat", "MPI_Reduce", 100, [0, 1, 2], root=2)
    for emulates, end in ((True, 5600), (False, 5400)):
        m = machine(np.zeros((3, 3), np.int32), [Link(LATENCY)], emulates=emulates, **far)
        assert leaves([reduce], range(3), m, [0, 0], gaps)[:, 2].tolist() == [5200, end]


def test_emulated_senders_take_their_turn_at_a_shared_link_when_they_send() -> None:
    # Host 0's interface passes 100 bytes by 200, and the link that it shares with host 1 takes another 100 for them.
    # Rank 1 sends at 10, without an interface before the link, and waits there until 300 although the link is free
    # until 200.
    interface, link = np.full((3, 3), NO_SERVER), np.full((3, 3), NO_SERVER)
    interface[0, 2], link[:2, 2] = 0, 1
    servers, gaps = [Server(0.0, PER_BYTE), Server(0.0, 1.0)], np.asarray([[0], [10], [0]])
    reduce = tree_schedules("flat", "MPI_Reduce", 100, [0, 1, 2], root=2)
    for emulates, end in ((True, 1400), (False, 1300)):
        ways = {"send_servers": [interface, link], "servers": servers, "cut_through": False}
        m = machine(np.zeros((3, 3), np.int32), [Link(LATENCY)], emulates=emulates, **ways)
        assert leaves([reduce], range(3), m, gaps_ns=gaps)[0, 2] == end


def test_computing_gaps_delay_what_follows_them() -> None:
    # An empty message takes 10 + 1000 + 10. The root calls again at 110, 100 after its leave.
    gaps = np.asarray([[0, 100], [0, 0]])
    done = leaves([tree_schedules("flat", "MPI_Bcast", 0, [0, 1])], [0, 1], slow_link(2), [0, 0], gaps)
    assert done.tolist() == [[10, 1020], [120, 1130]]


def rule_of(algorithm: str, by_tree: bool) -> dict[str, Any]:
    return OVER_TREE if by_tree else {"algorithm": algorithm}


@pytest.mark.parametrize(("algorithm", "operation", "by_tree"), SERVED)
def test_the_slow_replay_agrees_on_every_algorithm(algorithm: str, operation: str, by_tree: bool) -> None:
    random = np.random.default_rng(len(algorithm) + len(operation))
    for hosts in (list(range(7)), [0, 0, 1, 1, 2, 2, 2], [0, 1, 2, 0, 1, 2, 0, 3]):
        ranks, count = len(hosts), max(hosts) + 1
        lengths = [] if operation == "MPI_Barrier" else [1000]
        root = 2 if OPERATIONS[operation].has_root else None
        trees = {"t": {"shape": "binomial"}} if by_tree else None
        schedule = lay(rule_of(algorithm, by_tree), operation, lengths, hosts, root=root, trees=trees)
        gaps = random.uniform(0, 3000, (ranks, 6)).round()
        for cut_through, emulates, eager in (
            (False, False, (400, np.inf)),
            (True, False, (400, np.inf)),
            (True, True, (400, np.inf)),
            (False, False, (np.inf,)),  # on hosts with one rank, messages arrive in the order of their last server
            (True, False, (np.inf,)),
        ):
            m = {**random_machine(count, random, cut_through, eager), "emulates": emulates}
            fast = leaves([schedule], hosts, m, [0] * 6, gaps)
            slow = SlowReplay([schedule], hosts, m, [0] * 6, gaps).run()
            assert fast == pytest.approx(slow, rel=1e-12)


def random_machine(
    hosts: int, random: Any, cut_through: bool, eager: tuple[float, ...] = (400, np.inf)
) -> dict[str, Any]:
    """A machine in which every pair of hosts has its own link. It has interfaces, and one slow link for all messages
    that host 0 does not send."""
    outgoing, incoming = interfaces(hosts)
    shared = np.full((hosts, hosts), 2 * hosts)
    shared[0, :] = shared[np.eye(hosts, dtype=bool)] = NO_SERVER
    times = [2000, 3, 20, 0.1, 30, 0.1]
    rendezvous_costs = np.random.default_rng(7 * hosts).uniform(0, 1, (hosts * hosts, 4)) * [900, 900, 2500, 2]
    links = [Link(*random.uniform(0, 1, 6) * times, random.choice(eager), *costs) for costs in rendezvous_costs]
    servers = [Server(*random.uniform(0, 1, 3) * [40, 2, 50]) for _ in range(2 * hosts + 1)]
    work = Work(*random.uniform(0, 1, 6) * [5, 5, 20, 0.5, 20, 0.5])
    link = np.arange(hosts * hosts).reshape(hosts, hosts)
    return machine(
        link,
        links,
        send_servers=[outgoing, shared],
        receive_servers=[incoming],
        servers=servers,
        work=work,
        cut_through=cut_through,
    )


def test_collectives_of_several_kinds_follow_one_another() -> None:
    hosts, random = [0, 0, 1, 1, 2, 3], np.random.default_rng(3)
    schedules = [
        tree_schedules("binomial", "MPI_Allreduce", 64, hosts),
        lay({"algorithm": "pipeline", "segment_bytes": 100}, "MPI_Bcast", [1000], hosts, root=5),
        lay({"algorithm": "pairwise"}, "MPI_Alltoall", [300], hosts),
        lay({"algorithm": "dissemination"}, "MPI_Barrier", [], hosts),
    ]
    schedule_numbers, gaps = random.integers(0, 4, 30), random.uniform(0, 2000, (6, 30)).round()
    m = random_machine(4, random, True)
    slow = SlowReplay(schedules, hosts, m, schedule_numbers, gaps).run()
    assert leaves(schedules, hosts, m, schedule_numbers, gaps) == pytest.approx(slow, rel=1e-12)


def test_a_chain_of_segments_takes_one_gap_for_each_more() -> None:
    # 64 kB in 8 segments over 5 ranks: the first segment passes 4 hops, and the others follow at the interface's rate.
    p = LogGP(30_400, 8_150, 8_683, 15)
    schedule = lay({"algorithm": "pipeline", "segment_bytes": 8000}, "MPI_Bcast", [64_000], range(5), root=0)
    segment = 7999 * 15
    assert duration_ns(schedule, published(p, 5, 8000)) == 4 * (30_400 + 2 * 8_150 + segment) + 7 * (8_683 + segment)


def test_a_machine_without_a_latency_of_its_own_is_replayed() -> None:
    """Regression: if overheads take all of a message's time, L is 0, and `analyze formulas` ended in a traceback."""
    p = LogGP(0, 8_150, 8_683, 15)
    schedule = tree_schedules("flat", "MPI_Bcast", 1000, [0, 1])
    assert duration_ns(schedule, published(p, 2, 1000)) == pytest.approx(2 * 8_150 + 1000 * 15)


def two_ranks(**columns: Any) -> dict[str, Any]:
    return {**sequence([0, 1], [0], np.zeros((2, 1))), **columns}


def test_wrong_arrays_are_refused() -> None:
    schedule, m = tree_schedules("flat", "MPI_Bcast", 1, [0, 1]), slow_link(2)
    with pytest.raises(ValueError, match="another lane's place"):
        _replay.replay(two_ranks(slot=np.asarray([1, 0])), [schedule], m)
    with pytest.raises(ValueError, match="schedule: row 0 names 1"):
        _replay.replay(two_ranks(schedule=np.ones(1, np.int32)), [schedule], m)
    with pytest.raises(ValueError, match="not as many ranks"):
        _replay.replay(two_ranks(), [tree_schedules("flat", "MPI_Bcast", 1, range(3))], m)
    with pytest.raises(ValueError, match="negative"):
        _replay.replay(two_ranks(), [schedule], {**m, "latency_ns": np.asarray([-1.0])})
    with pytest.raises(ValueError, match="not a place on the pair's route"):
        _replay.replay(two_ranks(), [schedule], {**m, "far": m["far"] + 5})
    with pytest.raises(ValueError, match="one end only"):
        _replay.replay(two_ranks(), [{**schedule, "other_end": np.full_like(schedule["other_end"], -1)}], m)
    with pytest.raises(ValueError, match="waits for fewer than 0 steps"):
        _replay.replay(two_ranks(), [{**schedule, "unmet": np.full_like(schedule["unmet"], 1 << 30)}], m)
    with pytest.raises(ValueError, match="another rank's step"):
        _replay.replay(two_ranks(), [{**schedule, "ready": schedule["ready"][::-1].copy()}], m)
    with pytest.raises(TypeError, match="not a contiguous array"):
        _replay.replay(two_ranks(gap_ns=np.zeros(2)), [schedule], m)


def test_a_schedule_runs_only_where_it_is_at_home() -> None:
    schedule, m = tree_schedules("flat", "MPI_Bcast", 1, [0, 1]), slow_link(3)
    program = sequence([0, 1], [0, 0], np.zeros((2, 2)))
    # The second collective has its members in reverse order, on hosts 1 and 0.
    reversed_program = {
        **program,
        "member": np.asarray([0, 1, 1, 0], np.int32),
        "slot": np.asarray([0, 3, 1, 2]),
    }
    with pytest.raises(ValueError, match="collective 1 also runs a collective whose ranks are on other hosts"):
        _replay.replay(reversed_program, [schedule], m)
