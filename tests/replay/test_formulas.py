"""The published formulas: values worked out by hand, and comparisons with replays of the same calls."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawn_schedules import linear_alltoall, split_binary
from hopscope.machine.formulas import FORMULAS, MODELS, PRINTED, UPPER_BOUNDS, source_of
from hopscope.machine.published import Call, Curve, Hockney, LogGP, PLogP
from hopscope.machine.routes import published
from hopscope.machine.schedules import replayed_ns
from hopscope.native.sequences import duration_ns

ALGORITHMS = {
    "MPI_Barrier": ["flat", "double ring", "recursive doubling", "bruck"],
    "MPI_Bcast": ["linear", "pipeline", "binomial", "binary", "split binary"],
    "MPI_Reduce": ["flat", "pipeline", "binomial", "binary"],
    "MPI_Alltoall": ["linear", "pairwise"],
}
FAST = LogGP(L=30_400, o=8_150, g=8_683, G=15, gamma=2)
SLOW = LogGP(L=61_220, o=8_200, g=23_800, G=84, gamma=2)
"""LogGP's parameters as measured on two clusters, in ns."""
HOCKNEY = Hockney(Curve.constant(50_000), Curve.constant(15), 2)
PLOGP = PLogP(30_000, Curve.line(2_000, 0.5), Curve.line(3_000, 1), Curve.line(9_000, 15), 2)
BARRIER, SEVEN, EIGHT, WHOLE = Call(8), Call(7, 8_008, 1_001), Call(8, 8_008, 1_001), Call(8, 1_001)
"""Segments have 1,001 bytes: (m_s - 1) G is 15,000 on the first cluster and 84,000 on the other, gamma m_s is 2,002."""


def test_every_row_has_a_formula_for_every_model() -> None:
    rows = {(op, algorithm, model) for op, names in ALGORITHMS.items() for algorithm in names for model in MODELS}
    assert set(FORMULAS) == rows
    assert set(PRINTED) < rows and set(UPPER_BOUNDS) < rows


def test_every_formula_says_where_it_was_published() -> None:
    assert source_of(("MPI_Bcast", "split binary", LogGP)) == (
        "J. Pjesivac-Grbovic, T. Angskun, G. Bosilca, G. E. Fagg, E. Gabriel, J. J. Dongarra, "
        '"Performance Analysis of MPI Collective Operations" (2005), table row bcast, split binary, LogGP'
    )


@pytest.mark.parametrize(
    ("operation", "algorithm", "call", "p", "time"),
    [
        ("MPI_Barrier", "flat", BARRIER, FAST, 6 * 8_683 + 2 * 46_700),
        ("MPI_Barrier", "flat", BARRIER, SLOW, 6 * 23_800 + 2 * 77_620),
        ("MPI_Barrier", "double ring", BARRIER, FAST, 16 * 47_233),
        ("MPI_Barrier", "recursive doubling", BARRIER, FAST, 3 * 47_233),
        ("MPI_Barrier", "recursive doubling", Call(6), FAST, (2 + 2) * 47_233),
        ("MPI_Barrier", "bruck", Call(6), FAST, 3 * 47_233),
        ("MPI_Bcast", "linear", WHOLE, FAST, 30_400 + 16_300 - 8_683 + 7 * 23_683),
        ("MPI_Bcast", "linear", WHOLE, SLOW, 61_220 + 16_400 - 23_800 + 7 * 107_800),
        ("MPI_Bcast", "linear", EIGHT, FAST, 30_400 + 16_300 - 8_683 + 56 * 23_683),
        ("MPI_Bcast", "pipeline", EIGHT, FAST, 7 * 61_700 + 7 * 23_683),
        ("MPI_Bcast", "pipeline", EIGHT, SLOW, 7 * 161_620 + 7 * 107_800),
        ("MPI_Bcast", "binomial", EIGHT, FAST, 3 * (61_700 + 7 * 23_683)),
        # 7 ranks make two levels of 30,400 + 2 (8,150 + 15,000) + 8,683 each; then 7 times two messages of 23,683.
        ("MPI_Bcast", "binary", SEVEN, FAST, 2 * 85_383 + 7 * 47_366),
        # With one byte, the ranks' own 3 * 8,150 exceed 2 * 8,683: 2 (30,400 + 16,300 + 8,683) + 7 * 24,450.
        ("MPI_Bcast", "binary", Call(7, 8, 1), FAST, 2 * 55_383 + 7 * 24_450),
        # Four segments in each half, and then 4,004 bytes: 30,400 + 16,300 + 4,003 * 15.
        ("MPI_Bcast", "split binary", SEVEN, FAST, 2 * 85_383 + 3 * 47_366 + 106_745),
        # The root takes 8,150 + 15,000 + 2,002 for each of 7 messages of 8 segments.
        ("MPI_Reduce", "flat", EIGHT, FAST, 53_550 + 8 * 7 * 25_152),
        ("MPI_Reduce", "pipeline", EIGHT, FAST, 7 * 63_702 + 7 * 33_302),
        ("MPI_Reduce", "binomial", EIGHT, FAST, 3 * (38_550 + 8 * 25_152)),
        # Two levels of 30,400 + 8,150 + 15,000 + 10,152 + 23,683; then 7 times two messages of 23,683.
        ("MPI_Reduce", "binary", SEVEN, FAST, 2 * 87_385 + 7 * 47_366),
        ("MPI_Alltoall", "linear", WHOLE, FAST, 8 * 46_700 + 7 * 5 * 23_683),
        ("MPI_Alltoall", "pairwise", WHOLE, FAST, 7 * 62_233),
        ("MPI_Alltoall", "pairwise", WHOLE, SLOW, 7 * 177_220),
    ],
)
def test_the_published_parameters_of_loggp(operation: str, algorithm: str, call: Call, p: LogGP, time: float) -> None:
    assert FORMULAS[operation, algorithm, LogGP](call, p) == time


@pytest.mark.parametrize(
    ("operation", "algorithm", "size", "hockney", "plogp"),
    [
        # 8 ranks, segments of 1,000 bytes. Hockney: a message takes 65,000, with combining 67,000; an empty one 50,000.
        # PLogP: o_s 2,500, o_r 4,000, g 24,000; an empty message's g is 9,000.
        ("MPI_Barrier", "flat", 0, 350_000, 8 * 9_000 + 60_000),
        ("MPI_Barrier", "double ring", 0, 800_000, 16 * 39_000),
        ("MPI_Barrier", "recursive doubling", 0, 150_000, 3 * 39_000),
        ("MPI_Barrier", "bruck", 0, 150_000, 3 * 39_000),
        ("MPI_Bcast", "linear", 8_000, 56 * 65_000, 30_000 + 56 * 24_000),
        ("MPI_Bcast", "pipeline", 8_000, 14 * 65_000, 7 * 54_000 + 7 * 24_000),
        ("MPI_Bcast", "binomial", 8_000, 24 * 65_000, 3 * (30_000 + 8 * 24_000)),
        ("MPI_Bcast", "binary", 8_000, 10 * 115_000, 3 * 78_000 + 7 * 48_000),
        # The last exchange has 4,000 bytes: 110,000 by Hockney, and 30,000 + 69,000 by PLogP.
        ("MPI_Bcast", "split binary", 8_000, 6 * 115_000 + 110_000, 3 * 78_000 + 3 * 48_000 + 99_000),
        ("MPI_Reduce", "flat", 8_000, 56 * 67_000, 30_000 + 56 * 24_000),
        ("MPI_Reduce", "pipeline", 8_000, 14 * 67_000, 7 * 54_000 + 7 * 26_500),
        ("MPI_Reduce", "binomial", 8_000, 24 * 67_000, 3 * (30_000 + 8 * 24_000)),
        ("MPI_Reduce", "binary", 8_000, 20 * 67_000, 3 * 78_000 + 7 * 50_500),
        ("MPI_Alltoall", "linear", 1_000, 8 * 65_000 + 35 * 50_000, 8 * 30_000 + 35 * 24_000),
        ("MPI_Alltoall", "pairwise", 1_000, 7 * 65_000, 7 * 54_000),
    ],
)
def test_hockney_and_plogp(operation: str, algorithm: str, size: int, hockney: float, plogp: float) -> None:
    call = Call(8, size, 1_000)
    assert FORMULAS[operation, algorithm, Hockney](call, HOCKNEY) == hockney
    assert FORMULAS[operation, algorithm, PLogP](call, PLOGP) == plogp


def test_upper_bounds_and_what_was_printed() -> None:
    assert UPPER_BOUNDS["MPI_Barrier", "flat", LogGP](BARRIER, FAST) == 6 * 16_833 + 2 * 46_700
    assert UPPER_BOUNDS["MPI_Barrier", "flat", PLogP](BARRIER, PLOGP) == 8 * 12_000 + 2 * 27_000
    # 2 (30,400 + 2 (8,150 + 15,000 + 8,683)) + 2 * 23,683, for any number of segments.
    assert PRINTED["MPI_Bcast", "binary", LogGP](SEVEN, FAST) == 2 * 94_066 + 47_366
    # 6 (30,400 + 8,683 + 46,300) + 2 * 23,683 + 30,400 + 16,300 + 499.5 * 15.
    assert PRINTED["MPI_Bcast", "split binary", LogGP](SEVEN, FAST) == 6 * 85_383 + 47_366 + 46_700 + 7_492.5
    assert PRINTED["MPI_Bcast", "split binary", PLogP](Call(8, 8_000, 1_000), PLOGP) == 3 * 78_000 + 3 * 48_000
    # Regression: half of an odd number of segments was rounded up in the printed form too.
    assert PRINTED["MPI_Bcast", "split binary", PLogP](Call(8, 7_000, 1_000), PLOGP) == 3 * 78_000 + 2.5 * 48_000
    assert PRINTED["MPI_Bcast", "split binary", PLogP](Call(8, 1_000, 1_000), PLOGP) == 3 * 78_000 - 0.5 * 48_000
    # 2 (30,400 + 15,000 + 24,450 + 4,004 + 7 (15,000 + 28,454)).
    assert PRINTED["MPI_Reduce", "binary", LogGP](SEVEN, FAST) == 2 * (73_854 + 7 * 43_454)


def replays(operation: str, algorithm: str, model: Hockney | LogGP | PLogP, *calls: Call) -> list[float]:
    """The formula's times as shares of the replay's."""
    shares: list[float] = []
    for call in calls:
        replayed = replayed_ns(operation, algorithm, call, model)
        assert replayed is not None
        shares.append(FORMULAS[operation, algorithm, type(model)](call, model) / replayed)
    return shares


SIZES = ((8, 8), (1_000, 1_000), (100_000, 100_000), (100_000, 10_000), (80_000, 1_000))
POWERS = [Call(ranks, *sizes) for ranks in (4, 8, 16, 32) for sizes in SIZES]
COMPLETE = [Call(ranks, *sizes) for ranks in (7, 15, 31) for sizes in SIZES]
"""Complete binary trees."""


@pytest.mark.parametrize("p", [FAST, SLOW, LogGP(30_000, 8_000, 17_000, 0, 10)])
@pytest.mark.parametrize(
    ("operation", "algorithm", "calls"),
    [
        ("MPI_Bcast", "linear", POWERS + COMPLETE),
        ("MPI_Bcast", "pipeline", POWERS + COMPLETE),
        ("MPI_Bcast", "binomial", POWERS),
        ("MPI_Bcast", "binary", COMPLETE),
        ("MPI_Reduce", "binary", COMPLETE),
    ],
)
def test_loggp_and_the_replay_agree(operation: str, algorithm: str, calls: list[Call], p: LogGP) -> None:
    assert replays(operation, algorithm, p, *calls) == pytest.approx([1] * len(calls), rel=1e-12)


@pytest.mark.parametrize("algorithm", ["double ring", "recursive doubling", "bruck"])
def test_barriers_and_pairwise_exchange_agree_where_the_gap_is_the_overhead(algorithm: str) -> None:
    # The formulas have o + g between receiving a message and sending the next one; the replay has 2o.
    p = LogGP(30_000, 8_000, 8_000, 15)
    assert replays("MPI_Barrier", algorithm, p, *map(Call, (2, 4, 8, 16))) == [1] * 4
    assert replays("MPI_Alltoall", "pairwise", p, *(Call(ranks, 1_000) for ranks in (4, 7, 8))) == [1] * 3
    for model in (HOCKNEY, PLOGP):
        assert replays("MPI_Barrier", algorithm, model, *map(Call, (2, 4, 8, 16))) == [1] * 4
        assert replays("MPI_Alltoall", "pairwise", model, *(Call(ranks, 1_000) for ranks in (4, 7, 8))) == [1] * 3


@pytest.mark.parametrize(("algorithm", "calls"), [("linear", COMPLETE), ("pipeline", COMPLETE), ("binomial", POWERS)])
def test_broadcasts_under_hockney_and_plogp_agree(algorithm: str, calls: list[Call]) -> None:
    for model in (HOCKNEY, PLOGP):
        assert replays("MPI_Bcast", algorithm, model, *calls) == pytest.approx([1] * len(calls), rel=1e-12)
    if algorithm == "linear":
        assert replays("MPI_Bcast", "binary", PLOGP, *calls) == pytest.approx([1] * len(calls), rel=1e-12)


def test_reductions_agree_where_no_bytes_come_while_a_rank_works() -> None:
    # In the published forms a rank is busy while bytes arrive; in the replay it is not. With G = 0 both are equal.
    p = LogGP(30_000, 8_000, 8_000, 0, 10)
    for algorithm in ("flat", "pipeline"):
        assert replays("MPI_Reduce", algorithm, p, *POWERS) == pytest.approx([1] * len(POWERS), rel=1e-12)
    whole = [call for call in POWERS if call.segments == 1]
    assert replays("MPI_Reduce", "binomial", p, *whole) == pytest.approx([1] * len(whole), rel=1e-12)


def test_a_flat_barrier_lies_above_its_bound() -> None:
    for p in (FAST, SLOW):
        twice = FORMULAS["MPI_Barrier", "flat", LogGP](BARRIER, p) + 6 * p.g
        assert replayed_ns("MPI_Barrier", "flat", BARRIER, p) == twice


def printed_shares(operation: str, algorithm: str, *calls: Call) -> list[float]:
    printed = PRINTED[operation, algorithm, LogGP]
    return [printed(call, FAST) / (replayed_ns(operation, algorithm, call, FAST) or 0) for call in calls]


def test_the_printed_forms_leave_the_replay() -> None:
    # 80 segments over four levels: a tenth of the time if n_s is missing, and more than three times it with the depth
    # in each term.
    assert printed_shares("MPI_Bcast", "binary", Call(31, 80_000, 1_000)) == [pytest.approx(0.104, abs=0.001)]
    assert printed_shares("MPI_Reduce", "binary", Call(31, 80_000, 1_000)) == [pytest.approx(3.43, abs=0.01)]


@pytest.mark.parametrize("p", [FAST, SLOW])
@pytest.mark.parametrize("ranks", [7, 15, 31])
def test_the_split_binary_broadcast_as_published_agrees(ranks: int, p: LogGP) -> None:
    row = ("MPI_Bcast", "split binary", LogGP)
    for segments in (2, 4, 8, 20):
        call = Call(ranks, 1_000 * segments, 1_000)
        replayed = duration_ns(split_binary(ranks, segments, 1_000), published(p, ranks, 1_000))
        assert FORMULAS[row](call, p) == pytest.approx(replayed, rel=1e-12)
    # With two segments, one for each half, the engine's own schedule is the published one.
    assert replays(*row[:2], p, Call(ranks, 2_000, 1_000)) == pytest.approx([1], rel=1e-12)
    # With 20 segments, the printed form has the latency for each segment.
    assert PRINTED[row](call, p) > 1.3 * replayed


def test_a_gap_by_destinations_enters_formulas_and_replay_alike() -> None:
    # Seven destinations: the largest measured number that is not larger is 4. The first message leaves at once.
    loggp = replace(FAST, gaps=((2, 8_500, 12), (4, 9_000, 10), (8, 1, 1)))
    time = 30_400 + 2 * 8_150 - 9_000 + 7 * (1_000 * 10 + 9_000) + 1_000 * (15 - 10)
    assert replayed_ns("MPI_Bcast", "linear", WHOLE, loggp) == time
    assert FORMULAS["MPI_Bcast", "linear", LogGP](WHOLE, loggp) == time - 5_000  # with a single G for the whole message
    plogp = replace(PLOGP, gaps=((4, Curve.constant(5_000)),))
    assert FORMULAS["MPI_Bcast", "linear", PLogP](WHOLE, plogp) == 30_000 + 7 * 5_000
    assert FORMULAS["MPI_Barrier", "flat", PLogP](BARRIER, plogp) == 8 * 5_000 + 2 * 30_000
    assert FORMULAS["MPI_Bcast", "binary", PLogP](EIGHT, plogp) == FORMULAS["MPI_Bcast", "binary", PLogP](EIGHT, PLOGP)
    chain = ("MPI_Bcast", "pipeline")
    assert replayed_ns(*chain, WHOLE, plogp) == replayed_ns(*chain, WHOLE, PLOGP)


def test_the_linear_alltoall_is_an_upper_bound() -> None:
    for ranks in (4, 8, 16):
        replayed = duration_ns(linear_alltoall(ranks, 1_000), published(FAST, ranks, 1_000))
        assert replayed < FORMULAS["MPI_Alltoall", "linear", LogGP](Call(ranks, 1_000), FAST)
    assert replayed_ns("MPI_Alltoall", "linear", Call(4, 1_000), FAST) is None


def test_segments_and_levels_are_counted_as_published() -> None:
    assert [Call(8, 100, cut).segments for cut in (0, 30, 50, 100, 200)] == [1, 4, 2, 1, 1]
    assert [Call(8, 100, cut).segment for cut in (0, 30, 200)] == [100, 30, 100]
    assert [Call(ranks).doublings for ranks in (1, 2, 3, 4, 5, 8)] == [0, 1, 2, 2, 3, 3]
    assert [Call(ranks).binary_depth for ranks in (1, 2, 3, 4, 7, 8)] == [0, 1, 1, 2, 2, 3]


def test_a_curve_is_straight_between_sizes_and_beyond_them() -> None:
    curve = Curve((100, 200, 400), (10, 20, 80))
    assert [curve(size) for size in (0, 100, 150, 300, 500)] == [0, 10, 15, 50, 110]
