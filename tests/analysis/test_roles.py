"""Roles of messages in their algorithm: contributions towards one rank are `up`, results from one rank `down`, steps
between peers `exchange`. If the number of ranks is not a power of two, the fold is up and the unfold down."""

from collections.abc import Callable

import pytest
from hopscope.algorithms import engine, exchanges
from hopscope.algorithms.candidates import candidates
from hopscope.algorithms.kinds import kind_of, parents_of
from hopscope.algorithms.messages import Pattern
from hopscope.algorithms.observed import Observed, RecordedMessage
from hopscope.algorithms.trees import blocks_along, pass_down, pass_up, trees

RANKS = range(2, 10)


def power_below(ranks: int) -> int:
    """The largest power of two that is not greater than `ranks`."""
    return 1 << (ranks.bit_length() - 1)


def counts(pattern: Pattern) -> tuple[int, int, int]:
    """The number of messages with the roles up, down and exchange."""
    roles = [message.role for message in pattern.messages]
    return roles.count("up"), roles.count("down"), roles.count("exchange")


def of_engine(name: str, operation: str, ranks: int) -> Pattern:
    whole = operation in ("MPI_Allreduce", "MPI_Scan")
    lengths = () if operation == "MPI_Barrier" else (ranks,) if whole else (1,)
    pattern = engine.pattern(name, operation, ranks, None, lengths=lengths, unit=8, segment=0)
    assert pattern is not None
    return pattern


@pytest.mark.parametrize("ranks", RANKS)
def test_messages_along_trees_lead_up_or_down(ranks: int) -> None:
    alike = (0,) * ranks
    for root in (0, ranks - 1):
        for tree in trees(root, alike, alike, down=True, degree=2):
            if tree.root != root:
                continue
            assert counts(pass_down(tree, [8, 8])) == (0, 2 * (ranks - 1), 0)
            assert counts(pass_up(tree, [8])) == (ranks - 1, 0, 0)
            assert counts(blocks_along(tree, 8, pass_up)) == (ranks - 1, 0, 0)
            assert counts(blocks_along(tree, 8, pass_down)) == (0, ranks - 1, 0)
            round_trip = pass_up(tree, [8]).concatenate(pass_down(tree, [8]))
            assert counts(round_trip) == (ranks - 1, ranks - 1, 0)
            parents = {rank: parent for rank, parent in enumerate(tree.parents) if rank != root}
            assert parents_of(round_trip.roles, "up", ranks) == parents_of(round_trip.roles, "down", ranks) == parents


FOLDED: dict[str, Callable[[int], Pattern]] = {
    "MPI_Allreduce by the engine": lambda ranks: of_engine("recursive-doubling", "MPI_Allreduce", ranks),
    "MPI_Allgather by the engine": lambda ranks: of_engine("recursive-doubling", "MPI_Allgather", ranks),
    "MPI_Barrier by the engine": lambda ranks: of_engine("recursive-doubling", "MPI_Barrier", ranks),
    "MPI_Barrier": exchanges.doubling_barrier,
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", FOLDED)
def test_in_recursive_doubling_the_fold_leads_up_and_the_unfold_down(name: str, ranks: int) -> None:
    pattern, power = FOLDED[name](ranks), power_below(ranks)
    extra = ranks - power
    assert counts(pattern) == (extra, extra, power * (power.bit_length() - 1))
    # A rank that folds sends once and receives once, with the same rank, before and after all other messages.
    folded = {message.src: message.dst for message in pattern.messages if message.role == "up"}
    assert folded == {message.dst: message.src for message in pattern.messages if message.role == "down"}
    assert not any(
        {message.src, message.dst} & folded.keys() for message in pattern.messages if message.role == "exchange"
    )


@pytest.mark.parametrize("ranks", RANKS)
def test_both_halves_of_rabenseifner_exchange_and_the_gather_to_a_root_leads_up(ranks: int) -> None:
    power = power_below(ranks)
    extra, rounds = ranks - power, power.bit_length() - 1
    for whole in (False, True) if extra else (False,):
        # Not whole: the two ranks of a pair first exchange halves, then one of them sends its sum to the other.
        pair_messages = 0 if whole else 2 * extra
        allreduce = exchanges.rabenseifner_allreduce(ranks, 64, 8, whole=whole)
        assert counts(allreduce) == (extra, extra, pair_messages + 2 * power * rounds)
        for root in range(ranks):
            up, down, exchange = counts(exchanges.rabenseifner_reduce(ranks, 64, 8, root, whole=whole))
            # If the root sent its part away, one more message lets it take over from rank 0.
            takes_over = root < 2 * extra and root % 2 == 1
            assert (up, down, exchange) == (extra + power - 1 + takes_over, 0, pair_messages + power * rounds)


@pytest.mark.parametrize("ranks", RANKS)
def test_rings_bruck_pairs_and_dissemination_exchange(ranks: int) -> None:
    patterns = [
        exchanges.pairwise(ranks, 8),
        exchanges.ring_allreduce(ranks, 64, 8),
        exchanges.doubling_scan(ranks, 8),
        exchanges.doubling_reduce_scatter(ranks, 8),
        *(of_engine(name, "MPI_Allgather", ranks) for name in ("ring", "dissemination")),
        *(of_engine(name, "MPI_Barrier", ranks) for name in ("dissemination", "double-ring")),
        *(of_engine(name, "MPI_Alltoall", ranks) for name in ("linear", "pairwise", "dissemination")),
        *(of_engine(name, "MPI_Scan", ranks) for name in ("linear", "recursive-doubling")),
    ]
    neighbors = exchanges.neighbor_exchange(ranks, 8)
    for pattern in [*patterns, *([neighbors] if neighbors else [])]:
        assert counts(pattern) == (0, 0, len(pattern.messages))


@pytest.mark.parametrize("ranks", RANKS)
def test_a_broadcast_by_scatter_leads_down_and_then_exchanges(ranks: int) -> None:
    for pattern in (exchanges.scatter_ring(ranks, 8 * ranks, 8, 1), exchanges.scatter_doubling(ranks, 8 * ranks, 8, 1)):
        _, down, exchange = counts(pattern)
        assert (0, down) == (counts(pattern)[0], ranks - 1)
        assert exchange == len(pattern.messages) - down


@pytest.mark.parametrize("ranks", RANKS)
def test_a_reduce_scatter_by_halving_folds_and_unfolds(ranks: int) -> None:
    power = power_below(ranks)
    extra, rounds = ranks - power, power.bit_length() - 1
    assert counts(exchanges.halving_reduce_scatter(ranks, 8)) == (extra, extra, power * rounds)
    up, down, _ = counts(exchanges.butterfly_reduce_scatter(ranks, 8, turned=False))
    assert (up, down) == (extra, extra)


@pytest.mark.parametrize("ranks", range(4, 10))
@pytest.mark.parametrize("leader_exchange", ["all-to-all", "recursive-doubling", "ring"])
def test_leaders_gather_exchange_and_pass_down(leader_exchange: str, ranks: int) -> None:
    # Three groups, ranks in turn. One of the three leaders first sends its part to another one, but the roles are
    # exchanges all the same.
    groups = tuple(rank % 3 for rank in range(ranks))
    ways = engine.grouped("MPI_Allreduce", groups, groups)
    name = next(way for way in ways if way.exchange == leader_exchange)
    pattern = engine.pattern(name, "MPI_Allreduce", ranks, None, lengths=(ranks,), unit=8, segment=0)
    assert pattern is not None
    up, down, exchange = counts(pattern)
    assert (up, down) == (ranks - 3, ranks - 3)
    leaders = {rank for message in pattern.messages if message.role == "exchange" for rank in message[:2]}
    assert (len(leaders), exchange) == (3, len(pattern.messages) - 2 * (ranks - 3))


@pytest.mark.parametrize("ranks", range(3, 10))
def test_mpich_hands_over_from_the_root_downwards_and_to_it_upwards(ranks: int) -> None:
    # On one host, rank 0 is the root of the tree: it gets the data from the operation's root, or sends the result to
    # it.
    root, alike = ranks - 1, (0,) * ranks
    for operation, pair, role in (("MPI_Bcast", (root, 0), "down"), ("MPI_Reduce", (0, root), "up")):
        passing = pass_down if role == "down" else pass_up
        tree = next(tree for tree in trees(0, alike, alike, down=role == "down", degree=0) if tree.name == "binomial")
        messages = [RecordedMessage(*pair, 8, 0, 1)] if role == "down" else []
        pattern = passing(tree, [8])
        messages += [
            RecordedMessage(message.src, message.dst, 8, 10 * level, 10 * level + 9)
            for message, level in zip(pattern.messages, pattern.levels, strict=True)
        ]
        messages += [RecordedMessage(*pair, 8, 1000, 1009)] if role == "up" else []
        collective = Observed(operation, ranks, root, 8, messages, alike, alike)
        kind = kind_of([collective], captured=None, by_schedule=None, is_between_groups=False)
        assert kind.algorithm is not None
        assert set(kind.roles) == set(collective.edges)
        assert {way for ways in kind.roles.values() for way in ways} == {role}


def test_roles_of_a_schedule_tell_apart_what_times_do_not() -> None:
    # Leaders 0 and 2 exchange, but 2 -> 0 arrives before 0 -> 2 is sent, as over a tree. Regression: this was called
    # hierarchical.
    places = (0, 0, 1, 1)
    sent = ((1, 0, 0, 1), (3, 2, 0, 1), (2, 0, 2, 12), (0, 2, 13, 20), (0, 1, 30, 31), (2, 3, 30, 31))
    messages = [RecordedMessage(src, dst, 0, begin, end, places[src] != places[dst]) for src, dst, begin, end in sent]
    collective = Observed("MPI_Barrier", 4, None, 0, messages, places, places)
    roles = {(1, 0): ["up"], (3, 2): ["up"], (2, 0): ["exchange"], (0, 2): ["exchange"], (0, 1): ["down"]}
    roles |= {(2, 3): ["down"]}
    by_times, by_roles = (
        kind_of([collective], captured=None, by_schedule=schedule_roles, is_between_groups=False)
        for schedule_roles in (None, roles)
    )
    assert (by_times.depth, by_times.crossings) == (4, 2)
    assert by_roles.algorithm is not None
    assert by_roles.algorithm.startswith("leaders")
    assert (by_roles.depth, by_roles.crossings) == (3, 1)


def test_of_algorithms_with_the_same_messages_and_roles_the_name_of_what_ran_decides() -> None:
    # Regression: two leaders that exchange at once counted as a ring, with two messages between them in sequence.
    places = (0, 0, 1, 1)
    sent = ((1, 0, 0, 1), (3, 2, 0, 1), (2, 0, 2, 12), (0, 2, 13, 20), (0, 1, 30, 31), (2, 3, 30, 31))
    messages = [RecordedMessage(src, dst, 8, begin, end, places[src] != places[dst]) for src, dst, begin, end in sent]
    collective = Observed("MPI_Allreduce", 4, None, 8, messages, places, places)
    for name in ("leaders:all-to-all", "leaders:recursive-doubling"):
        kind = kind_of([collective], captured=None, by_schedule=None, is_between_groups=False, tree_file_name=name)
        assert (kind.algorithm, kind.depth, kind.crossings) == (name, 3, 1)
    # A name without an algorithm that sends such messages, as for an explicit tree, has no effect.
    kind = kind_of([collective], captured=None, by_schedule=None, is_between_groups=False, tree_file_name="mine")
    assert kind.algorithm != "mine"


@pytest.mark.parametrize("ranks", RANKS)
def test_every_candidate_says_a_role_of_each_message(ranks: int) -> None:
    alike = (0,) * ranks
    messages = [RecordedMessage(src, dst, 8, 0, 1) for src in range(ranks) for dst in range(ranks) if src != dst]
    for operation in ("MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Gather", "MPI_Bcast", "MPI_Barrier", "MPI_Scan"):
        collective = Observed(
            operation, ranks, 0 if operation in ("MPI_Gather", "MPI_Bcast") else None, 64, messages, alike, alike
        )
        for candidate in candidates(collective):
            assert {message.role for message in candidate.pattern.messages} <= {"up", "down", "exchange"}
