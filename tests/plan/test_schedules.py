"""The schedules of all ranks at once: each step gets its inputs, and the result can be complete."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hopscope.native import _plan
from hopscope.vocabulary.mpi_functions import FUNCTIONS

OPERATIONS = {operation.name: operation for operation in _plan.operations()}
SERVED = [(algorithm.name, operation) for algorithm in _plan.algorithms() for operation in algorithm.operations]
FULL_EXCHANGES = {name for name in OPERATIONS if FUNCTIONS[name].flow == "all"}


def rule_of(algorithm: str, operation: str, **keys: Any) -> _plan.TreeFile:
    """A tree file with one rule. The algorithm `tree` is a ternary tree up and a binomial one down."""
    trees = {"up": {"shape": "kary", "fan_out": 3}, "down": {"shape": "binomial"}}
    choice = {"reduce_tree": "up", "broadcast_tree": "down"} if algorithm == "tree" else {"algorithm": algorithm}
    rule = {"operations": [operation], **choice, **keys}
    return _plan.TreeFile(json_bytes({"schema_version": 1, "trees": trees, "rules": [rule]}))


def json_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def schedules_of(algorithm: str, operation: str, ranks: int, length: int = 12, **keys: Any) -> _plan.Schedules:
    """The schedules of a call. If it has a root, this is the last rank."""
    root = ranks - 1 if OPERATIONS[operation].has_root else None
    lengths = [] if operation == "MPI_Barrier" else [length]
    places = [0] * ranks
    return rule_of(algorithm, operation, **keys).schedules(0, operation, places, places, lengths, root)


def origins(s: _plan.Schedules) -> list[int]:
    """Runs all schedules. Returns, for each step, the ranks (as bits) from whose steps it follows. Fails if a step
    cannot run."""
    ranks = len(s["first_step"]) - 1
    rank_of = np.repeat(np.arange(ranks), np.diff(s["first_step"]))
    origin_bits = [1 << int(rank) for rank in rank_of]
    unmet = s["unmet"] + (s["kind"] == _plan.RECEIVE)  # a receive also waits for its message
    ready = [int(row) for row in np.flatnonzero(unmet == 0)]
    done = 0
    while ready:
        row = ready.pop()
        done += 1
        successors = [int(next_row) for next_row in s["edge"][s["first_edge"][row] : s["first_edge"][row + 1]]]
        if s["kind"][row] == _plan.SEND:
            successors.append(int(s["other_end"][row]))
        for next_row in successors:
            origin_bits[next_row] |= origin_bits[row]
            unmet[next_row] -= 1
            if unmet[next_row] == 0:
                ready.append(next_row)
    assert done == len(origin_bits)
    return origin_bits


def sources_of(s: _plan.Schedules) -> list[set[int]]:
    """For each rank, the ranks from which data had reached it at its end."""
    origin_bits = origins(s)
    sources: list[set[int]] = []
    for rank in range(len(s["first_step"]) - 1):
        bits = 1 << rank
        for row in range(s["first_step"][rank], s["first_step"][rank + 1]):
            bits |= origin_bits[row]
        sources.append({source for source in range(64) if bits >> source & 1})
    return sources


@pytest.mark.parametrize("ranks", [2, 3, 8, 13])
@pytest.mark.parametrize(("algorithm", "operation"), SERVED)
def test_every_rank_hears_from_those_whose_data_it_needs(algorithm: str, operation: str, ranks: int) -> None:
    sources = sources_of(schedules_of(algorithm, operation, ranks))
    everyone, root = set(range(ranks)), ranks - 1
    for rank in range(ranks):
        if operation in FULL_EXCHANGES:
            needs = everyone
        elif operation in ("MPI_Scan", "MPI_Exscan"):
            needs = set(range(rank + 1))
        elif operation in ("MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"):
            needs = {root}
        else:
            needs = everyone if rank == root else set()
        assert needs <= sources[rank], (rank, sources[rank])


@pytest.mark.parametrize(("algorithm", "operation"), SERVED)
def test_columns_agree_with_one_another(algorithm: str, operation: str) -> None:
    s = schedules_of(algorithm, operation, 6)
    steps = len(s["kind"])
    assert s["first_step"][0] == 0 and s["first_step"][-1] == steps
    assert s["unmet"].tolist() == np.bincount(s["edge"], minlength=steps).tolist()
    assert sorted(s["ready"]) == np.flatnonzero(s["unmet"] == 0).tolist()
    rank_of = np.repeat(np.arange(6), np.diff(s["first_step"]))
    messages = np.isin(s["kind"], [_plan.SEND, _plan.RECEIVE])
    assert (s["other_end"] >= 0).tolist() == messages.tolist()
    partners = s["other_end"][messages]
    assert (s["other_end"][partners] == np.flatnonzero(messages)).all()
    assert (rank_of[partners] == s["peer"][messages]).all()
    assert (s["kind"][partners] + s["kind"][messages] == _plan.SEND + _plan.RECEIVE).all()
    for column in ("role", "round", "segment", "length"):
        assert (s[column][partners] == s[column][messages]).all(), column


def hops(s: _plan.Schedules) -> list[tuple[int, int, int, int]]:
    """Every message, in order: round, from, to, units."""
    rank_of = np.repeat(np.arange(len(s["first_step"]) - 1), np.diff(s["first_step"]))
    sends = np.flatnonzero(s["kind"] == _plan.SEND)
    return sorted((int(s["round"][i]), int(rank_of[i]), int(s["peer"][i]), int(s["length"][i])) for i in sends)


def test_recursive_doubling_exchanges_with_the_partner_one_bit_away() -> None:
    s = schedules_of("recursive-doubling", "MPI_Allreduce", 4, length=5)
    first = min(round for round, *_ in hops(s))
    assert hops(s) == [(first + k, rank, rank ^ (1 << k), 5) for k in range(2) for rank in range(4)]


def test_a_ring_carries_shares_that_may_differ_by_one_unit() -> None:
    # Shares of 4, 3 and 3 units. Each is passed on twice in both phases.
    s = schedules_of("ring", "MPI_Allreduce", 3, length=10)
    assert sorted(length for *_, length in hops(s)) == [3] * 8 + [4] * 4
    assert {(src, dst) for _, src, dst, _ in hops(s)} == {(0, 1), (1, 2), (2, 0)}


def test_a_scatter_over_a_tree_sends_a_subtree_s_blocks_in_one_message() -> None:
    s = schedules_of("tree", "MPI_Scatter", 4, length=10)
    # The binomial tree below rank 3: 3 > 1 > 2 and 3 > 0. Rank 1 gets two blocks and passes on one.
    assert [(src, dst, length) for _, src, dst, length in hops(s)] == [(1, 2, 10), (3, 0, 10), (3, 1, 20)]


def test_lengths_of_each_pair_of_ranks_are_those_of_the_messages() -> None:
    lengths = [[0, 1, 2], [10, 0, 12], [20, 0, 22]]  # rank 2 has nothing for rank 1
    file = rule_of("pairwise", "MPI_Alltoallv")
    s = file.schedules(0, "MPI_Alltoallv", [0] * 3, [0] * 3, [units for row in lengths for units in row])
    assert sorted((src, dst, length) for _, src, dst, length in hops(s)) == [
        (0, 1, 1), (0, 2, 2), (1, 0, 10), (1, 2, 12), (2, 0, 20),
    ]  # fmt: skip
    copies = s["length"][s["kind"] == _plan.COPY]
    assert copies.tolist() == [22]  # rank 2's block for itself; ranks 0 and 1 have none


def test_messages_are_cut_into_segments_that_follow_one_another() -> None:
    s = schedules_of("pipeline", "MPI_Bcast", 3, length=100, segment_bytes=40)
    sends = s["kind"] == _plan.SEND
    cut = sorted((int(s["segment"][i]), int(s["at"][i]), int(s["length"][i])) for i in np.flatnonzero(sends))
    assert cut == [(0, 0, 40), (0, 0, 40), (1, 40, 40), (1, 40, 40), (2, 80, 20), (2, 80, 20)]


def test_an_element_is_not_cut() -> None:
    file = rule_of("pipeline", "MPI_Reduce", segment_bytes=40)
    s = file.schedules(0, "MPI_Reduce", [0, 0], [0, 0], [6], root=0, unit_bytes=16)
    assert s["length"][s["kind"] == _plan.SEND].tolist() == [2, 2, 2]


def test_in_place_the_root_copies_nothing() -> None:
    file = rule_of("linear", "MPI_Gather")
    kinds = [
        file.schedules(0, "MPI_Gather", [0] * 4, [0] * 4, [8], root=2, in_place=in_place)["kind"]
        for in_place in (False, True)
    ]
    assert [(kind == _plan.COPY).sum() for kind in kinds] == [1, 0]


def test_an_explicit_tree_keeps_its_own_root_where_the_operation_has_none() -> None:
    trees = {"t": {"shape": "explicit", "parents": [1, None, 1]}}
    rules = [{"operations": ["MPI_Allreduce", "MPI_Bcast"], "reduce_tree": "t"}]
    file = _plan.TreeFile(json_bytes({"schema_version": 1, "trees": trees, "rules": rules}))
    down = [(1, 0), (1, 2)]
    allreduce = file.schedules(0, "MPI_Allreduce", [0] * 3, [0] * 3, [8])
    assert [(src, dst) for _, src, dst, _ in hops(allreduce)] == [(0, 1), *down, (2, 1)]
    bcast = file.schedules(0, "MPI_Bcast", [0] * 3, [0] * 3, [8], root=0)
    assert [(src, dst) for _, src, dst, _ in hops(bcast)] == [(0, 1), (1, 2)]


def test_the_rule_that_decides_is_the_first_that_fits() -> None:
    rules = [
        {"operations": ["MPI_Allreduce"], "algorithm": "recursive-doubling", "bytes": {"max": 64}},
        {"operations": ["MPI_Bcast"], "native": True},
        {"operations": ["MPI_Allreduce"], "algorithm": "ring", "comm_size": {"min": 3}},
    ]
    file = _plan.TreeFile(json_bytes({"schema_version": 1, "name": "mixed", "rules": rules}))
    assert file.name == "mixed"
    decisions = [file.rule("MPI_Allreduce", range(ranks), size) for ranks, size in ((2, 64), (3, 65), (2, 65))]
    assert decisions == [0, 2, None]
    assert file.rule("MPI_Bcast", range(8), 8) is None
    with pytest.raises(ValueError, match="leaves MPI_Bcast to the MPI library"):
        file.schedules(1, "MPI_Bcast", [0] * 2, [0] * 2, [8], root=0)


def test_communicators_of_equal_size_are_told_apart_by_their_members_in_order() -> None:
    rules = [
        {"operations": ["MPI_Allreduce"], "algorithm": "ring", "members": [0, 1, 2]},
        {"operations": ["MPI_Allreduce"], "algorithm": "recursive-doubling", "members": [5, 4, 3]},
    ]
    file = _plan.TreeFile(json_bytes({"schema_version": 1, "rules": rules}), 6)
    communicators = [(0, 1, 2), (5, 4, 3), (3, 4, 5), (0, 1), (0, 1, 2, 3)]
    assert [file.rule("MPI_Allreduce", members, 8) for members in communicators] == [0, 1, None, None, None]


@pytest.mark.parametrize(
    ("operation", "lengths", "root", "says"),
    [
        ("MPI_Bcast", [8], None, "MPI_Bcast needs a root from 0 to 2"),
        ("MPI_Bcast", [8], 3, "MPI_Bcast needs a root from 0 to 2"),
        ("MPI_Bcast", [8, 8, 8], 0, "MPI_Bcast of 3 ranks cannot have 3 lengths"),
        ("MPI_Bcast", [-1], 0, "a length is negative"),
        ("MPI_Barrier", [8], None, "MPI_Barrier of 3 ranks cannot have 1 lengths"),
        ("MPI_Gather", [8, 8, 9], 0, "the blocks of MPI_Gather are of one length"),
        ("MPI_Frob", [8], 0, "MPI_Frob is not an operation"),
    ],
)
def test_a_call_that_cannot_be_is_refused(operation: str, lengths: list[int], root: int | None, says: str) -> None:
    rules = [{"operations": ["MPI_Bcast", "MPI_Barrier", "MPI_Gather"], "reduce_tree": "t"}]
    file = _plan.TreeFile(json_bytes({"schema_version": 1, "trees": {"t": {"shape": "flat"}}, "rules": rules}))
    with pytest.raises(ValueError, match=says):
        file.schedules(0, operation, [0] * 3, [0] * 3, lengths, root)
    with pytest.raises(ValueError, match="one rank"):
        file.schedules(0, "MPI_Barrier", [0], [0], [])
