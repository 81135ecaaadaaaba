"""Ranks to blame: those whose share is above chance and costs time; none in a clean run."""

from pathlib import Path
from random import Random

import hopscope
import pytest
from drawing import draw

PATH = "path path_collective_id step rank begin_ns end_ns category collective_id"
CALL_NS = 100


def loop(directory: Path, computing: list[list[int]], hosts: str = "") -> hopscope.Trace:
    """A run of Allreduces that each take 100 ns from the last enter on. Rank r computes computing[c][r] ns before
    collective c. The path goes over the last rank to enter; if several enter last, over the first of them."""
    ranks = range(len(computing[0]))
    calls, paths = ["collective_id rank enter_ns leave_ns"], [PATH]
    collectives = ["comm seq comm_size first_enter_ns last_leave_ns"]
    begin = 0
    for c, row in enumerate(computing):
        last = row.index(max(row))
        enter, end = begin + max(row), begin + max(row) + CALL_NS
        calls += [f"{c} {r} {begin + work} {end}" for r, work in enumerate(row)]
        collectives.append(f"0 {c} {len(ranks)} {begin + min(row)} {end}")
        paths += [
            f"run - {2 * c} {last} {begin} {enter} compute -",
            f"run - {2 * c + 1} {last} {enter} {end} native {c}",
            f"lead {c} 0 {last} {begin} {enter} compute -",
        ]
        begin = end
    return hopscope.open(
        draw(
            directory,
            ranks="rank host\n" + "\n".join(f"{r} {(hosts or 'h' * len(ranks))[r]}" for r in ranks),
            comms=f"comm name size members\n0 w {len(ranks)} {','.join(map(str, ranks))}",
            collectives="\n".join(collectives),
            calls="\n".join(calls),
            path_stretches="\n".join(paths),
        )
    )


def test_one_of_two_ranks_that_is_always_late_is_to_blame(tmp_path: Path) -> None:
    # Regression: the share of a rank had to exceed twice chance, which for two ranks is all collectives, so no rank was
    # ever blamed. Rank 1 computes 2000 longer before each of 60 collectives. Before the first, which follows the
    # start-up, no computing is known. The path after the first enter, at 1000, takes 2000 + 100 and 59 times 3100:
    # 185,000, of which 59 * 2000 are excess.
    rows = loop(tmp_path / "d", [[1000, 3000]] * 60).last_arrivals().to_pylist()
    assert [(row["late"], row["cause"], row["chance"]) for row in rows] == [(False, False, 0.5), (True, True, 0.5)]
    # The chances among the causes; 59 of 60 collectives have a cause.
    assert [row["cause_chance"] for row in rows] == pytest.approx([59 / 120, 59 / 120])
    assert rows[1]["cause_share"] == pytest.approx(59 / 60)
    assert [row["cost_share"] for row in rows] == [0, pytest.approx(59 * 2000 / 185_000)]


@pytest.mark.parametrize("ranks", [3, 4])
def test_ranks_that_are_equally_late_share_the_blame(tmp_path: Path, ranks: int) -> None:
    # Regression: if half of the ranks or more are slow, the median is slow too, and no rank computed longer than it.
    # The last two ranks compute 2000 longer. They are last in turn, by 1, so that the path goes over both.
    work = [[1000] * (ranks - 2) + [3000 + c % 2, 3001 - c % 2] for c in range(60)]
    trace = loop(tmp_path / "d", work, hosts="aabb"[4 - ranks :])
    rows = trace.last_arrivals().to_pylist()
    assert [row["cause"] for row in rows] == [False] * (ranks - 2) + [True, True]
    assert [row["cause_share"] for row in rows[-2:]] == pytest.approx([59 / 120, 59 / 120])
    assert [row["cost_share"] for row in rows[-2:]] == pytest.approx([0.32, 0.32], abs=0.01)
    by_host = trace.last_arrivals(by="host").to_pylist()
    assert [(row["host"], row["cause"]) for row in by_host] == [("a", False), ("b", True)]
    assert by_host[1]["cost_share"] == pytest.approx(0.64, abs=0.01)


def test_all_ranks_but_one_that_are_late_share_the_blame_however_near_the_last_one_is(tmp_path: Path) -> None:
    # Rank 3 is always last, by 1. If the blame were not shared, it would have all of it, and the run would gain 1
    # without it.
    rows = loop(tmp_path / "d", [[1000, 3000, 3000, 3001]] * 60).last_arrivals().to_pylist()
    assert [row["late"] for row in rows] == [False, False, False, True]
    assert [row["cause"] for row in rows] == [False, True, True, True]
    assert sum(row["cause_share"] for row in rows) == pytest.approx(59 / 60)


def test_a_tiny_asymmetry_of_a_long_clean_run_blames_nobody(tmp_path: Path) -> None:
    # Rank 1 computes 10 ns longer than rank 0 before 3 of 4 collectives, and rank 0 longer before the fourth. This is
    # far above chance, but costs 0.75 * 10 of 1110 ns: 0.7 % of the path.
    work = [[1000, 1010] if c % 4 else [1010, 1000] for c in range(2000)]
    rows = loop(tmp_path / "d", work).last_arrivals().to_pylist()
    assert [(row["late"], row["cause"]) for row in rows] == [(False, False), (True, False)]
    assert rows[1]["cost_share"] == pytest.approx(0.75 * 10 / 1110, rel=0.01)


def test_a_rank_that_is_last_half_of_the_time_is_to_blame_among_four_but_not_at_random_among_many(
    tmp_path: Path,
) -> None:
    # Rank 2 is last in 79 of 150 collectives, 52.7 %. Regression: the limit was 50 %, which lies inside the interval.
    random = Random(1)
    lasts = [2] * 79 + [c % 3 + (c % 3 == 2) for c in range(71)]
    random.shuffle(lasts)
    four = loop(tmp_path / "four", [[1000 + 500 * (r == last) for r in range(4)] for last in lasts])
    assert [row["cause"] for row in four.last_arrivals().to_pylist()] == [False, False, True, False]
    # Of 32 ranks, rank 5 is last in 20 of 300 collectives; chance gives 9.4. An interval of 95 % lies above that, but
    # in most clean runs one of 32 ranks has such a share.
    lasts = [5] * 20 + [6 + c % 31 for c in range(280)]
    random.shuffle(lasts)
    computing = [[1000 + 500 * (r == last % 32) for r in range(32)] for last in lasts]
    rows = loop(tmp_path / "many", computing).last_arrivals().to_pylist()
    assert [row["rank"] for row in rows if row["share_low"] > row["chance"]] == [5]
    assert not any(row["late"] or row["cause"] for row in rows)


def test_a_share_that_one_of_twenty_clean_runs_has_blames_nobody_and_clears_nobody_who_costs_a_tenth(
    tmp_path: Path,
) -> None:
    # Regression: rank 1 is last in 62 of 100 collectives. Its interval of 95 % lies above one half, as in every
    # twentieth clean run of two ranks.
    lasts = [1] * 62 + [0] * 38
    Random(1).shuffle(lasts)
    rows = loop(tmp_path / "noisy", [[1000 + 500 * (r == last) for r in range(2)] for last in lasts]).last_arrivals()
    row = rows.to_pylist()[1]
    assert row["share_low"] > row["chance"]
    assert (row["cause"], row["cost_share"] > 0.1) == (None, True)
    # A few blocks of collectives may be alike by chance. Rank 1 is last in two of the three collectives of each block,
    # so all resampled runs are the same.
    work = [[1000 + 500 * (r == (c % 3 > 0)) for r in range(2)] for c in range(15)]
    row = loop(tmp_path / "few", work).last_arrivals().to_pylist()[1]
    assert row["share_low"] == row["share_high"] == pytest.approx(2 / 3)
    assert row["late"] is False


def test_a_cause_is_held_against_the_causes_that_there_are(tmp_path: Path) -> None:
    # Regression: on a busy machine, the previous collective often releases a rank late. Rank 1, three times as slow,
    # was the cause of 55 % of the collectives, rank 0 of 18 %, and no rank of 27 %. 55 % is not clearly above one half.
    # Here no rank is the cause of half of the collectives, in which all compute equally long.
    work = [[1000, 3000] if c % 2 else [1000, 1000] for c in range(200)]
    row = loop(tmp_path / "d", work).last_arrivals().to_pylist()[1]
    assert (row["cause_share"], row["cause_chance"], row["cause"]) == (0.5, 0.25, True)


def test_what_a_cause_costs_is_told_of_the_part_of_the_run_that_was_asked_for(tmp_path: Path) -> None:
    # Rank 1 is slow only in the second half. No computing on the path names its operation.
    trace = loop(tmp_path / "d", [[1000, 1000]] * 60 + [[1000, 3000]] * 60)
    half = trace.last_arrivals(from_=60 * 1100).to_pylist()[1]
    assert (half["cause"], half["cost_share"]) == (True, pytest.approx(2000 / 3100))
    whole = trace.last_arrivals().to_pylist()[1]
    assert whole == trace.last_arrivals(operation="MPI_Allreduce").to_pylist()[1]
    assert whole["cost_share"] == pytest.approx(60 * 2000 / (60 * 3100 + 60 * 1100 - 1000))


def test_few_collectives_clear_nobody_who_costs_a_tenth_of_the_path(tmp_path: Path) -> None:
    # Rank 3 of 6 is last in 9 of 14 collectives. Regression: 5 blocks do not suffice at a level for six ranks, so no
    # rank was blamed although this computing was a fifth of the path.
    lasts = [3] * 4 + [1, 2, 0] + [3] * 3 + [4, 5] + [3] * 2
    trace = loop(tmp_path / "few", [[1000 + 500 * (r == last) for r in range(6)] for last in lasts])
    row = trace.last_arrivals().to_pylist()[3]
    assert (row["cause"], row["cost_share"] > 0.1) == (None, True)
