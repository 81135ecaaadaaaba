"""Lateness and distance that were planted are found; what was not planted is not found.

Ranks sleep instead of working, so that on a machine with few cores nobody is late for want of one. The lateness is far
above what a busy machine adds to a sleep by itself.
"""

from pathlib import Path

import local_mpi
import pytest
from jobs import FIRST, HEAT_PLATE, Run, analyze, by_key, two_sites

pytestmark = pytest.mark.alone

RANKS, LATE = 4, 2
ITERATIONS = 80
LATE_MS = 20
WORK = ("--size", "16", "--tolerance", "0", "--iterations", str(ITERATIONS), "--sleep-ms", "6", "--quiet")
LATENESS = ("--late-rank", str(LATE), "--late-ms", str(LATE_MS))


@pytest.fixture(scope="module", params=["binomial", None], ids=["by the engine", "by the library"])
def late(request: pytest.FixtureRequest, first_mpi: local_mpi.LocalMpi, traced: Run) -> Path:
    # Whatever else the machine does can make other ranks late as well, so a run gets three chances to be undisturbed:
    # one in which the late rank really took longest nearly always, by its own and the others' clocks before MPI.
    for _ in range(3):
        job = traced(
            first_mpi, RANKS, *FIRST, first_mpi.compile(HEAT_PLATE), *WORK, *LATENESS, "--no-halo", tree=request.param,
            HOPSCOPE_NATIVE="1",
        )  # fmt: skip
        assert job.code == 0, job.err
        if undisturbed(job.trace):
            break
    return job.trace


def undisturbed(trace: Path) -> bool:
    """No rank but the late one computed about as long as that one in more than 2 % of the iterations."""
    slow = analyze(
        trace,
        "sql",
        "select count(distinct collective_id) n from (select collective_id, rank, "
        "enter_ns - lag(leave_ns) over (partition by rank order by enter_ns) as computed from calls) "
        f"where rank <> {LATE} and computed > {LATE_MS * 1_000_000}",
    )
    return slow[0]["n"] <= 0.02 * ITERATIONS


@pytest.fixture(scope="module")
def on_time(first_mpi: local_mpi.LocalMpi, traced: Run) -> Path:
    job = traced(first_mpi, RANKS, *FIRST, first_mpi.compile(HEAT_PLATE), *WORK, "--no-halo", tree="binomial")
    assert job.code == 0, job.err
    return job.trace


@pytest.fixture(scope="module")
def late_with_halo(first_mpi: local_mpi.LocalMpi, traced: Run) -> Path:
    job = traced(first_mpi, RANKS, *FIRST, first_mpi.compile(HEAT_PLATE), *WORK, *LATENESS, tree="binomial")
    assert job.code == 0, job.err
    return job.trace


def wan_run(mpi: local_mpi.LocalMpi, traced: Run, wan_ms: float) -> Path:
    work = ("--size", "16", "--tolerance", "0", "--iterations", "40", "--sleep-ms", "20", "--no-halo", "--quiet")
    job = traced(mpi, RANKS, *FIRST, mpi.compile(HEAT_PLATE), *work, tree="binomial", topology=two_sites(wan_ms))
    assert job.code == 0, job.err
    return job.trace


def test_a_rank_20_ms_late_is_the_last_arrival_in_more_than_95_percent(late: Path) -> None:
    rows = by_key(analyze(late, "last-arrivals"), "rank")
    assert rows[LATE]["share"] > 0.95
    assert rows[LATE]["waiting_ns"] > 0.9 * LATE_MS * 1e6 * (RANKS - 1) * ITERATIONS


def test_a_late_rank_is_the_compute_on_the_critical_path(late: Path) -> None:
    rows = by_key(analyze(late, "critical-path", "--by", "rank"), "rank")
    compute = by_key(analyze(late, "critical-path"), "category")["compute"]["time_ns"]
    # On a busy machine ranks wake up late from any sleep, and messages wait for them.
    assert rows[LATE]["compute_ns"] > 0.8 * compute
    assert rows[LATE]["compute_ns"] > 0.9 * LATE_MS * 1e6 * ITERATIONS
    categories = by_key(analyze(late, "critical-path"), "category")
    iterating = 1 - categories["mpi"]["share"]
    assert categories["compute"]["share"] / iterating > 0.6
    assert sum(row["share"] for row in categories.values()) == pytest.approx(1)


def test_without_the_lateness_nobody_is_found_late(on_time: Path) -> None:
    # Somebody is always last, if only by the microseconds that the tree releases it later; but not by milliseconds.
    rows = by_key(analyze(on_time, "last-arrivals"), "rank")
    assert rows[LATE]["share"] < 0.95
    assert rows[LATE]["waiting_ns"] < 0.5 * LATE_MS * 1e6 * (RANKS - 1) * ITERATIONS
    assert all(row["margin_ns"] < LATE_MS / 2 * 1e6 for row in rows.values() if row["share"] > 0.1)


def test_with_a_halo_exchange_the_late_rank_is_still_the_named_cause(late_with_halo: Path) -> None:
    rows = analyze(late_with_halo, "critical-path", "--by", "rank")
    assert max(rows, key=lambda row: row["share"])["rank"] == LATE
    causes = by_key(analyze(late_with_halo, "last-arrivals"), "rank")
    assert max(causes.values(), key=lambda row: row["cause_share"])["rank"] == LATE


def test_an_emulated_20_ms_link_gives_the_planted_wan_share(first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    # Two ranks a site in blocks: the binomial tree crosses once up and once down, 40 ms in each of 40 iterations. How
    # long the rest takes is up to the machine.
    trace = wan_run(first_mpi, traced, 20)
    wan = by_key(analyze(trace, "critical-path"), "category")["wan"]
    assert 0.95 * 40 * 40e6 < wan["time_ns"] < 1.5 * 40 * 40e6
    assert by_key(analyze(trace, "wan-share"), "scope")["critical_path"]["share"] == pytest.approx(wan["share"])


def test_without_the_link_there_is_no_wan_share(first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    rows = by_key(analyze(wan_run(first_mpi, traced, 0), "wan-share"), "scope")
    assert rows["critical_path"]["share"] < 0.1


def test_stretches_add_up_to_every_path_s_length(late: Path, late_with_halo: Path) -> None:
    for trace in (late, late_with_halo):
        uneven = analyze(
            trace,
            "sql",
            "select count(*) n from (select path, path_collective_id, max(end_ns) - min(begin_ns) as length, "
            "sum(end_ns - begin_ns) as total from path_stretches group by all) where length <> total",
        )
        assert uneven[0]["n"] == 0
