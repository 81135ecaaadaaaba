"""Recognising algorithms: the messages of known patterns, each sent in a simulation as soon as possible, give their
names."""

from __future__ import annotations

import json
import random
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.algorithms import blocking_form, candidates, engine, exchanges, recognition
from hopscope.algorithms.messages import Pattern
from hopscope.algorithms.observed import Observed, RecordedMessage
from hopscope.algorithms.recognition import UNRECOGNISED, recognise
from hopscope.algorithms.trees import NamedTree, blocks_along, pass_down, pass_up, trees
from hopscope.native import _plan
from hypothesis import given, settings
from hypothesis import strategies as st

RANKS = [2, 3, 4, 6, 8, 13]
OPERATIONS = {operation.name: operation for operation in _plan.operations()}
_BETWEEN_RANKS = [row for row in _plan.algorithms() if not row.by_tree and not row.in_groups]
SERVED = [(row.name, op) for row in _BETWEEN_RANKS for op in row.operations]
SHAPES = [shape for shape in _plan.shapes() if shape.is_simple and not shape.same_as]

# Names of the engine that are synonyms of a pattern's name.
OTHER_WORDS = {"pipeline": "chain", "flat": "linear", "binomial-mpich": "binomial", "binomial-lam": "binomial"}

WHOLE = 520 * 4
BLOCK = 12


def observed(pattern: Pattern, operation: str, ranks: int, root: int | None, payload: int) -> Observed:
    """The messages of a pattern. A rank sends each as soon as it has the data, and the messages of one level one after
    another."""
    turn = len(pattern.messages)
    messages = [
        RecordedMessage(message.src, message.dst, message.bytes, turn * level + nth, turn * (level + 1))
        for nth, (message, level) in enumerate(zip(pattern.messages, pattern.levels, strict=True))
    ]
    alike = (0,) * ranks
    return Observed(operation, ranks, root, payload, messages, alike, alike)


def names(collective: Observed) -> tuple[str, ...]:
    """The recognised name and its equivalents."""
    recognised = recognise([collective])
    return (recognised.name, *recognised.equivalents)


def payload_of(operation: str, ranks: int) -> int:
    if operation == "MPI_Barrier":
        return 0
    whole = operation in ("MPI_Allreduce", "MPI_Reduce", "MPI_Bcast", "MPI_Scan", "MPI_Exscan")
    return WHOLE if whole else BLOCK * ranks


def lengths_of(operation: str) -> tuple[int, ...]:
    if operation == "MPI_Barrier":
        return ()
    return (WHOLE // 4,) if payload_of(operation, 2) == WHOLE else (BLOCK // 4,)


def root_of(operation: str, ranks: int) -> int | None:
    return ranks - 1 if OPERATIONS[operation].has_root else None


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize(("algorithm", "operation"), SERVED)
def test_the_engines_algorithms_are_recognised(algorithm: str, operation: str, ranks: int) -> None:
    root = root_of(operation, ranks)
    pattern = engine.pattern(algorithm, operation, ranks, root, lengths=lengths_of(operation), unit=4, segment=0)
    assert pattern is not None
    renamed = algorithm == "dissemination" and operation != "MPI_Barrier"
    name = "bruck" if renamed else OTHER_WORDS.get(algorithm, algorithm)
    recognised = names(observed(pattern, operation, ranks, root, payload_of(operation, ranks)))
    if ranks > 4:
        assert recognised == (name,)
    else:
        assert name in recognised


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("segments", [1, 5])
@pytest.mark.parametrize("shape", [shape.name for shape in SHAPES])
def test_trees_are_recognised_whole_and_in_segments(shape: str, segments: int, ranks: int) -> None:
    for operation, roles in {"MPI_Bcast": "down", "MPI_Reduce": "up", "MPI_Allreduce": "both"}.items():
        collective, tree = along_tree(shape, operation, ranks, segments)
        recognised = recognise([collective])
        assert (
            any(name.partition(":")[0] == tree for name in (recognised.name, *recognised.equivalents)) or ranks < 5
        ), roles
        assert recognised.name != UNRECOGNISED
        if ranks == 13:
            assert recognised.name.partition(":")[0] == tree
            assert recognised.candidate is not None
            assert recognised.candidate.segment_bytes == (WHOLE // 4 // segments * 4 if segments > 1 else None)


def along_tree(shape: str, operation: str, ranks: int, segments: int) -> tuple[Observed, str]:
    """A collective by the engine's schedules for a tree, and the name of the tree's shape."""
    wide = next(row.counts for row in SHAPES if row.name == shape)
    tree: dict[str, Any] = {"shape": shape, **({"fan_out": 3} if wide else {})}
    rule = {"operations": [operation], "reduce_tree": "t", "broadcast_tree": "t"}
    rule |= {"segment_bytes": WHOLE // 4 // segments * 4} if segments > 1 else {}
    file = _plan.TreeFile(json.dumps({"schema_version": 1, "trees": {"t": tree}, "rules": [rule]}).encode())
    root, hosts = root_of(operation, ranks), [0] * ranks
    pattern = engine.of_schedules(file.schedules(0, operation, hosts, hosts, [WHOLE // 4], root, 4), 4)
    name = {"kary": "k-ary", "k-chain": "chain"}.get(shape, OTHER_WORDS.get(shape, shape))
    return observed(pattern, operation, ranks, root, WHOLE), name


@pytest.mark.parametrize("ranks", [5, 6, 8, 13])
def test_what_the_engine_lacks_is_recognised(ranks: int) -> None:
    units, root = 515, ranks - 2
    whole = {
        ("MPI_Allreduce", "ring"): exchanges.ring_allreduce(ranks, units, 4),
        ("MPI_Allreduce", "segmented-ring"): exchanges.ring_allreduce(ranks, units, 4, 4),
        ("MPI_Allreduce", "rabenseifner"): exchanges.rabenseifner_allreduce(ranks, units, 4),
        ("MPI_Reduce", "rabenseifner"): exchanges.rabenseifner_reduce(ranks, units, 4, root),
        ("MPI_Bcast", "scatter-ring"): exchanges.scatter_ring(ranks, units, 4, root),
        ("MPI_Bcast", "scatter-doubling"): exchanges.scatter_doubling(ranks, units, 4, root),
    }
    blocks = {
        ("MPI_Alltoall", "pairwise"): exchanges.pairwise(ranks, BLOCK),
        ("MPI_Gather", "linear-sync"): exchanges.linear_with_sync(ranks, BLOCK, 4, root),
        ("MPI_Reduce_scatter_block", "recursive-halving"): exchanges.halving_reduce_scatter(ranks, BLOCK),
        ("MPI_Reduce_scatter_block", "recursive-doubling"): exchanges.doubling_reduce_scatter(ranks, BLOCK),
        ("MPI_Reduce_scatter", "butterfly"): exchanges.butterfly_reduce_scatter(ranks, BLOCK, turned=False),
    }
    neighbours = exchanges.neighbor_exchange(ranks, BLOCK)
    if neighbours is not None:
        blocks["MPI_Allgather", "neighbor-exchange"] = neighbours
    recognised = {
        key: names(observed(pattern, key[0], ranks, root if OPERATIONS[key[0]].has_root else None, payload))
        for patterns, payload in ((whole, 4 * units), (blocks, BLOCK * ranks))
        for key, pattern in patterns.items()
    }
    assert recognised == {(operation, name): (name,) for operation, name in recognised}


def test_a_reduction_and_broadcast_is_recognised_from_any_root_by_the_rank_that_hears_all_before_it_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranks, roots = 13, []

    def recorded_trees(root: int, *arguments: Any, **options: Any) -> Iterator[NamedTree]:
        roots.append(root)
        return trees(root, *arguments, **options)

    monkeypatch.setattr(candidates, "trees", recorded_trees)
    monkeypatch.setattr(recognition, "_fitting", OrderedDict())
    alike = (0,) * ranks
    for root in range(ranks):
        tree = next(tree for tree in trees(root, alike, alike, down=False, degree=0) if tree.name == "binomial")
        collective = observed(
            pass_up(tree, [WHOLE]).concatenate(pass_down(tree, [WHOLE])), "MPI_Allreduce", ranks, None, WHOLE
        )
        roots.clear()
        assert names(collective)[0] == "binomial"
        # On a thousand ranks, all shapes with every root would take minutes.
        assert set(roots) == {root}


@pytest.mark.parametrize("ranks", [6, 13])
def test_two_parts_one_after_the_other_are_both_named(ranks: int) -> None:
    alike = (0,) * ranks
    up = next(tree for tree in trees(0, alike, alike, down=False, degree=0) if tree.name == "binomial")
    down = next(tree for tree in trees(0, alike, alike, down=True, degree=0) if tree.name == "linear")
    reduced = pass_up(up, [WHOLE]).concatenate(pass_down(down, [WHOLE]))
    assert names(observed(reduced, "MPI_Allreduce", ranks, None, WHOLE)) == ("binomial + linear",)
    gathered = blocks_along(up, BLOCK, pass_up).concatenate(pass_down(down, [BLOCK * ranks]))
    assert names(observed(gathered, "MPI_Allgather", ranks, None, BLOCK * ranks)) == ("binomial + linear",)


def test_a_hierarchy_is_recognised_by_the_hosts_of_its_ranks() -> None:
    hosts = (0, 1, 2, 3) * 3
    tree = next(t for t in trees(0, hosts, hosts, down=True, degree=0) if t.name == "hierarchical")
    collective = observed(pass_down(tree, [WHOLE]), "MPI_Bcast", 12, 0, WHOLE)
    placed = Observed("MPI_Bcast", 12, 0, WHOLE, collective.messages, hosts, (0,) * 12)
    assert recognise([placed]).name == "hierarchical"
    assert recognise([collective]).name == UNRECOGNISED


PLACES = {
    "sites of hosts": ((0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5), (0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3)),
    "dealt": ((0, 1, 2, 3) * 3, (0, 1, 0, 1) * 3),
    "hosts": ((0, 0, 1, 1, 2, 2, 2, 3), (0,) * 8),
}
"""Host and cluster of each rank."""


@pytest.mark.parametrize("exchange", _plan.BETWEEN)
@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("operation", [op for row in _plan.algorithms() if row.in_groups for op in row.operations])
def test_leaders_are_recognised_by_the_groups_of_their_ranks(operation: str, places: str, exchange: str) -> None:
    hosts, clusters = PLACES[places]
    ranks, root = len(hosts), 1 if OPERATIONS[operation].has_root else None
    groups = clusters if len(set(clusters)) > 1 else hosts
    leaders = engine.Groups("leaders", exchange, "flat", hosts, groups)
    pattern = engine.pattern(leaders, operation, ranks, root, lengths=lengths_of(operation), unit=4, segment=0)
    assert pattern is not None
    collective = observed(pattern, operation, ranks, root, payload_of(operation, ranks))
    placed = Observed(operation, ranks, root, collective.bytes, collective.messages, hosts, clusters)
    recognised = names(placed)
    # With a root the messages also fit a hierarchical tree; two leaders that exchange their sums may do so by any
    # algorithm.
    if not OPERATIONS[operation].has_root and places != "dealt":
        assert recognised == (leaders.name,)
    assert leaders.name in recognised or "hierarchical" in recognised


def known_patterns(ranks: int) -> list[Observed]:
    """One collective for each algorithm and tree shape of the engine."""
    patterns = [along_tree(shape.name, op, ranks, 1)[0] for shape in SHAPES for op in ("MPI_Bcast", "MPI_Reduce")]
    for algorithm, operation in SERVED:
        root = root_of(operation, ranks)
        pattern = engine.pattern(algorithm, operation, ranks, root, lengths=lengths_of(operation), unit=4, segment=0)
        assert pattern is not None
        patterns.append(observed(pattern, operation, ranks, root, payload_of(operation, ranks)))
    return patterns


KNOWN_PATTERNS = {ranks: known_patterns(ranks) for ranks in (5, 8)}


@settings(deadline=None)
@given(ranks=st.sampled_from([5, 8]), seed=st.integers(0, 1 << 32))
def test_a_known_pattern_with_one_edge_moved_is_unrecognised(ranks: int, seed: int) -> None:
    chance = random.Random(seed)
    collective = chance.choice(KNOWN_PATTERNS[ranks])
    messages = list(collective.messages)
    moved = chance.randrange(len(messages))
    message = messages[moved]
    bystanders = [rank for rank in range(ranks) if rank not in (message.src, message.dst)]
    # Towards a root, a rank with another parent makes another tree; a rank that sends twice makes no tree. So move
    # senders.
    to_root = collective.operation in ("MPI_Reduce", "MPI_Gather", "MPI_Gatherv")
    messages[moved] = message._replace(**{"src" if to_root else "dst": chance.choice(bystanders)})
    changed = Observed(
        collective.operation, ranks, collective.root, collective.bytes, messages, collective.hosts, collective.clusters
    )
    assert recognise([changed]).name == UNRECOGNISED


@settings(deadline=None)
@given(seed=st.integers(0, 1 << 32), operation=st.sampled_from(sorted(OPERATIONS)), ranks=st.integers(5, 9))
def test_random_messages_are_unrecognised(seed: int, operation: str, ranks: int) -> None:
    chance = random.Random(seed)
    messages: list[RecordedMessage] = []
    for nth in range(chance.randrange(ranks, 4 * ranks)):
        src, dst = chance.sample(range(ranks), 2)
        messages.append(RecordedMessage(src, dst, chance.choice((0, BLOCK, WHOLE)), 10 * nth, 10 * nth + 5))
    alike = (0,) * ranks
    collective = Observed(
        operation, ranks, root_of(operation, ranks), payload_of(operation, ranks), messages, alike, alike
    )
    assert recognise([collective]).name == UNRECOGNISED


# Messages in the order in which Open MPI 4.1 and MPICH 4.0 sent them. A number after a colon is the bytes of a
# barrier's message.
AS_SENT = {
    ("MPI_Bcast", 7, 3, "3>1 3>2 3>4 1>0 1>5 2>6"): "binomial",  # libnbc's Ibcast
    ("MPI_Barrier", 7, None, "3>1 6>2 5>1 4>0 2>0 1>0 0>1 0>2 0>4 2>6 1>3 1>5"): "binomial",  # coll/basic
    ("MPI_Bcast", 6, 3, "3>0 0>4 0>2 0>1 4>5 2>3"): "binomial",  # MPICH sends through its host's first rank
    (
        *("MPI_Barrier", 5, None),
        "0>1 1>2 2>3 3>4 4>0 0>2 1>3 2>4 3>0 4>1 0>4 1>0 2>1 3>2 4>3 0>4:1 0>2:1 0>1:1 2>3:1",
    ): "dissemination + binomial",
    ("MPI_Reduce", 3, 0, "1>0 0>2:1040 2>0:1040 2>0:1040"): "rabenseifner",  # MPICH, ranks not 2^k
    ("MPI_Reduce", 3, 1, "1>0 0>2:1040 2>0:1040 2>0:1040 0>1"): "rabenseifner",  # MPICH on one host
    ("MPI_Scan", 4, None, "1>0 0>1 2>3 3>2 0>2 2>0 1>3 3>1 3>0 0>2:4 0>1:4 2>3:4"): "recursive-doubling",  # MPICH, too
}


@pytest.mark.parametrize(("operation", "ranks", "root", "edges"), AS_SENT)
def test_forms_of_other_parts_of_the_libraries_have_their_names(
    operation: str, ranks: int, root: int | None, edges: str
) -> None:
    payload = payload_of(operation, ranks)
    messages: list[RecordedMessage] = []
    for nth, edge in enumerate(edges.split()):
        ends, _, length = edge.partition(":")
        src, dst = (int(rank) for rank in ends.split(">"))
        messages.append(RecordedMessage(src, dst, int(length) if length else payload, 10 * nth, 10 * nth + 5))
    alike = (0,) * ranks
    collective = Observed(operation, ranks, root, payload, messages, alike, alike)
    assert names(collective)[0] == AS_SENT[operation, ranks, root, edges]


@pytest.mark.parametrize("ranks", [3, 5, 6, 7, 13])
def test_mpichs_rabenseifner_gives_whole_vectors_away_first(ranks: int) -> None:
    pattern = exchanges.rabenseifner_allreduce(ranks, WHOLE // 4, 4, whole=True)
    extra = ranks - (1 << ranks.bit_length() - 1)
    assert [message.bytes for message in pattern.messages[:extra]] == [WHOLE] * extra
    assert names(observed(pattern, "MPI_Allreduce", ranks, None, WHOLE))[0] == "rabenseifner"


def test_a_rank_that_passes_on_what_it_has_not_yet_received_fits_no_tree() -> None:
    collective, _ = along_tree("binomial-mpich", "MPI_Bcast", 8, 1)
    assert recognise([collective]).name == "binomial"
    messages = [message._replace(sent_ns=0, received_ns=5) for message in collective.messages]
    premature = Observed("MPI_Bcast", 8, collective.root, WHOLE, messages, collective.hosts, collective.clusters)
    assert recognise([premature]).name == UNRECOGNISED
    # One such collective among several suffices.
    assert recognise([collective, premature]).name == UNRECOGNISED


def test_collectives_with_the_same_messages_in_another_order_are_each_recognised() -> None:
    # Leaders 0 and 2 exchange; or 2 sends to 0 first, and all ranks get the result from 0. Regression: the roles of the
    # first collective were reused for the second, which has another root.
    places = (0, 0, 1, 1)

    def collective(*sent: tuple[int, int, int, int]) -> Observed:
        messages = [RecordedMessage(src, dst, 8, begin, end) for src, dst, begin, end in sent]
        return Observed("MPI_Allreduce", 4, None, 8, messages, places, places)

    inner_hops = ((1, 0, 0, 1), (3, 2, 0, 1), (0, 1, 30, 31), (2, 3, 30, 31))
    assert recognise([collective(*inner_hops, (0, 2, 2, 20), (2, 0, 2, 20))]).name == "leaders:all-to-all"
    assert recognise([collective(*inner_hops, (2, 0, 2, 12), (0, 2, 13, 20))]).name == "binomial"


def test_every_form_of_a_function_has_its_blocking_form() -> None:
    assert {blocking_form(f"MPI_{name}") for name in ("Iallreduce", "Allreduce_init", "Allreduce_init_c")} == {
        "MPI_Allreduce"
    }
    assert blocking_form("MPI_Ireduce_scatter_block_c") == "MPI_Reduce_scatter_block"


RANKS_DRAWN = """
rank host cluster
0    a    A
1    b    B
2    c    A
3    d    B
"""
COMMS = """
comm name  size members
0    world 4    0,1,2,3
"""
# Two broadcasts of each kind along the chain 0 1 2 3. In the second kind the first broadcast sends a message that its
# sender does not have yet. Then ranks 1 to 3 each send to rank 0.
COLLECTIVES = """
collective_id comm seq op          root bytes comm_size first_enter_ns
0             0    0   MPI_Bcast   0    8     4         0
1             0    1   MPI_Bcast   0    8     4         100
2             0    2   MPI_Bcast_c 0    16    4         200
3             0    3   MPI_Bcast_c 0    16    4         300
4             0    4   MPI_Reduce  0    8     4         400
"""
HOPS = """
collective_id role    src dst bytes link send_begin_ns recv_end_ns source
0             -        0   1   8     wan  0             10          native
0             -        1   2   8     wan  10            20          native
0             -        2   3   8     wan  20            30          native
1             -        0   1   8     wan  100           110         native
1             -        1   2   8     wan  110           120         native
1             -        2   3   8     wan  120           130         native
2             -        0   1   16    wan  200           210         native
2             -        1   2   16    wan  201           220         native
2             -        2   3   16    wan  220           230         native
3             -        0   1   16    wan  300           310         native
3             -        1   2   16    wan  310           320         native
3             -        2   3   16    wan  320           330         native
4             -        1   0   8     wan  410           420         native
4             -        2   0   8     lan  405           415         native
4             -        3   0   8     wan  400           425         native
"""


def test_collectives_that_are_alike_are_counted_and_their_crossings_in_sequence_named(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "d", ranks=RANKS_DRAWN, comms=COMMS, collectives=COLLECTIVES, hops=HOPS))
    columns = ("op", "bytes", "algorithm", "collectives", "depth", "messages", "wan_messages", "crossings", "first")
    assert cells(trace.algorithms(), *columns) == expected("""
        op,          bytes, algorithm,    collectives, depth, messages, wan_messages, crossings, first
        MPI_Bcast,   8,     chain,        2,           3,     3,        3,            3,         0:0
        MPI_Bcast_c, 16,    unrecognised, 2,           ,      3,        3,            ,          0:2
        MPI_Reduce,  8,     linear,       1,           1,     3,        2,            1,         0:4""")
    assert cells(trace.algorithms(comm=0, seq=1), "algorithm", "collectives") == expected("""
        algorithm, collectives
        chain,     1""")


def test_crossings_are_known_only_where_every_collective_of_several_clusters_is_recognised(tmp_path: Path) -> None:
    collectives = "collective_id comm seq op root bytes comm_size native_reason"
    hops = "collective_id src dst bytes link send_begin_ns recv_end_ns source"
    local_hop = "0 2 0 8 lan 405 415 native"
    linear = f"0 1 0 8 wan 410 420 native\n{local_hop}\n0 3 0 8 wan 400 425 native"

    def crossings(name: str, messages: str, *collective_rows: str) -> list[int | None]:
        tables = {"collectives": "\n".join([collectives, *collective_rows]), "hops": f"{hops}\n{messages}"}
        trace = hopscope.open(draw(tmp_path / name, ranks=RANKS_DRAWN, comms=COMMS, **tables))
        rows = trace.sql("select crossings from kind_crossings order by kind nulls last")
        return rows["crossings"].to_pylist()

    reduce = "0 0 0 MPI_Reduce 0 8 4 -"
    assert crossings("linear", linear, reduce) == [1]
    # Hopscope knows no Barrier in which nothing is sent back.
    assert crossings("unrecognised", linear, "0 0 0 MPI_Barrier - 8 4 -") == [None]
    # The trace has no message of a second collective.
    assert crossings("unseen", linear, reduce, "1 0 1 MPI_Barrier - 8 4 -") == [1, None]
    # If messages are missing, the seen one does not count as all messages, even if it stays within a cluster.
    assert crossings("silent", local_hop, "0 0 0 MPI_Barrier - 8 4 silent") == [None]


def test_a_message_of_the_whole_payload_is_of_one_kind_whatever_the_payload(tmp_path: Path) -> None:
    # Regression: ten thousand sizes made ten thousand kinds, each recognised anew. The bytes of gathered blocks depend
    # on the payload.
    collectives, hops = ["collective_id comm seq op root bytes comm_size"], ["collective_id src dst bytes source"]
    for number in range(6):
        op, payload = ("MPI_Bcast", 8 << number) if number < 4 else ("MPI_Gather", 16 * number)
        collectives.append(f"{number} 0 {number} {op} 0 {payload} 4")
        for rank in (1, 2, 3):
            src, dst, size = (0, rank, payload) if number < 4 else (rank, 0, payload // 4)
            hops.append(f"{number} {src} {dst} {size} native")
    trace = hopscope.open(
        draw(tmp_path / "d", ranks=RANKS_DRAWN, comms=COMMS, collectives="\n".join(collectives), hops="\n".join(hops))
    )
    assert trace.table("collectives")["kind"].to_pylist() == [0, 0, 0, 0, 1, 2]
    assert cells(trace.table("kinds"), "kind", "op", "bytes", "algorithm", "message_bytes") == expected("""
        kind, op,         bytes, algorithm, message_bytes
        0,    MPI_Bcast,  ,      linear,
        1,    MPI_Gather, 64,    linear,    48
        2,    MPI_Gather, 80,    linear,    60""")
    rows = trace.algorithms().to_pylist()
    assert [(row["bytes"], row["message_bytes"], row["collectives"]) for row in rows if row["op"] == "MPI_Bcast"] == [
        (8, 24, 1), (16, 48, 1), (32, 96, 1), (64, 192, 1)
    ]  # fmt: skip


def test_a_name_counts_if_all_ranks_that_know_one_agree(tmp_path: Path) -> None:
    calls = """
call_id collective_id rank algorithm
0       0             0    pipeline
1       0             1    pipeline
2       1             0    binomial
3       2             0    pipeline
4       2             1    -
5       3             0    pipeline
6       3             1    chain
"""
    trace = hopscope.open(
        draw(tmp_path / "d", ranks=RANKS_DRAWN, comms=COMMS, collectives=COLLECTIVES, hops=HOPS, calls=calls)
    )
    assert cells(trace.algorithms(), "op", "bytes", "algorithm", "captured", "differs", "collectives") == expected("""
        op,          bytes, algorithm, captured, differs,  collectives
        MPI_Bcast,   8,     chain,     pipeline, ,         1
        MPI_Bcast,   8,     chain,     binomial, binomial, 1
        MPI_Bcast_c, 16,    chain,     pipeline, ,         1
        MPI_Bcast_c, 16,    chain,     ,         ,         1
        MPI_Reduce,  8,     linear,    ,         ,         1""")


def test_settings_are_compared_with_what_ran_except_between_two_groups(tmp_path: Path) -> None:
    # The settings asked for a chain, which ran, and for a binomial Reduce, in which each rank sent to the root instead.
    # A Bcast between ranks 0, 1 and ranks 2, 3 does not use coll/tuned.
    variables = {
        "coll_tuned_use_dynamic_rules": "1",
        "coll_tuned_bcast_algorithm": "3",
        "coll_tuned_reduce_algorithm": "5",
    }
    rows = [{"name": name, "asked": value, "value": value, "text": None} for name, value in variables.items()]
    run = f"run settings\ndrawn {json.dumps(rows, separators=(',', ':'))}"
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            run=run,
            ranks=RANKS_DRAWN,
            comms="comm name size members second_group\n0 world 4 0,1,2,3 -\n1 between 4 0,1,2,3 2",
            collectives=COLLECTIVES + "5 1 0 MPI_Bcast 0 32 4 500\n",
            hops=HOPS + "5 - 0 2 32 wan 500 510 native\n5 - 0 3 32 wan 500 511 native\n",
        )
    )
    assert cells(trace.algorithms(), "op", "bytes", "asked", "obeyed", "since_ns") == expected("""
        op,          bytes, asked,        obeyed,    since_ns
        MPI_Bcast,   8,     pipeline (3), yes,
        MPI_Bcast,   32,    ,             ,
        MPI_Bcast_c, 16,    pipeline (3), undecided,
        MPI_Reduce,  8,     binomial (5), no,        400""")
