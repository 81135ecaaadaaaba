"""The rules of critical paths in the whole product: an archive is drawn, converted and read.

tests/paths tests the rules themselves, on drawn tables.
"""

from pathlib import Path
from typing import Any

import pytest
from archive_drawing import DOWN, UP, Drawing, Place, hop_tag

PATH = ("rank", "category", "begin_ns", "end_ns")


def path_of(tables: dict[str, list[dict[str, Any]]], collective: int) -> list[tuple[Any, ...]]:
    """A collective's critical path."""
    stretches = [
        s for s in tables["path_stretches"] if s["path"] == "collective" and s["path_collective_id"] == collective
    ]
    return [tuple(stretch[name] for name in PATH) for stretch in sorted(stretches, key=lambda s: s["begin_ns"])]


@pytest.mark.parametrize(
    ("op", "root", "leaves", "expected"),
    [
        # enters: rank 0 at 0, rank 1 at 20, rank 2 at 10
        ("MPI_Allreduce", None, (80, 40, 40), (0, "native", 20, 80)),
        ("MPI_Barrier", None, (40, 80, 40), (1, "native", 20, 80)),
        ("MPI_Bcast", 1, (80, 40, 40), (0, "native", 20, 80)),  # from the root's enter
        ("MPI_Bcast", 0, (30, 40, 80), (2, "native", 10, 80)),  # the root entered before: rank 2's own enter
        ("MPI_Scatterv", 0, (80, 40, 40), (0, "native", 0, 80)),  # the root waits for no rank
        ("MPI_Reduce", 0, (80, 40, 40), (0, "native", 20, 80)),  # the root waits for the last enter
        ("MPI_Gather", 0, (40, 40, 80), (2, "native", 10, 80)),  # a rank that only sends waits for no rank
        ("MPI_Scan", None, (40, 40, 80), (2, "native", 20, 80)),  # from the last enter of ranks 0 to 2
        ("MPI_Scan", None, (80, 40, 40), (0, "native", 0, 80)),  # rank 0 waits for no rank
        ("MPI_Exscan", None, (40, 80, 40), (1, "native", 20, 80)),  # rank 0 entered before: rank 1's own enter
        ("MPI_Neighbor_alltoall", None, (80, 40, 40), (0, "native", 0, 80)),
    ],
)
def test_without_hops_the_library_is_one_stretch_that_leads_where_the_operation_says(
    *, op: str, root: int | None, leaves: tuple[int, int, int], expected: tuple[Any, ...], tmp_path: Path, rows: Any
) -> None:
    drawing = Drawing(tmp_path, [Place("h0")] * 3)
    for rank, (enter, leave) in enumerate(zip((0, 20, 10), leaves, strict=True)):
        drawing.collective(rank, enter, leave, op, root=root)
    assert path_of(rows(drawing), 0) == [expected]


def test_over_a_tree_a_path_follows_the_hops_that_were_waited_for(tmp_path: Path, rows: Any) -> None:
    """Rank 1 is late. Rank 0 waits for its hop from 10 on, and passes the result back to it.

    Rank 1 leaves last. From there the path goes back over the hop down, sent at 55, and the hop up, sent at 40, to rank
    1's work.
    """
    drawing = Drawing(tmp_path, [Place("h0"), Place("h1", "far")])
    tree = drawing.shadow(drawing.world, "flat")
    drawing.collective(0, 0, 60, "MPI_Allreduce", engine="tree")
    drawing.collective(1, 30, 80, "MPI_Allreduce", engine="tree")
    drawing.hop(tree, 1, 0, hop_tag(UP, 0), send=(40, 42), receive=(5, 50), receive_wait=10, request=1)
    drawing.hop(tree, 0, 1, hop_tag(DOWN, 0), send=(55, 57), receive=(43, 75), receive_wait=45, request=2)
    tables = rows(drawing)
    assert [hop["binding"] for hop in tables["hops"]] == ["recv", "recv"]
    assert path_of(tables, 0) == [
        (1, "local", 30, 40), (0, "wan", 40, 50), (0, "local", 50, 55), (1, "wan", 55, 75), (1, "local", 75, 80),
    ]  # fmt: skip
