"""Each rank's time in bins: sums worked out by hand, and sums computed from the calls."""

import shutil
from pathlib import Path
from typing import Any

import hopscope
import numpy as np
import pytest
from archive_drawing import DOWN, UP, Drawing, Place, hop_tag
from hopscope import timeline
from hopscope.errors import InputError
from hopscope.vocabulary.words import CATEGORIES
from whole_archives import TRACES

WORDS = list(CATEGORIES)


def late_rank(path: Path) -> Drawing:
    """Rank 1 is late to an Allreduce over a tree between two sites.

    rank 0: Init 0-10 | compute | Allreduce 100-160, waiting from 110 to 150 | compute | Finalize 500-512
    rank 1: Init 0-10 | compute | Allreduce 130-180, waiting from 145 to 175 | compute | Finalize 500-512
    """
    drawing = Drawing(path, [Place("h0"), Place("h1", "far")])
    tree = drawing.shadow(drawing.world, "flat")
    for rank, (enter, leave) in enumerate([(100, 160), (130, 180)]):
        drawing.span(rank, 0, 10, "MPI_Init")
        drawing.collective(rank, enter, leave, "MPI_Allreduce", engine="tree")
        drawing.span(rank, 500, 512, "MPI_Finalize")
    drawing.hop(tree, 1, 0, hop_tag(UP, 0), send=(140, 142), receive=(105, 150), receive_wait=110, request=1)
    drawing.hop(tree, 0, 1, hop_tag(DOWN, 0), send=(155, 157), receive=(143, 175), receive_wait=145, request=2)
    return drawing


def test_bins_hold_each_ranks_time_by_category_and_the_path(tmp_path: Path, rows: Any) -> None:
    """Each rank's three calls allow three bins: 0-256, 256-512 and 512-768; then two of 512, then one of 1024.

    The path ends at rank 0's Finalize, at 500. It has rank 0's computing from 160 on, 150-160 in the Allreduce, the hop
    that rank 1 sent at 140, and before that rank 1's time.
    """
    bins = {
        (row["kind"], row["level"], row["begin_ns"], row["rank"], row["category"]): row["time_ns"]
        for row in rows(late_rank(tmp_path))["time_bins"]
    }
    first_bins = {(0, "local"): 20, (0, "mpi"): 10, (0, "wan"): 40, (1, "local"): 20, (1, "mpi"): 10, (1, "wan"): 30}
    path = {(0, "compute"): 96, (0, "local"): 10, (0, "wan"): 10,
            (1, "compute"): 120, (1, "local"): 10, (1, "mpi"): 10}  # fmt: skip
    all_time = {**first_bins, (0, "mpi"): 22, (1, "mpi"): 22}
    all_path = {**path, (0, "compute"): 340}
    assert bins == {
        **{("ranks", 8, 0, *key): time for key, time in first_bins.items()},
        **{("ranks", 8, 256, rank, "mpi"): 12 for rank in (0, 1)},
        **{("ranks", level, 0, *key): time for level in (9, 10) for key, time in all_time.items()},
        **{("path", 8, 0, *key): time for key, time in path.items()},
        ("path", 8, 256, 0, "compute"): 244,
        **{("path", level, 0, *key): time for level in (9, 10) for key, time in all_path.items()},
    }


def test_columns_have_the_computing_too_and_hosts_are_the_sum_of_their_ranks(tmp_path: Path) -> None:
    line = hopscope.open(late_rank(tmp_path).write()).timeline
    columns = line.columns(0, 512, 2)
    assert (columns.begin_ns, columns.width_ns, columns.end_ns, columns.exact) == (0, 256, 512, True)
    assert [row["rank"] for row in columns.rows] == [0, 1]
    # 0-256: rank 0 is in MPI for 70 ns, rank 1 for 60. 256-512: both for 12.
    assert columns.time_ns[WORDS.index("compute")].tolist() == [[186, 244], [196, 244]]
    assert columns.time_ns.sum(axis=0).tolist() == [[256, 256]] * 2
    assert columns.path_ns.sum(axis=(0, 1)).tolist() == [256, 244]
    hosts = line.columns(0, 512, 2, by="host")
    assert [(row["host"], row["ranks"]) for row in hosts.rows] == [("h0", 1), ("h1", 1)]
    assert (hosts.time_ns == columns.time_ns).all()
    only = line.columns(0, 512, 2, host="h1")
    assert [row["rank"] for row in only.rows] == [1]
    assert (only.time_ns == columns.time_ns[:, 1:]).all()
    assert (only.path_ns == columns.path_ns[:, 1:]).all()


def test_columns_have_what_was_waiting_for_another_rank(tmp_path: Path) -> None:
    # Rank 0 enters at 100 and needs rank 1, which enters at 130. The time after that is transfer. Rank 1 waits for no
    # rank.
    line = hopscope.open(late_rank(tmp_path).write()).timeline
    columns = line.columns(0, 512, 4, waiting=True)
    assert columns.waiting_ns is not None
    assert columns.waiting_ns.tolist() == [[28, 2, 0, 0], [0, 0, 0, 0]]
    for end, waited in ((512, 30), (110, 10)):
        called = {row["operation"]: row["waiting_ns"] for row in line.operations(0, end)}
        assert called["MPI_Allreduce"] == sum(called.values()) == waited
    assert line.columns(0, 512, 4).waiting_ns is None


def test_a_range_is_cut_to_the_run_and_one_without_any_time_is_refused(tmp_path: Path) -> None:
    line = hopscope.open(late_rank(tmp_path).write()).timeline
    whole = line.columns(-5, 10_000, 4)
    assert (whole.begin_ns, whole.end_ns, whole.level) == (0, 512, 7)
    assert line.columns(100, 101, 500).time_ns.shape == (len(WORDS), 2, 1)  # no column is shorter than 1 ns
    for begin, end in ((512, 600), (40, 40), (50, 40)):
        with pytest.raises(InputError, match="holds nothing"):
            line.columns(begin, end)
    with pytest.raises(InputError, match="no host 'h7'; its hosts are h0, h1"):
        line.columns(host="h7")


def test_what_lies_in_a_range_is_listed_unless_there_is_too_much(tmp_path: Path) -> None:
    line = hopscope.open(late_rank(tmp_path).write()).timeline
    marks = line.marks(151, 158)
    assert marks["hops"] == [
        {"src": 0, "dst": 1, "send_begin_ns": 155, "recv_end_ns": 175, "link": "wan", "bytes": 8}
    ]  # fmt: skip
    assert [(p["rank"], p["category"], p["begin_ns"]) for p in marks["path"] or []] == [(0, "local", 150)]
    assert [(c["comm"], c["seq"]) for c in marks["collectives"] or []] == [(0, 0)]
    assert (marks["messages"], marks["regions"]) == ([], [])
    assert line.marks(0, 512, limit=1)["hops"] is None
    assert [(row["name"], row["comm"], row["seq"]) for row in line.at(1, 150)] == [("MPI_Allreduce", 0, 0)]
    assert line.at(1, 200) == []


@pytest.mark.parametrize("trace", TRACES)
def test_bins_of_every_level_are_the_sums_of_the_calls_themselves(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    shutil.copytree(trace, run, ignore=shutil.ignore_patterns("dataset*"))
    opened = hopscope.open(run)
    line = opened.timeline
    assert line.levels is not None
    for level in range(line.levels[0], line.levels[1] + 1):
        columns = ((line.duration_ns - 1) >> level) + 1
        monkeypatch.setattr(timeline, "EXACT_ROWS", 1 << 40)
        exact = line.columns(0, None, columns)
        monkeypatch.setattr(timeline, "EXACT_ROWS", -1)
        binned = line.columns(0, None, columns)
        assert (exact.exact, binned.exact) == (True, False)
        assert exact.level == binned.level == level
        assert (exact.time_ns == binned.time_ns).all()
        assert (exact.path_ns == binned.path_ns).all()
        assert exact.time_ns.min() >= 0
        assert (line.columns(0, None, columns, by="host").time_ns.sum(axis=1) == exact.time_ns.sum(axis=1)).all()
    exact = line.columns(0, None, 1)
    # Every nanosecond of every thread and of the path is in one category.
    threads = {row["rank"]: row["n"] for row in opened.sql(
        "select ranks.rank, greatest(1, count(distinct location)) as n from ranks left join (from calls select rank, "
        "location union all from intervals select rank, location where kind <> 'region') using (rank) group by all"
    ).to_pylist()}  # fmt: skip
    alive = {r["rank"]: threads[r["rank"]] * (r["last_event_ns"] - r["first_event_ns"]) for r in line.ranks}
    in_rows = exact.time_ns.sum(axis=(0, 2)).tolist()
    assert {row["rank"]: time for row, time in zip(exact.rows, in_rows, strict=True)} == alive
    path_times = dict.fromkeys(WORDS, 0) | {
        row["category"]: row["time_ns"]
        for row in opened.sql(
            "select category, sum(end_ns - begin_ns)::bigint as time_ns "
            "from path_stretches where path = 'run' group by 1"
        ).to_pylist()
    }
    assert dict(zip(WORDS, np.sum(exact.path_ns, axis=(1, 2)).tolist(), strict=True)) == path_times
