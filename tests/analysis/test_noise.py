"""Noise: computing beyond the rank's own median at its call site. It needs 20 occurrences, and must not be shared by
most ranks.

The drawing: two or three ranks that compute 30 ms and enter an Allreduce, 25 times, at one call site. This makes 24
gaps. The first gap is left out, so 23 count.
"""

from pathlib import Path

import hopscope
from drawing import cells, draw, expected

MS = 1_000_000


def iterations(
    directory: Path,
    work: list[list[float]],
    call_site: str = "app+0x1",
    path: str | None = None,
    intervals: str | None = None,
) -> hopscope.Trace:
    """A trace in which rank r computes work[i][r] ms before its Allreduce i. All ranks leave it 1 ms after the last
    enter."""
    calls = ["collective_id rank enter_ns leave_ns call_site"]
    begin = 0.0
    for i, row in enumerate(work):
        end = begin + max(row) + 1
        calls += [f"{i} {r} {int((begin + w) * MS)} {int(end * MS)} {call_site}" for r, w in enumerate(row)]
        begin = end
    ranks = range(len(work[0]))
    tables = {
        "ranks": "rank\n" + "\n".join(map(str, ranks)),
        "comms": f"comm name size members\n0 w {len(ranks)} {','.join(map(str, ranks))}",
        "collectives": "comm seq comm_size\n" + "\n".join(f"0 {i} {len(ranks)}" for i in range(len(work))),
        "calls": "\n".join(calls),
    }
    if path:
        tables["path_stretches"] = path
    if intervals:
        tables["intervals"] = intervals
    return hopscope.open(draw(directory, **tables))


LATENESS = ("rank", "late_1ms", "late_5ms", "late_10ms", "late_30ms", "noise_ns")


def test_spikes_are_counted_by_their_height(tmp_path: Path) -> None:
    # Rank 1 has spikes of 3, 7, 12 and 40 ms; rank 0 one of 2 ms in an iteration of its own. The medians are 30 ms.
    work = [[30.0, 30.0, 30.0] for _ in range(25)]
    for i, spike in ((5, 3), (9, 7), (13, 12), (20, 40)):
        work[i][1] += spike
    work[7][0] += 2
    assert cells(iterations(tmp_path / "d", work).noise(), *LATENESS) == expected("""
        rank,late_1ms,late_5ms,late_10ms,late_30ms,noise_ns
        0,1,0,0,0,2000000
        1,4,3,2,1,62000000
        2,0,0,0,0,0
        any rank,5,3,2,1,64000000
    """)


def test_the_first_occurrence_is_warm_up_and_no_noise(tmp_path: Path) -> None:
    # The first gap is the one before Allreduce 1, because nothing precedes Allreduce 0.
    work = [[30.0, 30.0] for _ in range(25)]
    work[1][1] += 50
    assert cells(iterations(tmp_path / "d", work).noise(), *LATENESS)[2] == {
        "rank": "any rank", "late_1ms": "0", "late_5ms": "0", "late_10ms": "0", "late_30ms": "0", "noise_ns": "0",
    }  # fmt: skip


def test_a_place_with_fewer_than_twenty_occurrences_cannot_be_judged(tmp_path: Path) -> None:
    # 20 Allreduces have 19 gaps between them, which are too few: the noise is unknown, not 0. 21 Allreduces have 20
    # gaps.
    work = [[30.0, 30.0] for _ in range(20)]
    work[9][1] += 50
    assert iterations(tmp_path / "few", work).noise()["noise_ns"].to_pylist() == [None, None, None]
    trace = iterations(tmp_path / "enough", [*work, [30.0, 30.0]])
    assert trace.noise()["noise_ns"].to_pylist() == [0, 50 * MS, 50 * MS]


def test_work_that_grows_for_most_ranks_at_once_is_no_noise(tmp_path: Path) -> None:
    # In iteration 10 all three ranks compute 20 ms more, and rank 2 another 4 ms: only these 4 ms are noise. In
    # iteration 12 two of three ranks compute 10 ms more, which is most of them. In iteration 14 one of three does,
    # which is noise.
    work = [[30.0, 30.0, 30.0] for _ in range(25)]
    work[10] = [50.0, 50.0, 54.0]
    work[12] = [40.0, 40.0, 30.0]
    work[14] = [40.0, 30.0, 30.0]
    assert cells(iterations(tmp_path / "d", work).noise(), "rank", "noise_ns", "late_5ms") == expected("""
        rank,noise_ns,late_5ms
        0,10000000,1
        1,0,0
        2,4000000,0
        any rank,14000000,1
    """)


def test_a_rank_that_is_always_slower_has_no_noise(tmp_path: Path) -> None:
    # Lateness in every iteration is normal for the rank. last-arrivals reports it, noise does not.
    assert iterations(tmp_path / "d", [[30.0, 33.0]] * 25).noise()["noise_ns"].to_pylist() == [0, 0, 0]


def test_a_neighbours_lateness_is_no_noise(tmp_path: Path) -> None:
    # Rank 1 computes 30 ms, then waits in MPI_Recv for 20 ms, once. The wait is MPI time, not computing.
    calls, intervals = ["collective_id rank enter_ns leave_ns"], ["rank begin_ns end_ns region kind"]
    for i in range(25):
        wait = 20 if i == 12 else 0
        begin = 100 * i
        for r in range(2):
            intervals.append(f"{r} {(begin + 30) * MS} {(begin + 31 + wait) * MS} MPI_Recv p2p")
            calls.append(f"{i} {r} {(begin + 32 + wait) * MS} {(begin + 100) * MS}")
    trace = hopscope.open(
        draw(
            tmp_path / "d",
            ranks="rank\n0\n1",
            comms="comm name size members\n0 w 2 0,1",
            collectives="comm seq comm_size\n" + "\n".join(f"0 {i} 2" for i in range(25)),
            calls="\n".join(calls),
            intervals="\n".join(intervals),
        )
    )
    assert trace.noise()["noise_ns"].to_pylist() == [0, 0, 0]


def test_noise_is_paid_for_only_where_the_critical_path_computes(tmp_path: Path) -> None:
    # Iteration i begins at 31 i. Rank 1's spike makes iteration 5 37 ms long. Of its computing, [155, 191], the path
    # takes 4 ms, which are noise on the critical path. Rank 0's spike of 2 ms in iteration 8 is off the path.
    work = [[30.0, 30.0] for _ in range(25)]
    work[5][1] += 6
    work[8][0] += 2
    path = f"path step rank begin_ns end_ns category\nrun 0 1 {187 * MS} {191 * MS} compute"
    table = iterations(tmp_path / "d", work, path=path).noise()
    assert cells(table, "rank", "noise_ns", "paid_ns") == expected("""
        rank,noise_ns,paid_ns
        0,2000000,0
        1,6000000,4000000
        any rank,8000000,4000000
    """)


def test_without_call_sites_the_operation_and_communicator_are_the_place(tmp_path: Path) -> None:
    work = [[30.0, 30.0] for _ in range(25)]
    work[9][0] += 12
    table = iterations(tmp_path / "d", work, call_site="-").noise()
    assert table["late_10ms"].to_pylist() == [1, 0, 1]


def test_iterations_add_up_to_the_noise(tmp_path: Path) -> None:
    work = [[30.0, 30.0] for _ in range(25)]
    work[9][0] += 12
    work[11][1] += 3
    trace = iterations(tmp_path / "d", work)
    rows = trace.iterations().to_pylist()
    assert [(r["iteration"], r["rank"], r["noise_ns"]) for r in rows if r["noise_ns"]] == [
        (9, 0, 12 * MS),
        (11, 1, 3 * MS),
    ]
    assert len(rows) == 50
    assert sum(r["noise_ns"] for r in rows) == trace.noise()["noise_ns"].to_pylist()[2]


def test_of_more_iterations_than_asked_for_the_worst_of_each_stretch_is_told(tmp_path: Path) -> None:
    # 25 iterations in 4 blocks of 7. The computing of the first two iterations is not evaluated. In iteration 20 two of
    # three ranks compute longer, which is not noise.
    work = [[30.0, 30.0, 30.0] for _ in range(25)]
    work[9][0] += 12
    work[11][0] += 3
    work[20][0] += 5
    work[20][1] += 7
    trace = iterations(tmp_path / "d", work)
    rows = trace.iterations(most=4, rank=0).to_pylist()
    assert [(row["from_iteration"], row["iteration"], row["noise_ns"]) for row in rows] == [
        (0, 0, 0),
        (7, 9, 12 * MS),
        (14, 14, 0),
        (21, 21, 0),
    ]
    longest = trace.iterations(most=4, rank=0, worst="computing").to_pylist()
    assert [row["iteration"] for row in longest] == [2, 9, 20, 21]
    assert [row["computing_ns"] for row in longest][2] == 35 * MS


def test_what_another_thread_does_in_mpi_shortens_no_gap_of_the_first(tmp_path: Path) -> None:
    # Rank 0's second thread is in MPI_Iprobe for half of each gap, but its first thread computes for the whole 30 ms.
    work = [[30.0, 30.0] for _ in range(25)]
    spans = [(31 * i * MS + 2 * MS, 31 * i * MS + 17 * MS) for i in range(25)]
    probes = "rank location begin_ns end_ns region\n" + "\n".join(f"0 7 {b} {e} MPI_Iprobe" for b, e in spans)
    trace = iterations(tmp_path / "d", work, intervals=probes)
    gaps = trace.sql("select distinct rank, computing_ns from computing_gaps order by all").to_pylist()
    # The second thread's own gaps are 16 ms.
    assert gaps == [{"rank": rank, "computing_ns": ms * MS} for rank, ms in ((0, 16), (0, 30), (1, 30))]
