"""Classes of lateness and periods of noise: those that are planted in a run are found, and a clean run has none."""

from itertools import product
from pathlib import Path

import hopscope
import numpy as np
import pyarrow as pa
import pytest
from drawing import draw
from hopscope.explain.periodogram import periodogram
from hopscope.explain.periods import answer
from noise_traces import GAP, with_period, without_period
from scipy.signal import lombscargle

MS = 1_000_000


def run(
    directory: Path, delays: list[dict[int, int]], ranks: int = 4, sites: int = 1, period: int = 20 * MS
) -> hopscope.Trace:
    """A run of Allreduces every 20 ms. Before each, a rank computes 10 ms plus its delay. The Allreduces come from
    `sites` call sites in turn."""
    places = ["rank host cluster first_event_ns last_event_ns", *(f"{r} a A 0 1" for r in range(ranks))]
    collectives = ["collective_id comm seq op comm_size first_enter_ns last_enter_ns last_leave_ns"]
    calls = ["collective_id rank location enter_ns leave_ns call_site"]
    for n, extra in enumerate([{}, *delays]):  # the computing before the first one is unknown
        released = period * n
        enters = [released + period // 2 + extra.get(rank, 0) for rank in range(ranks)]
        leave = released + period
        collectives.append(f"{n} 0 {n} MPI_Allreduce {ranks} {min(enters)} {max(enters)} {leave}")
        calls += [f"{n} {rank} {rank} {enter} {leave} app+{n % sites}" for rank, enter in enumerate(enters)]
    comms = f"comm name size members\n0 world {ranks} {','.join(map(str, range(ranks)))}"
    tables = {"ranks": "\n".join(places), "collectives": "\n".join(collectives), "calls": "\n".join(calls)}
    return hopscope.open(draw(directory, comms=comms, **tables))


def classes(trace: hopscope.Trace) -> list[str | None]:
    return trace.late_ranks()["class"].to_pylist()


def test_a_rank_that_is_always_late_is_told_from_one_with_spikes(tmp_path: Path) -> None:
    # Rank 2 computes 3 ms more every time, rank 0 9 ms more in 2 of 100, and rank 1 2 ms more in every fourth.
    delays = [{2: 3 * MS, 0: 9 * MS * (n in (30, 70)), 1: 2 * MS * (n % 4 == 0)} for n in range(100)]
    trace = run(tmp_path / "d", delays, ranks=8)
    assert classes(trace) == ["spikes", "sometimes", "always", *["never"] * 5]
    rows = trace.late_ranks().to_pylist()
    assert [row["share"] for row in rows] == [0.02, 0.25, 1.0, *[0.0] * 5]
    # The lower quartile of the eight is a rank that computes 10 ms, so the lateness is the planted delay.
    assert (rows[2]["typical_ns"], rows[0]["worst_ns"]) == (3 * MS, 9 * MS)
    assert {row["step"] for row in rows} == {None}
    # The user decides how often is `always`: rank 1's interval contains a quarter.
    assert trace.late_ranks(often=0.1)["class"].to_pylist()[1] == "always"
    assert trace.late_ranks(rare=0.5)["class"].to_pylist()[1] == "spikes"


@pytest.mark.parametrize(("ranks", "late_ranks"), [(2, (1,)), (3, (1, 2)), (4, (2, 3))])
def test_half_of_the_ranks_or_more_are_late_by_all_that_they_compute_longer(
    tmp_path: Path, ranks: int, late_ranks: tuple[int, ...]
) -> None:
    # Regression: lateness was relative to the median. So the delay of one of two ranks was halved, and two of three
    # ranks were never late.
    rows = run(tmp_path / "d", [dict.fromkeys(late_ranks, 3 * MS)] * 40, ranks=ranks).late_ranks().to_pylist()
    assert [row["class"] for row in rows] == ["always" if rank in late_ranks else "never" for rank in range(ranks)]
    assert {row["typical_ns"] for row in rows if row["rank"] in late_ranks} == {3 * MS}


@pytest.mark.parametrize(("sites", "turn"), [(1, "iteration"), (290, "time between collectives")])
def test_in_a_short_run_a_rank_is_late_by_a_share_of_the_time_per_collective(
    tmp_path: Path, sites: int, turn: str
) -> None:
    # 290 Allreduces every 20 us take 5.8 ms. Rank 3 computes 20 us instead of 10. Regression: no rank was late, because
    # the limit was 1 ms. Now it is 5 % of 20 us, also if each Allreduce comes from its own call site.
    trace = run(tmp_path / "d", [{3: 10_000}] * 290, sites=sites, period=20_000)
    answer = trace.answer("late-ranks")
    assert [row["class"] for row in answer.rows] == [*["never"] * 3, "always"]
    assert {row["limit_ns"] for row in answer.rows} == {1000}
    assert (
        f"a rank is late if it computed 1.00 µs longer than the faster members: 5 % of the median {turn}; --least-ms "
        "sets another limit"
    ) in answer.notes
    limited = trace.answer("late-ranks", least_ms=1.0)
    assert {row["class"] for row in limited.rows} == {"never"}
    assert "a rank is late if it computed 1.00 ms longer than the faster members (--least-ms)" in limited.notes


def test_the_collectives_of_an_iteration_share_its_limit(tmp_path: Path) -> None:
    # Ten Allreduces make an iteration of 200 ms. Rank 3 computes 3 ms longer before each of them: 30 ms in all. The
    # limit is 5 % of 20 ms; with 5 % of 200 ms rank 3 would never be late.
    answer = run(tmp_path / "d", [{3: 3 * MS}] * 200, sites=10).answer("late-ranks")
    assert [row["class"] for row in answer.rows] == [*["never"] * 3, "always"]
    assert {row["limit_ns"] for row in answer.rows} == {MS}
    assert any("5 % of the median iteration per collective, of which it has 10;" in note for note in answer.notes)


def test_ranks_that_are_late_by_turns_rotate(tmp_path: Path) -> None:
    # Ranks 0, 1, 2, 3, 0, ... are late in turn: each in a quarter of the collectives, moving on by one.
    trace = run(tmp_path / "d", [{n % 4: 3 * MS} for n in range(80)])
    assert classes(trace) == ["rotating"] * 4
    assert trace.late_ranks()["step"].to_pylist() == [1] * 4


@pytest.mark.parametrize("falling_in", [True, False])
def test_turns_stand_a_late_collective_that_is_out_of_turn(tmp_path: Path, falling_in: bool) -> None:
    # Of eight ranks the even ones, 0, 2, 4 and 6, are late in turn. In every eighth collective rank 3 is late, between
    # two turns or instead of one. Regression: each of these broke two moves of seven, so no pattern was left.
    turns = [2 * n % 8 for n in range(70)]
    late_ranks = list(turns)
    for n in range(7, 70, 8):
        if falling_in:
            late_ranks.insert(n, 3)
        else:
            late_ranks[n] = 3
    trace = run(tmp_path / "d", [{rank: 3 * MS} for rank in late_ranks], ranks=8)
    assert classes(trace) == ["rotating", "never", "rotating", "sometimes", "rotating", "never", "rotating", "never"]
    assert trace.late_ranks()["step"].to_pylist() == [2] * 8


def test_ranks_that_are_late_at_random_do_not_rotate(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    trace = run(tmp_path / "d", [{int(random.integers(4)): 3 * MS} for _ in range(80)])
    assert classes(trace) == ["sometimes"] * 4


def test_too_few_collectives_have_no_class_and_the_least_lateness_is_the_users(tmp_path: Path) -> None:
    assert classes(run(tmp_path / "few", [{2: 3 * MS}] * 11)) == [None] * 4
    trace = run(tmp_path / "many", [{2: 3 * MS}] * 40)
    assert trace.late_ranks(least_ms=5.0)["class"].to_pylist() == ["never"] * 4


def noise(at_ns: np.ndarray, values: np.ndarray) -> pa.Table:
    units = np.ones(len(at_ns), int)
    columns = {
        "rank": 0 * units,
        "at_ns": at_ns,
        "noise_ns": values,
        "iterations": units,
        "noisy": units * (values > 0),
    }
    return pa.table(columns)


def uneven(random: np.random.Generator, n: int = 120) -> np.ndarray:
    return np.cumsum(random.exponential(10 * MS, n) + MS)


def test_noise_with_a_period_has_that_period() -> None:
    # 3 ms of noise in the first 20 of every 130 ms, seen at uneven times.
    random = np.random.default_rng(2)
    times_ns = uneven(random)
    row = answer(noise(times_ns, np.where(times_ns % (130 * MS) < 20 * MS, 3.0 * MS, 0)), None, {})[0]
    assert row["periodic"] is True
    assert row["period_ns"] == pytest.approx(130 * MS, rel=0.02)
    assert row["resolution_ns"] < 20 * MS


def test_noise_without_a_period_has_none() -> None:
    # Spikes with a heavy tail, and noise that lasts from gap to gap: 40 runs of each. 1 % of 80 is less than one; a
    # rate of 1 % gives 5 or more once in 600 tests.
    periodic = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        times_ns = uneven(random)
        spikes = np.where(random.random(len(times_ns)) < 0.1, random.pareto(1.5, len(times_ns)) * MS, 0)
        steps, lasting = random.standard_normal(len(times_ns)), np.zeros(len(times_ns))
        for i in range(1, len(times_ns)):
            lasting[i] = 0.7 * lasting[i - 1] + steps[i]
        for values in (spikes, np.maximum(lasting, 0) * MS):
            periodic += bool(answer(noise(times_ns, values), None, {})[0]["periodic"])
    assert periodic < 5


def test_too_little_noise_is_not_judged() -> None:
    times_ns = np.arange(1, 101) * 10.0 * MS
    values = np.zeros(100)
    values[[10, 50]] = MS
    row = answer(noise(times_ns, values), None, {})[0]
    assert (row["periodic"], row["period_ns"], row["noisy"]) == (None, None, 2)


def test_noise_that_is_the_same_all_the_time_has_no_period() -> None:
    # Gaps with and without noise alternate; in a long run two gaps are combined, so all have noise.
    row = answer(noise(np.arange(1, 101) * 10.0 * MS, np.full(100, 1.0 * MS)), None, {})[0]
    assert (row["periodic"], row["period_ns"]) == (None, None)


@pytest.mark.parametrize("even", [False, True])
def test_the_periodogram_is_that_of_scipy(even: bool) -> None:
    # With equal time steps, the sine has nothing to fit at the highest frequency.
    random = np.random.default_rng(3)
    times_ns = np.arange(300) * 10.0 * MS if even else uneven(random, 300)
    values = np.maximum(random.standard_normal(300), 0) * MS
    span = times_ns[-1] - times_ns[0]
    frequencies = np.linspace(4 / span, 149.5 / span, 583)
    slow = lombscargle(times_ns, values, 2 * np.pi * frequencies, normalize=True, floating_mean=True)
    assert periodogram(times_ns, values, frequencies) == pytest.approx(slow, rel=1e-9, abs=1e-12)


JITTERS = (500, 5_000, 50_000, 0.05 * GAP)


@pytest.mark.statistics
def test_of_2000_runs_without_a_period_at_most_one_in_a_hundred_has_one() -> None:
    # Regression: in 23 of 25 runs with 5 us of jitter, a single spike gave a period of exactly two iterations. The
    # spike's time was the iteration's end, which the spike itself had moved.
    runs = periods = 0
    for seed in range(100):
        for jitter in JITTERS:
            random = np.random.default_rng((seed, int(jitter)))
            for table in without_period(random, jitter, absorbed=seed % 2 == 0):
                runs += 1
                periods += any(row["periodic"] for row in answer(table, None, {}))
    assert runs == 2000
    assert periods <= 20


@pytest.mark.parametrize(
    ("duty", "periods"),  # periods in iterations, of 200: from three to a tenth of the run
    [
        (0, (3, 3.7, 5, 8.3)),
        (0.1, (13, 16.7)),
        (0.25, (5, 8.3, 13, 16.7, 18)),
        (0.45, (3, 3.7, 5, 8.3, 13, 16.7, 18)),
    ],
)
def test_planted_periods_are_found_and_are_right_in_nine_of_ten_runs(duty: float, periods: tuple[float, ...]) -> None:
    runs = right = 0
    for seed in range(3):
        for jitter in JITTERS:
            for amplitude, inexact in product((5 * jitter, 0.3 * GAP), periods):
                random = np.random.default_rng((seed, int(jitter)))
                period = inexact * GAP * 1.05 * random.uniform(1, 1.02)
                table = with_period(
                    random, period=period, duty=duty, amplitude=amplitude, jitter=jitter, iterations=200
                )
                row = answer(table, None, {})[0]
                runs += 1
                right += bool(row["periodic"]) and abs(row["period_ns"] - period) <= row["resolution_ns"]
    assert right >= 0.9 * runs


def test_one_absorbed_spike_is_no_period(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    delays = [{rank: int(random.normal(0, 5_000)) for rank in range(4)} for _ in range(100)]
    delays[41][1] += 4 * MS
    rows = run(tmp_path / "d", delays).noise(by="period").to_pylist()
    assert [row["periodic"] for row in rows] == [False] * 4


def test_the_programs_own_iteration_is_no_period(tmp_path: Path) -> None:
    # Three Allreduces make an iteration of 60 ms. The computing before the first one varies ten times as much as the
    # rest.
    random = np.random.default_rng(5)
    delays = [
        {rank: int(random.normal(0, 100_000 if (n + 1) % 3 == 0 else 10_000)) for rank in range(4)} for n in range(300)
    ]
    rows = run(tmp_path / "d", delays, sites=3).noise(by="period").to_pylist()
    assert [row["periodic"] for row in rows] == [False] * 4
    assert [row["iterations"] for row in rows] == [99] * 4


def test_a_period_that_is_a_whole_number_of_iterations_says_so() -> None:
    # Noise in every fifth iteration, and every 5.4 iterations: a run of 200 iterations can tell the two apart.
    rows = []
    for iterations in (5, 5.4):
        random = np.random.default_rng(6)
        times_ns = np.arange(200) * 20.0 * MS
        noisy = times_ns % (iterations * 20 * MS) < 20 * MS
        rows += answer(noise(times_ns, np.where(noisy, MS, 0) + random.random(200) * 10_000), None, {})
    assert [row["whole_iterations"] for row in rows] == [5, None]
    assert rows[1]["period_ns"] == pytest.approx(5.4 * 20 * MS, rel=0.01)


def test_of_a_long_run_neighbouring_iterations_are_taken_together(tmp_path: Path) -> None:
    # Each of the two ranks has room for 2,000 values. So three of 4,100 iterations are combined, and 2 are left over.
    delays = [{1: 3 * MS * (n % 50 < 6)} for n in range(4101)]
    row = run(tmp_path / "d", delays, ranks=2).noise(by="period").to_pylist()[1]
    assert (row["iterations"], row["periodic"]) == (4100, True)
    assert row["period_ns"] == pytest.approx(1000 * MS, rel=0.02)


def test_both_are_asked_of_a_trace(tmp_path: Path) -> None:
    trace = run(tmp_path / "d", [{2: 3 * MS * (n % 5 == 0)} for n in range(100)])
    rows = {row["rank"]: row for row in trace.noise(by="period").to_pylist()}
    assert rows[2]["period_ns"] == pytest.approx(100 * MS, rel=0.02)
    assert rows[0]["periodic"] is None
