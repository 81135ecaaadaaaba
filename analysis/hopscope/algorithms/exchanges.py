"""Message patterns of MPI libraries' exchanges between peers, if the engine lacks the algorithm or has another form of
it.

Each function says where the algorithm was published. Some algorithms need a power of two of ranks, and the publications
do not say how further ranks take part. For these ranks, the patterns follow the sources of Open MPI 4.1
(coll_base_*.c), much of which come from MPICH.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopscope.algorithms.messages import DOWN, EXCHANGE, UP, Message, Pattern, Script


class Fold:
    """Reduces the ranks of an algorithm to `size`, the largest power of two that is not above their number. Each of the
    `extra` other ranks gives its part to a neighbour, which stays. Staying ranks are numbered by place, from 0.
    even_stays: True if the even rank of each pair of neighbours stays."""

    def __init__(self, ranks: int, *, even_stays: bool = False) -> None:
        self.size = 1 << (ranks.bit_length() - 1)
        self.extra = ranks - self.size
        self._stays = 0 if even_stays else 1

    def rank(self, place: int) -> int:
        """The number of the staying rank with this place."""
        return 2 * place + self._stays if place < self.extra else place + self.extra

    def folded_rank(self, place: int) -> int:
        """The number of the rank that gives its part to the staying rank with this place."""
        return 2 * place + 1 - self._stays


def shares(units: int, ranks: int) -> list[int]:
    """The lengths of a vector's parts, one for each rank, in units. If the vector cannot be divided evenly, the first
    parts have one unit more."""
    return [units // ranks + (rank < units % ranks) for rank in range(ranks)]


def pairwise(ranks: int, block: int) -> Pattern:
    """Pairwise exchange (Thakur, Rabenseifner, Gropp 2005): in round k, each rank sends a block to the k-th rank after
    it, and receives one from the k-th rank before it. For any number of ranks."""
    script = Script()
    for step in range(1, ranks):
        script.round((rank, (rank + step) % ranks, block) for rank in range(ranks))
    return script.pattern()


def neighbor_exchange(ranks: int, block: int) -> Pattern | None:
    """Neighbour exchange (J. Chen et al., "Performance Evaluation of Allgather Algorithms on Terascale Linux Cluster
    with Fast Ethernet", HPC Asia 2005): even ranks exchange alternately with the right and the left neighbour; one
    block in the first round, then two. None for an odd number of ranks."""
    if ranks % 2:
        return None
    script = Script()
    for step in range(ranks // 2):
        direction = 1 if step % 2 == 0 else -1
        size = block if step == 0 else 2 * block
        script.round(
            (rank, (rank + (direction if rank % 2 == 0 else -direction)) % ranks, size) for rank in range(ranks)
        )
    return script.pattern()


def doubling_barrier(ranks: int) -> Pattern:
    """Barrier by recursive doubling over the largest power of two of ranks. Each further rank first sends a message to
    the rank that is lower by this power of two, and gets one back at the end."""
    fold, script = Fold(ranks), Script()
    surplus = [(rank, rank - fold.size) for rank in range(fold.size, ranks)]
    script.round(((high, low, 0) for high, low in surplus), UP)
    for bit in range(fold.size.bit_length() - 1):
        script.round((rank, rank ^ (1 << bit), 0) for rank in range(fold.size))
    script.round(((low, high, 0) for high, low in surplus), DOWN)
    return script.pattern()


def ring_allreduce(ranks: int, units: int, unit: int, phases: int = 1) -> Pattern:
    """Allreduce in a ring (Patarasuk and Yuan 2009; in segments: Pjesivac-Grbovic et al. 2007). The parts of the vector
    go round once, to be summed, in `phases` phases, and the sums go round a second time."""
    parts, script = shares(units, ranks), Script()
    for phase in range(phases):
        for step in range(1, ranks):
            script.round(
                (rank, (rank + 1) % ranks, unit * shares(parts[(rank - step + 1) % ranks], phases)[phase])
                for rank in range(ranks)
            )
    for step in range(1, ranks):
        script.round((rank, (rank + 1) % ranks, unit * parts[(rank - step + 2) % ranks]) for rank in range(ranks))
    return script.pattern()


def _halves(script: Script, fold: Fold, units: int, unit: int, *, whole: bool = False) -> list[list[tuple[int, int]]]:
    """Adds a reduce-scatter by recursive halving (R. Rabenseifner, "Optimization of Collective Reduction Operations",
    ICCS 2004) to the script. Returns, for each place of the fold, the lengths sent and kept in each step, in units.

    whole: True if the folded ranks first give away their whole vector, as in MPICH. Otherwise the two ranks of a folded
    pair exchange halves, each reduces one half, and then the folded rank gives its sum away."""
    half = units // 2
    if whole:
        script.round(((fold.folded_rank(place), fold.rank(place), unit * units) for place in range(fold.extra)), UP)
    else:
        script.round(
            send
            for place in range(fold.extra)
            for send in (
                (fold.folded_rank(place), fold.rank(place), unit * half),
                (fold.rank(place), fold.folded_rank(place), unit * (units - half)),
            )
        )
        script.round(
            ((fold.folded_rank(place), fold.rank(place), unit * (units - half)) for place in range(fold.extra)), UP
        )
    window, steps = [units] * fold.size, [[] for _ in range(fold.size)]
    for bit in range(fold.size.bit_length() - 1):
        for place in range(fold.size):
            low = not place >> bit & 1
            remainder = window[place] // 2 if low else window[place] - window[place] // 2
            steps[place].append((window[place] - remainder, remainder))
            window[place] = remainder
        script.round(
            (fold.rank(place), fold.rank(place ^ 1 << bit), unit * steps[place][bit][0]) for place in range(fold.size)
        )
    return steps


def rabenseifner_allreduce(ranks: int, units: int, unit: int, *, whole: bool = False) -> Pattern:
    """Reduce-scatter by recursive halving, then allgather by recursive doubling (Rabenseifner 2004). whole: True for
    MPICH's variant on a number of ranks that is not a power of two."""
    fold, script = Fold(ranks, even_stays=not whole), Script()
    steps = _halves(script, fold, units, unit, whole=whole)
    for bit in reversed(range(fold.size.bit_length() - 1)):
        script.round(
            (fold.rank(place), fold.rank(place ^ 1 << bit), unit * steps[place][bit][1]) for place in range(fold.size)
        )
    script.round(((fold.rank(place), fold.folded_rank(place), unit * units) for place in range(fold.extra)), DOWN)
    return script.pattern()


def rabenseifner_reduce(ranks: int, units: int, unit: int, root: int, *, whole: bool = False) -> Pattern:
    """Reduce-scatter by recursive halving, then a binomial gather (Rabenseifner 2004). If the root is a folded rank, it
    replaces rank 0 in the gather. whole: True for MPICH's variant on a number of ranks that is not a power of two."""
    fold, script = Fold(ranks, even_stays=True), Script()
    steps = _halves(script, fold, units, unit, whole=whole)
    bits = fold.size.bit_length() - 1
    owner = [fold.rank(place) for place in range(fold.size)]
    if root >= 2 * fold.extra:
        root_place = root - fold.extra
    else:
        root_place = root // 2 if root % 2 == 0 else 0
        if root % 2:
            last = steps[0][bits - 1][1] if bits else units
            script.round([(owner[0], root, unit * last)], UP)
            owner[0] = root
    for bit in reversed(range(bits)):
        senders = [
            place
            for place in range(fold.size)
            if all(place >> b & 1 == root_place >> b & 1 for b in range(bit + 1, bits))
            and place >> bit & 1 != root_place >> bit & 1
        ]
        script.round(((owner[p], owner[p ^ 1 << bit], unit * steps[p][bit][1]) for p in senders), UP)
    return script.pattern()


def doubling_with_handing_on(
    ranks: int, script: Script, rank_of: Callable[[int], int], size: Callable[[int, int, int], int]
) -> None:
    """Adds recursive doubling over any number of ranks to the script. A rank without a partner gets the missing part
    from ranks that have it, at halving distances (Thakur, Rabenseifner, Gropp 2005, section 3.2.1).

    rank_of: the rank with a virtual number v. size(v, mask, extra): the bytes that v sends in the round of `mask`: to
    its partner (extra 0), or to a rank without a partner (extra 1).
    """
    mask = 1
    while mask < ranks:
        script.round((rank_of(v), rank_of(v ^ mask), size(v, mask, 0)) for v in range(ranks) if v ^ mask < ranks)
        half = mask >> 1
        while half:
            sends = []
            for v in range(ranks):
                group, partners = v & -mask, (v ^ mask) & -mask
                if partners + mask <= ranks:
                    continue
                holders = ranks - group - mask
                tree = v & -(half << 1)
                neighbour = v ^ half
                if neighbour > v and v < tree + holders <= neighbour < ranks:
                    sends.append((rank_of(v), rank_of(neighbour), size(v, mask, 1)))
            script.round(sends)
            half >>= 1
        mask <<= 1


def doubling_reduce_scatter(ranks: int, block: int) -> Pattern:
    """Reduce-scatter by recursive doubling (Thakur, Rabenseifner, Gropp 2005, for short messages). In each round,
    partners exchange all blocks except those of the sender's own group."""

    def size(v: int, mask: int, extra: int) -> int:
        group = (v ^ mask) & -mask if extra else v & -mask
        return block * (min(group, ranks) + max(0, ranks - group - mask))

    script = Script()
    doubling_with_handing_on(ranks, script, lambda v: v, size)
    return script.pattern()


def halving_reduce_scatter(ranks: int, block: int) -> Pattern:
    """Reduce-scatter by recursive halving of the blocks, with the farthest partner first (Thakur, Rabenseifner, Gropp
    2005)."""
    fold, script = Fold(ranks), Script()
    blocks = [2 if place < fold.extra else 1 for place in range(fold.size)]
    script.round(((fold.folded_rank(place), fold.rank(place), block * ranks) for place in range(fold.extra)), UP)
    mask = fold.size >> 1
    while mask:
        sends = []
        for place in range(fold.size):
            first = (place ^ mask) & -mask
            sends.append((fold.rank(place), fold.rank(place ^ mask), block * sum(blocks[first : first + mask])))
        script.round(sends)
        mask >>= 1
    script.round(((fold.rank(place), fold.folded_rank(place), block) for place in range(fold.extra)), DOWN)
    return script.pattern()


def butterfly_reduce_scatter(ranks: int, block: int, *, turned: bool) -> Pattern:
    """Reduce-scatter by recursive halving with the nearest partner first, after which the blocks are in bit-reversed
    order (J. L. Traeff, "An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application", EuroPVM/MPI
    2005).

    turned: True if each rank reorders its vector before, so that blocks need not be exchanged at the end."""
    fold, script = Fold(ranks), Script()
    bits = fold.size.bit_length() - 1
    blocks = [2 if place < fold.extra else 1 for place in range(fold.size)]
    script.round(((fold.folded_rank(place), fold.rank(place), block * ranks) for place in range(fold.extra)), UP)
    first = [0] * fold.size
    for bit in range(bits):
        half = fold.size >> (bit + 1)
        sends = []
        for place in range(fold.size):
            first_block = first[place] + (0 if place >> bit & 1 else half)
            first[place] += half if place >> bit & 1 else 0
            sends.append(
                (fold.rank(place), fold.rank(place ^ 1 << bit), block * sum(blocks[first_block : first_block + half]))
            )
        script.round(sends)
    peers: list[tuple[int, int, int]] = []
    folded: list[tuple[int, int, int]] = []
    for place in range(0 if turned else fold.size):
        mirror = int(f"{place:0{bits}b}"[::-1], 2) if bits else 0
        if mirror < fold.extra:
            folded.append((fold.rank(place), fold.folded_rank(mirror), block))
        if mirror != place:
            peers.append((fold.rank(place), fold.rank(mirror), block))
    script.round(folded, DOWN)  # before the peers' round, so that these messages do not wait for the peers' messages
    script.round(peers)
    return script.pattern()


def scatter(ranks: int, units: int, unit: int, root: int, script: Script) -> Callable[[int, int], int]:
    """Adds the first half of a broadcast by scatter and allgather (van de Geijn) to the script: a binomial scatter of
    equal parts, of which the last may be shorter. Returns a function that gives the bytes of the parts of the virtual
    ranks `first` to `end` - 1. Virtual ranks count from the root."""
    part = -(-units // ranks)

    def size(first: int, end: int) -> int:
        return unit * max(0, min(end * part, units) - min(first * part, units))

    mask = 1
    while mask < ranks:
        mask <<= 1
    while mask > 1:
        mask >>= 1
        sends = [(v, v + mask, size(v + mask, min(v + 2 * mask, ranks))) for v in range(0, ranks - mask, 2 * mask)]
        script.round((((v + root) % ranks, (c + root) % ranks, n) for v, c, n in sends if n > 0), DOWN)
    return size


def scatter_ring(ranks: int, units: int, unit: int, root: int) -> Pattern:
    """Broadcast by a binomial scatter and a ring allgather (Thakur, Rabenseifner, Gropp 2005)."""
    script = Script()
    size = scatter(ranks, units, unit, root, script)
    for step in range(1, ranks):
        script.round(
            (
                (v + root) % ranks,
                (v + 1 + root) % ranks,
                size((v - step + 1) % ranks, (v - step + 1) % ranks + 1),
            )
            for v in range(ranks)
        )
    return script.pattern()


def scatter_doubling(ranks: int, units: int, unit: int, root: int) -> Pattern:
    """Broadcast by a binomial scatter and an allgather by recursive doubling (Thakur, Rabenseifner, Gropp 2005)."""
    script = Script()
    size_of = scatter(ranks, units, unit, root, script)

    def size(v: int, mask: int, extra: int) -> int:
        first = (v ^ mask) & -mask if extra else v & -mask
        return size_of(first, min(first + mask, ranks))

    doubling_with_handing_on(ranks, script, lambda v: (v + root) % ranks, size)
    return script.pattern()


def doubling_scan(ranks: int, size: int) -> Pattern:
    """Scan by recursive doubling (Hillis and Steele 1986): partners at distances 1, 2, 4 and so on exchange the sums of
    their groups, even if a partner does not need the other's sum."""
    script, bit = Script(), 1
    while bit < ranks:
        script.round((rank, rank ^ bit, size) for rank in range(ranks) if rank ^ bit < ranks)
        bit <<= 1
    return script.pattern()


def linear_with_sync(ranks: int, block: int, first: int, root: int) -> Pattern:
    """Gather in which the root requests the blocks one rank at a time, by an empty message (Pjesivac-Grbovic et al.
    2007). A rank answers with two messages: the first `first` bytes of its block, and the rest."""
    messages: list[Message] = []
    for rank in range(ranks):
        if rank != root:
            invited = len(messages)
            messages += [
                Message(root, rank, 0, DOWN),
                Message(rank, root, first, UP, (invited,)),
                Message(rank, root, block - first, UP, (invited,)),
            ]
    return Pattern(messages)


def split_binary(ranks: int, parents: Sequence[int], root: int, halves: Sequence[Sequence[int]]) -> Pattern:
    """Broadcast by a split binary tree (Pjesivac-Grbovic et al. 2007): each half of the message goes down one side of
    the tree, in segments; then ranks of the two sides exchange their halves in pairs. parents: of each rank, with ranks
    counted from the root. halves: the lengths of the segments of each half."""
    messages: list[Message] = []
    receipts: dict[int, list[int]] = {v: [] for v in range(ranks)}

    def send(src: int, dst: int, size: int, role: str, prerequisites: Sequence[int]) -> None:
        receipts[dst].append(len(messages))
        messages.append(Message((src + root) % ranks, (dst + root) % ranks, size, role, tuple(prerequisites)))

    for side, sizes in enumerate(halves):
        for segment, size in enumerate(sizes):
            for v in range(1, ranks):
                if (v + 1) % 2 == side:
                    send(parents[v], v, size, DOWN, receipts[parents[v]][segment : segment + 1] if parents[v] else ())
    whole = [sum(sizes) for sizes in halves]
    ends = {v: receipts[v][-1:] for v in range(ranks)}
    for v in range(1, ranks - 1, 2):
        send(v, v + 1, whole[0], EXCHANGE, ends[v])
        send(v + 1, v, whole[1], EXCHANGE, ends[v + 1])
    if ranks % 2 == 0:
        send(0, ranks - 1, whole[1], EXCHANGE, ())
    return Pattern(messages)
