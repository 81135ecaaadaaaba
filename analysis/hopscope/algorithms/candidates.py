"""Lists the algorithms that may have run a collective, as patterns of messages.

Each operation has its own generator. It yields candidates in the order of preference: if several candidates have the
same messages in the same order (frequent on 2 ranks), the collective gets the name of the first one.
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
    """An algorithm that may have run a collective: its name, and the pattern of its messages."""

    name: str
    pattern: Pattern
    fan_out: int | None = None
    """Children per rank, radix, or number of chains, for names that do not imply it, such as `chain`."""
    segment_bytes: int | None = None
    """Length of a segment, if messages have segments."""
    is_mixture: bool = False
    """True if the candidate combines algorithms: one after another, or one inside groups of ranks and one between
    them."""

    @property
    def title(self) -> str:
        """The name with the fan-out, if it has one, such as chain:4."""
        return self.name if self.fan_out is None else f"{self.name}:{self.fan_out}"


HIDES_BYTES = frozenset({"MPI_Gatherv", "MPI_Scatterv", "MPI_Allgatherv", "MPI_Alltoallv", "MPI_Alltoallw"}) | {
    "MPI_Reduce_scatter"
}
"""Operations in which ranks may have blocks of different lengths, so that lengths of messages are not compared with a
candidate's."""


def candidates(collective: Observed) -> Iterator[Candidate]:
    """All candidates for a collective."""
    make = _BY_OPERATION.get(collective.operation)
    if make is not None and collective.ranks > 1:
        yield from make(collective)


def _cuts(collective: Observed, length: int) -> Iterator[list[int]]:
    """Yields ways to cut a message of this length, as lists of segments' lengths: first uncut, then with each of the
    three longest recorded lengths of messages as the segment's length."""
    yield [length]
    for size in collective.sizes[:3]:
        if 0 < size < length:
            yield _cut(length, size)


def _cut(length: int, size: int) -> list[int]:
    return [size] * (length // size) + ([length % size] if length % size else [])


def _segment(segments: Sequence[int]) -> int | None:
    return segments[0] if len(segments) > 1 else None


def _trees(collective: Observed, *, down: bool, root: int) -> Iterator[NamedTree]:
    """The known trees on all of whose edges messages were recorded. down: True for trees from the root."""
    edges = collective.edges
    degree = sum((root, rank) in edges if down else (rank, root) in edges for rank in range(collective.ranks))
    for tree in trees(root, collective.hosts, collective.clusters, down=down, degree=degree):
        if tree.root == root and all(
            ((parent, rank) if down else (rank, parent)) in edges
            for rank, parent in enumerate(tree.parents)
            if parent >= 0
        ):
            yield tree


def _fit_in(pattern: Pattern, collective: Observed) -> bool:
    return all(collective.counts.get(edge, 0) >= count for edge, count in pattern.counts.items())


def _tree_candidates(collective: Observed, *, down: bool, root: int, length: int) -> Iterator[Candidate]:
    """Candidates that pass a message of `length` bytes along a tree, whole or in segments. down: True from the root,
    False towards it."""
    for segments in _cuts(collective, length):
        if len(segments) * (collective.ranks - 1) > collective.total:
            continue
        for tree in _trees(collective, down=down, root=root):
            pattern = (pass_down if down else pass_up)(tree, segments)
            yield Candidate(tree.name, pattern, tree.fan_out, _segment(segments))


def _blocks(collective: Observed, *, down: bool, root: int, block: int) -> Iterator[Candidate]:
    """Candidates that pass a block of `block` bytes for each rank along a tree. down: True from the root, False towards
    it."""
    for tree in _trees(collective, down=down, root=root):
        yield Candidate(tree.name, blocks_along(tree, block, pass_down if down else pass_up), tree.fan_out)


def _sequences(
    collective: Observed, first: Iterator[Candidate], second: Callable[[], Iterator[Candidate]]
) -> Iterator[Candidate]:
    """Candidates that combine a first phase with a second one, such as a reduction and a broadcast. If both phases have
    the same name, the combination has it too; otherwise its name is `first + second`."""
    ways = [candidate for candidate in first if _fit_in(candidate.pattern, collective)]
    if not ways:
        return
    successors = [candidate for candidate in second() if _fit_in(candidate.pattern, collective)]
    for predecessor in ways:
        for successor in successors:
            if len(predecessor.pattern.messages) + len(successor.pattern.messages) != collective.total:
                continue
            alike = predecessor.title == successor.title
            name = predecessor.title if alike else f"{predecessor.title} + {successor.title}"
            segment = predecessor.segment_bytes or successor.segment_bytes
            yield Candidate(
                name, predecessor.pattern.concatenate(successor.pattern), None, segment, is_mixture=not alike
            )


def _engine(collective: Observed, lengths: tuple[int, ...], *, unit: int = 1) -> Iterator[Candidate]:
    """Candidates for the engine's own algorithms. lengths: of the blocks, in units of `unit` bytes."""
    for name in engine.algorithms(collective.operation):
        if name == "pipeline" or (name == "dissemination" and collective.operation != "MPI_Barrier"):
            continue  # both have other names here: the tree `chain`, and `bruck`
        if name in _DIRECT_EXCHANGES.get(collective.operation, ()) and collective.total < collective.ranks * (
            collective.ranks - 1
        ):
            continue
        yield from _segmented(name, collective, lengths, unit)


def _leaders(collective: Observed, lengths: tuple[int, ...], *, unit: int = 1) -> Iterator[Candidate]:
    """Candidates in which the ranks form groups (clusters or hosts), and only one leader of each group exchanges
    messages with other groups."""
    for groups in dict.fromkeys((collective.clusters, collective.hosts)):
        leaders = {rank for edge in collective.edges for rank in edge if groups[edge[0]] != groups[edge[1]]}
        led, count = len({groups[rank] for rank in leaders}), len(set(groups))
        if count in (1, collective.ranks) or not len(leaders) == led == count:
            continue
        for algorithm in engine.grouped(collective.operation, collective.hosts, groups):
            yield from _segmented(algorithm, collective, lengths, unit, collective.edge_numbers)


def _segmented(
    algorithm: str | engine.Groups,
    collective: Observed,
    lengths: tuple[int, ...],
    unit: int,
    edges: bytes | None = None,
) -> Iterator[Candidate]:
    """Candidates for one of the engine's algorithms: with whole messages, and with segments of recorded lengths."""
    name = algorithm if isinstance(algorithm, str) else algorithm.name
    operation, ranks, root = collective.operation, collective.ranks, collective.root
    for segment in (0, *(size for size in collective.sizes[:2] if 0 < size < collective.bytes)):
        pattern = engine.pattern(
            algorithm, operation, ranks, root, lengths=lengths, unit=unit, segment=segment, edges=edges
        )
        if pattern is not None:
            yield Candidate(name, pattern, None, segment or None, is_mixture=not isinstance(algorithm, str))


_DIRECT_EXCHANGES = {
    "MPI_Allreduce": ("ring",),
    "MPI_Allgather": ("ring",),
    "MPI_Allgatherv": ("ring",),
    "MPI_Alltoall": ("linear", "pairwise"),
    "MPI_Alltoallv": ("linear", "pairwise"),
    "MPI_Alltoallw": ("linear", "pairwise"),
    "MPI_Reduce_scatter": ("ring", "pairwise"),
    "MPI_Reduce_scatter_block": ("ring", "pairwise"),
}
"""Algorithms in which a rank sends at least as many messages as there are other ranks. With fewer recorded messages,
they are no candidates, which saves computing their schedules (seconds for a thousand ranks)."""


_INT = 4
"""Bytes of an int, which MPICH sends as a flag."""


def _root(collective: Observed) -> int:
    return collective.root or 0


def _allreduce(collective: Observed) -> Iterator[Candidate]:
    n, units, unit = collective.ranks, collective.units, collective.unit
    yield from _engine(collective, (units,), unit=unit)
    if collective.total == 2 * n * (n - 1):
        yield Candidate("ring", exchanges.ring_allreduce(n, units, unit))
    phases, rest = divmod(collective.total - n * (n - 1), n * (n - 1))
    if phases > 1 and not rest:
        pattern = exchanges.ring_allreduce(n, units, unit, phases)
        yield Candidate("segmented-ring", pattern, None, pattern.messages[0].bytes)
    halvings = n.bit_length() - 1
    for whole in _folds(n) if collective.total >= 2 * halvings << halvings else ():
        yield Candidate("rabenseifner", exchanges.rabenseifner_allreduce(n, units, unit, whole=whole))
    yield from _up_and_down(collective)
    yield from _leaders(collective, (units,), unit=unit)


def _folds(ranks: int) -> tuple[bool, ...]:
    """The possible values of `whole` in Rabenseifner's algorithm (see exchanges.py). On a power of two of ranks, both
    variants are the same."""
    return (False, True) if ranks & (ranks - 1) else (False,)


def _up_and_down(collective: Observed) -> Iterator[Candidate]:
    for root in collective.turning if collective.total == 2 * (collective.ranks - 1) else (0,):
        yield from _sequences(
            collective,
            _tree_candidates(collective, down=False, root=root, length=collective.bytes),
            lambda root=root: _tree_candidates(collective, down=True, root=root, length=collective.bytes),
        )


def _barrier(collective: Observed) -> Iterator[Candidate]:
    yield from _engine(collective, ())
    yield Candidate("recursive-doubling", exchanges.doubling_barrier(collective.ranks))
    yield from _up_and_down(collective)
    # MPICH on one host: all ranks synchronise, then the host's first rank releases the others by a message of one byte.
    yield from _sequences(
        collective,
        _engine(collective, ()),
        lambda: _tree_candidates(collective, down=True, root=0, length=max(collective.sizes, default=0)),
    )
    yield from _leaders(collective, ())


def _bcast(collective: Observed) -> Iterator[Candidate]:
    n, root, units, unit = collective.ranks, _root(collective), collective.units, collective.unit
    yield from _tree_candidates(collective, down=True, root=root, length=collective.bytes)
    yield from _split_binary(collective)
    if root and (root, 0) in collective.edges:  # MPICH on one host: the root sends to rank 0, which sends to all
        handed = Pattern([Message(root, 0, collective.bytes, DOWN)])
        for down in _tree_candidates(collective, down=True, root=0, length=collective.bytes):
            yield Candidate(down.name, handed.concatenate(down.pattern), down.fan_out, down.segment_bytes)
    yield from _engine(collective, (units,), unit=unit)
    yield Candidate("scatter-doubling", exchanges.scatter_doubling(n, units, unit, root))
    if collective.total >= n * (n - 1):
        yield Candidate("scatter-ring", exchanges.scatter_ring(n, units, unit, root))
    yield from _leaders(collective, (units,), unit=unit)


def _split_binary(collective: Observed) -> Iterator[Candidate]:
    root = _root(collective)
    half = collective.units // 2 * collective.unit
    for left in {collective.bytes - half, half}:
        for cut in (size for size in collective.sizes if 0 < size <= left):
            halves = [_cut(part, cut) for part in (left, collective.bytes - left)]
            if all(halves) and len(halves[0]) <= collective.total:
                pattern = exchanges.split_binary(collective.ranks, level_binary(collective.ranks), root, halves)
                yield Candidate("split-binary", pattern, None, cut if len(halves[0]) > 1 else None)


def _reduce(collective: Observed) -> Iterator[Candidate]:
    n, root = collective.ranks, _root(collective)
    yield from _up(collective, root)
    yield from _engine(collective, (collective.units,), unit=collective.unit)
    if root and (0, root) in collective.edges:  # MPICH on one host: rank 0 has the result, and sends it to the root
        handed = Pattern([Message(0, root, collective.bytes, UP)])
        for up in _up(collective, 0):
            yield Candidate(up.name, up.pattern.concatenate(handed), up.fan_out, up.segment_bytes)
    if root != n - 1:  # an in-order tree ends at the last rank, which then sends the result to `root`
        last = Pattern([Message(n - 1, root, collective.bytes, UP)])
        for up in _tree_candidates(collective, down=False, root=n - 1, length=collective.bytes):
            if up.name == "in-order-binary":
                yield Candidate(up.name, up.pattern.concatenate(last), None, up.segment_bytes)
    yield from _leaders(collective, (collective.units,), unit=collective.unit)


def _up(collective: Observed, root: int) -> Iterator[Candidate]:
    yield from _tree_candidates(collective, down=False, root=root, length=collective.bytes)
    for whole in _folds(collective.ranks):
        pattern = exchanges.rabenseifner_reduce(collective.ranks, collective.units, collective.unit, root, whole=whole)
        yield Candidate("rabenseifner", pattern)


def _block(collective: Observed) -> Iterator[int]:
    """Possible lengths of each rank's block: an equal share of all bytes, or the shortest message."""
    yield from dict.fromkeys((collective.bytes // collective.ranks, min((s for s in collective.sizes if s), default=0)))


def _gather(collective: Observed) -> Iterator[Candidate]:
    for block in _block(collective):
        yield from _blocks(collective, down=False, root=_root(collective), block=block)
        for first in collective.sizes:
            if 0 <= first <= block:
                yield Candidate(
                    "linear-sync",
                    exchanges.linear_with_sync(collective.ranks, block, first, _root(collective)),
                    None,
                    first,
                )
        yield from _engine(collective, (block,))


def _scatter(collective: Observed) -> Iterator[Candidate]:
    for block in _block(collective):
        yield from _blocks(collective, down=True, root=_root(collective), block=block)
        yield from _engine(collective, (block,))


def _allgather(collective: Observed) -> Iterator[Candidate]:
    for block in _block(collective):
        yield from _engine(collective, (block,))
        exchange = exchanges.neighbor_exchange(collective.ranks, block)
        if exchange:
            yield Candidate("neighbor-exchange", exchange)
        whole = block * collective.ranks
        yield from _sequences(
            collective,
            _blocks(collective, down=False, root=0, block=block),
            lambda whole=whole: _tree_candidates(collective, down=True, root=0, length=whole),
        )
        yield from _leaders(collective, (block,))


def _alltoall(collective: Observed) -> Iterator[Candidate]:
    for block in _block(collective):
        if collective.total == collective.ranks * (collective.ranks - 1):
            yield Candidate("pairwise", exchanges.pairwise(collective.ranks, block))
        yield from _engine(collective, (block,))


def _reduce_scatter(collective: Observed) -> Iterator[Candidate]:
    n = collective.ranks
    for block in _block(collective):
        yield from _engine(collective, (block,))
        yield Candidate("recursive-halving", exchanges.halving_reduce_scatter(n, block))
        yield Candidate("butterfly", exchanges.butterfly_reduce_scatter(n, block, turned=False))
        if n & (n - 1) == 0:
            yield Candidate("butterfly", exchanges.butterfly_reduce_scatter(n, block, turned=True))
        yield Candidate("recursive-doubling", exchanges.doubling_reduce_scatter(n, block))
        whole = block * n
        yield from _sequences(
            collective,
            _tree_candidates(collective, down=False, root=0, length=whole),
            lambda block=block: _blocks(collective, down=True, root=0, block=block),
        )
        yield from _leaders(collective, (block,))


def _scan(collective: Observed) -> Iterator[Candidate]:
    yield from _engine(collective, (collective.units,), unit=collective.unit)
    doubling = exchanges.doubling_scan(collective.ranks, collective.bytes)
    yield Candidate("recursive-doubling", doubling)
    # MPICH on one host: the last rank sends the host's sum to the first rank. Then the first rank tells all ranks, by a
    # flag, if there is a host before theirs.
    handed = doubling.concatenate(Pattern([Message(collective.ranks - 1, 0, collective.bytes, UP)]))
    for down in _tree_candidates(collective, down=True, root=0, length=_INT):
        yield Candidate("recursive-doubling", handed.concatenate(down.pattern))


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
