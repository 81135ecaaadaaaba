"""The algorithms that a collective could have been run by, as patterns of messages.

Each generator is for one operation. An operation's candidates come in the order of preference: where two have the same
messages in the same order, as most have on 2 ranks, the first gives the name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hopscope.algorithms import engine, exchanges
from hopscope.algorithms.messages import DOWN, UP, Message, Pattern
from hopscope.algorithms.observed import Observed
from hopscope.algorithms.trees import NamedTree, blocks_along, level_binary, pass_down, pass_up, trees


@dataclass(frozen=True)
class Candidate:
    """A named pattern."""

    name: str
    pattern: Pattern
    fan_out: int | None = None
    """Children per rank, radix, or number of chains, where the name leaves it open."""
    segment_bytes: int | None = None
    """Of a message in segments: the length of one."""
    is_mixture: bool = False
    """One algorithm after another, or one in groups and another between them."""

    @property
    def title(self) -> str:
        """The name with the number that it leaves open, such as chain:4."""
        return self.name if self.fan_out is None else f"{self.name}:{self.fan_out}"


HIDES_BYTES = frozenset({"MPI_Gatherv", "MPI_Scatterv", "MPI_Allgatherv", "MPI_Alltoallv", "MPI_Alltoallw"}) | {
    "MPI_Reduce_scatter"
}
"""Operations whose ranks have parts of different lengths: the lengths of messages say nothing."""


def candidates(seen: Observed) -> Iterator[Candidate]:
    """All candidates for a collective."""
    make = _BY_OPERATION.get(seen.operation)
    if make is not None and seen.ranks > 1:
        yield from make(seen)


def _cuts(seen: Observed, length: int) -> Iterator[list[int]]:
    """The ways to cut a message of this length into segments that were seen: whole first, then by the longest."""
    yield [length]
    for size in seen.sizes[:3]:
        if 0 < size < length:
            yield _cut(length, size)


def _cut(length: int, size: int) -> list[int]:
    return [size] * (length // size) + ([length % size] if length % size else [])


def _segment(segments: Sequence[int]) -> int | None:
    return segments[0] if len(segments) > 1 else None


def _trees(seen: Observed, *, down: bool, root: int) -> Iterator[NamedTree]:
    """The trees all of whose edges were seen."""
    edges = seen.edges
    degree = sum((root, rank) in edges if down else (rank, root) in edges for rank in range(seen.ranks))
    for tree in trees(root, seen.hosts, seen.clusters, down=down, degree=degree):
        if tree.root == root and all(
            ((parent, rank) if down else (rank, parent)) in edges
            for rank, parent in enumerate(tree.parents)
            if parent >= 0
        ):
            yield tree


def _fit_in(pattern: Pattern, seen: Observed) -> bool:
    return all(seen.counts.get(edge, 0) >= count for edge, count in pattern.counts.items())


def _along(seen: Observed, *, down: bool, root: int, length: int) -> Iterator[Candidate]:
    """A whole message along a tree."""
    for segments in _cuts(seen, length):
        if len(segments) * (seen.ranks - 1) > seen.total:
            continue
        for tree in _trees(seen, down=down, root=root):
            pattern = (pass_down if down else pass_up)(tree, segments)
            yield Candidate(tree.name, pattern, tree.fan_out, _segment(segments))


def _blocks(seen: Observed, *, down: bool, root: int, block: int) -> Iterator[Candidate]:
    """A block for each rank along a tree."""
    for tree in _trees(seen, down=down, root=root):
        yield Candidate(tree.name, blocks_along(tree, block, pass_down if down else pass_up), tree.fan_out)


def _both(seen: Observed, first: Iterator[Candidate], second: Callable[[], Iterator[Candidate]]) -> Iterator[Candidate]:
    """One part after the other, such as a reduction and a broadcast. Named after the tree of both, or `one + other`."""
    ways = [one for one in first if _fit_in(one.pattern, seen)]
    if not ways:
        return
    others = [one for one in second() if _fit_in(one.pattern, seen)]
    for one in ways:
        for other in others:
            if len(one.pattern.messages) + len(other.pattern.messages) != seen.total:
                continue
            alike = one.title == other.title
            name = one.title if alike else f"{one.title} + {other.title}"
            segment = one.segment_bytes or other.segment_bytes
            yield Candidate(name, one.pattern.then(other.pattern), None, segment, is_mixture=not alike)


def _engine(seen: Observed, lengths: tuple[int, ...], *, unit: int = 1) -> Iterator[Candidate]:
    """The engine's own algorithms. lengths: in units of so many bytes."""
    for name in engine.algorithms(seen.operation):
        if name == "pipeline" or (name == "dissemination" and seen.operation != "MPI_Barrier"):
            continue  # a chain, which is among the trees; and bruck
        if name in _EACH_WITH_EACH.get(seen.operation, ()) and seen.total < seen.ranks * (seen.ranks - 1):
            continue
        for segment in (0, *(size for size in seen.sizes[:2] if 0 < size < seen.bytes)):
            pattern = engine.pattern(
                name, seen.operation, seen.ranks, seen.root, lengths=lengths, unit=unit, segment=segment
            )
            if pattern is not None:
                yield Candidate(name, pattern, None, segment or None)


def _leaders(seen: Observed, lengths: tuple[int, ...], *, unit: int = 1) -> Iterator[Candidate]:
    """An exchange between groups (clusters or hosts), where one rank of each has messages from and to others."""
    for groups in dict.fromkeys((seen.clusters, seen.hosts)):
        leaders = {rank for edge in seen.edges for rank in edge if groups[edge[0]] != groups[edge[1]]}
        led, count = len({groups[rank] for rank in leaders}), len(set(groups))
        if count in (1, seen.ranks) or not len(leaders) == led == count:
            continue
        for algorithm in engine.grouped(seen.operation, seen.hosts, groups):
            for segment in (0, *(size for size in seen.sizes[:2] if 0 < size < seen.bytes)):
                pattern = engine.pattern(
                    algorithm,
                    seen.operation,
                    seen.ranks,
                    seen.root,
                    lengths=lengths,
                    unit=unit,
                    segment=segment,
                    edges=seen.edge_numbers,
                )
                if pattern is not None:
                    yield Candidate(algorithm.name, pattern, None, segment or None, is_mixture=True)


_EACH_WITH_EACH = {
    "MPI_Allreduce": ("ring",),
    "MPI_Allgather": ("ring",),
    "MPI_Allgatherv": ("ring",),
    "MPI_Alltoall": ("linear", "pairwise"),
    "MPI_Alltoallv": ("linear", "pairwise"),
    "MPI_Alltoallw": ("linear", "pairwise"),
    "MPI_Reduce_scatter": ("ring", "pairwise"),
    "MPI_Reduce_scatter_block": ("ring", "pairwise"),
}
"""Algorithms in which every rank sends at least as many messages as there are others: with fewer they need not be laid
out, which takes seconds on a thousand ranks."""


_INT = 4
"""Bytes of a flag that MPICH sends."""


def _root(seen: Observed) -> int:
    return seen.root or 0


def _allreduce(seen: Observed) -> Iterator[Candidate]:
    n, units, unit = seen.ranks, seen.units, seen.unit
    yield from _engine(seen, (units,), unit=unit)
    if seen.total == 2 * n * (n - 1):
        yield Candidate("ring", exchanges.ring_allreduce(n, units, unit))
    phases, rest = divmod(seen.total - n * (n - 1), n * (n - 1))
    if phases > 1 and not rest:
        pattern = exchanges.ring_allreduce(n, units, unit, phases)
        yield Candidate("segmented-ring", pattern, None, pattern.messages[0].bytes)
    halvings = n.bit_length() - 1
    for whole in _folds(n) if seen.total >= 2 * halvings << halvings else ():
        yield Candidate("rabenseifner", exchanges.rabenseifner_allreduce(n, units, unit, whole=whole))
    yield from _up_and_down(seen)
    yield from _leaders(seen, (units,), unit=unit)


def _folds(ranks: int) -> tuple[bool, ...]:
    """Whether ranks beyond a power of two give their vector away whole: both ways, if there are such ranks."""
    return (False, True) if ranks & (ranks - 1) else (False,)


def _up_and_down(seen: Observed) -> Iterator[Candidate]:
    for root in seen.turning if seen.total == 2 * (seen.ranks - 1) else (0,):
        yield from _both(
            seen,
            _along(seen, down=False, root=root, length=seen.bytes),
            lambda root=root: _along(seen, down=True, root=root, length=seen.bytes),
        )


def _barrier(seen: Observed) -> Iterator[Candidate]:
    yield from _engine(seen, ())
    yield Candidate("recursive-doubling", exchanges.doubling_barrier(seen.ranks))
    yield from _up_and_down(seen)
    # MPICH on one host: all meet, then the host's first rank lets the others go, by a byte.
    yield from _both(
        seen, _engine(seen, ()), lambda: _along(seen, down=True, root=0, length=max(seen.sizes, default=0))
    )
    yield from _leaders(seen, ())


def _bcast(seen: Observed) -> Iterator[Candidate]:
    n, root, units, unit = seen.ranks, _root(seen), seen.units, seen.unit
    yield from _along(seen, down=True, root=root, length=seen.bytes)
    yield from _split_binary(seen)
    if root and (root, 0) in seen.edges:  # MPICH on one host: the root hands it to rank 0, which sends it to all
        handed = Pattern([Message(root, 0, seen.bytes, DOWN)])
        for down in _along(seen, down=True, root=0, length=seen.bytes):
            yield Candidate(down.name, handed.then(down.pattern), down.fan_out, down.segment_bytes)
    yield from _engine(seen, (units,), unit=unit)
    yield Candidate("scatter-doubling", exchanges.scatter_doubling(n, units, unit, root))
    if seen.total >= n * (n - 1):
        yield Candidate("scatter-ring", exchanges.scatter_ring(n, units, unit, root))
    yield from _leaders(seen, (units,), unit=unit)


def _split_binary(seen: Observed) -> Iterator[Candidate]:
    root = _root(seen)
    half = seen.units // 2 * seen.unit
    for left in {seen.bytes - half, half}:
        for cut in (size for size in seen.sizes if 0 < size <= left):
            halves = [_cut(part, cut) for part in (left, seen.bytes - left)]
            if all(halves) and len(halves[0]) <= seen.total:
                pattern = exchanges.split_binary(seen.ranks, level_binary(seen.ranks), root, halves)
                yield Candidate("split-binary", pattern, None, cut if len(halves[0]) > 1 else None)


def _reduce(seen: Observed) -> Iterator[Candidate]:
    n, root = seen.ranks, _root(seen)
    yield from _up(seen, root)
    yield from _engine(seen, (seen.units,), unit=seen.unit)
    if root and (0, root) in seen.edges:  # MPICH on one host: rank 0 has the result, and hands it to the root
        handed = Pattern([Message(0, root, seen.bytes, UP)])
        for up in _up(seen, 0):
            yield Candidate(up.name, up.pattern.then(handed), up.fan_out, up.segment_bytes)
    if root != n - 1:  # an in-order tree ends at the last rank, which hands the result on
        last = Pattern([Message(n - 1, root, seen.bytes, UP)])
        for up in _along(seen, down=False, root=n - 1, length=seen.bytes):
            if up.name == "in-order-binary":
                yield Candidate(up.name, up.pattern.then(last), None, up.segment_bytes)
    yield from _leaders(seen, (seen.units,), unit=seen.unit)


def _up(seen: Observed, root: int) -> Iterator[Candidate]:
    yield from _along(seen, down=False, root=root, length=seen.bytes)
    for whole in _folds(seen.ranks):
        pattern = exchanges.rabenseifner_reduce(seen.ranks, seen.units, seen.unit, root, whole=whole)
        yield Candidate("rabenseifner", pattern)


def _block(seen: Observed) -> Iterator[int]:
    """What each rank's block may be long: an equal part of all, or the shortest message."""
    yield from dict.fromkeys((seen.bytes // seen.ranks, min((s for s in seen.sizes if s), default=0)))


def _gather(seen: Observed) -> Iterator[Candidate]:
    for block in _block(seen):
        yield from _blocks(seen, down=False, root=_root(seen), block=block)
        for first in seen.sizes:
            if 0 <= first <= block:
                yield Candidate(
                    "linear-sync", exchanges.linear_with_sync(seen.ranks, block, first, _root(seen)), None, first
                )
        yield from _engine(seen, (block,))


def _scatter(seen: Observed) -> Iterator[Candidate]:
    for block in _block(seen):
        yield from _blocks(seen, down=True, root=_root(seen), block=block)
        yield from _engine(seen, (block,))


def _allgather(seen: Observed) -> Iterator[Candidate]:
    for block in _block(seen):
        yield from _engine(seen, (block,))
        exchange = exchanges.neighbor_exchange(seen.ranks, block)
        if exchange:
            yield Candidate("neighbor-exchange", exchange)
        whole = block * seen.ranks
        yield from _both(
            seen,
            _blocks(seen, down=False, root=0, block=block),
            lambda whole=whole: _along(seen, down=True, root=0, length=whole),
        )
        yield from _leaders(seen, (block,))


def _alltoall(seen: Observed) -> Iterator[Candidate]:
    for block in _block(seen):
        if seen.total == seen.ranks * (seen.ranks - 1):
            yield Candidate("pairwise", exchanges.pairwise(seen.ranks, block))
        yield from _engine(seen, (block,))


def _reduce_scatter(seen: Observed) -> Iterator[Candidate]:
    n = seen.ranks
    for block in _block(seen):
        yield from _engine(seen, (block,))
        yield Candidate("recursive-halving", exchanges.halving_reduce_scatter(n, block))
        yield Candidate("butterfly", exchanges.butterfly_reduce_scatter(n, block, turned=False))
        if n & (n - 1) == 0:
            yield Candidate("butterfly", exchanges.butterfly_reduce_scatter(n, block, turned=True))
        yield Candidate("recursive-doubling", exchanges.doubling_reduce_scatter(n, block))
        whole = block * n
        yield from _both(
            seen,
            _along(seen, down=False, root=0, length=whole),
            lambda block=block: _blocks(seen, down=True, root=0, block=block),
        )
        yield from _leaders(seen, (block,))


def _scan(seen: Observed) -> Iterator[Candidate]:
    yield from _engine(seen, (seen.units,), unit=seen.unit)
    doubling = exchanges.doubling_scan(seen.ranks, seen.bytes)
    yield Candidate("recursive-doubling", doubling)
    # MPICH on one host: the last rank hands the host's sum to the first, which tells all whether others come before.
    handed = doubling.then(Pattern([Message(seen.ranks - 1, 0, seen.bytes, UP)]))
    for down in _along(seen, down=True, root=0, length=_INT):
        yield Candidate("recursive-doubling", handed.then(down.pattern))


_BY_OPERATION: dict[str, Callable[[Observed], Iterator[Candidate]]] = {
    "MPI_Allreduce": _allreduce,
    "MPI_Barrier": _barrier,
    "MPI_Bcast": _bcast,
    "MPI_Reduce": _reduce,
    "MPI_Gather": _gather,
    "MPI_Gatherv": _gather,
    "MPI_Scatter": _scatter,
    "MPI_Scatterv": _scatter,
    "MPI_Allgather": _allgather,
    "MPI_Allgatherv": _allgather,
    "MPI_Alltoall": _alltoall,
    "MPI_Alltoallv": _alltoall,
    "MPI_Alltoallw": _alltoall,
    "MPI_Reduce_scatter": _reduce_scatter,
    "MPI_Reduce_scatter_block": _reduce_scatter,
    "MPI_Scan": _scan,
    "MPI_Exscan": _scan,
}
