"""The list of trees over which collectives ran, and the note that replaces it if there are none."""

from pathlib import Path

import hopscope
from drawing import cells, draw, expected

RANKS = "rank host cluster\n0 a A\n1 a A\n2 b B\n3 b B"
COMMS = "comm name size members\n0 world 4 0,1,2,3"
COLUMNS = "collective_id role src dst bytes link send_begin_ns recv_end_ns source"
# Recursive doubling.
EXCHANGE = """
0 - 0 1 8 shm 0 1 native
0 - 1 0 8 shm 0 1 native
0 - 2 3 8 shm 0 1 native
0 - 3 2 8 shm 0 1 native
0 - 0 2 8 wan 2 9 native
0 - 2 0 8 wan 2 9 native
0 - 1 3 8 wan 2 9 native
0 - 3 1 8 wan 2 9 native
"""
# From rank 1, first to rank 3.
BCAST = """
1 - 1 3 8 wan 10 19 native
1 - 1 2 8 wan 11 19 native
1 - 1 0 8 shm 12 13 native
"""
NOTE = "no collective whose hops are known ran on a tree"


def run(directory: Path, *parts: str) -> hopscope.Trace:
    collectives = "comm seq op root comm_size bytes\n0 0 MPI_Allreduce - 4 8\n0 1 MPI_Bcast 1 4 8"
    hops = {"hops": "\n".join([COLUMNS, *(part.strip() for part in parts)])} if parts else {}
    return hopscope.open(draw(directory, ranks=RANKS, comms=COMMS, collectives=collectives, **hops))


def test_a_tree_of_the_mpi_library_is_one_that_ran(tmp_path: Path) -> None:
    # Regression: the note was that no collective ran on a tree.
    answer = run(tmp_path / "d", EXCHANGE, BCAST).answer("trees")
    columns = ("tree", "comm", "root", "role", "rank", "parent", "child_order", "link", "cluster")
    assert cells(answer.table, *columns) == expected("""
        tree,comm,root,role,rank,parent,child_order,link,cluster
        linear,0,1,down,0,1,2,shm,A
        linear,0,1,down,1,,0,,A
        linear,0,1,down,2,1,1,wan,B
        linear,0,1,down,3,1,0,wan,B
    """)
    assert not any(NOTE in note for note in answer.notes)


def test_that_none_ran_is_said_of_exchanges_and_without_hops(tmp_path: Path) -> None:
    for name, parts in (("exchange", [EXCHANGE]), ("none", [])):
        answer = run(tmp_path / name, *parts).answer("trees")
        assert answer.rows == []
        assert NOTE in answer.notes[0]
