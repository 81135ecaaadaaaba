"""The hops over one edge, in three Allreduces in which rank 1 sends to rank 0 and gets the result back."""

from pathlib import Path

import hopscope
import pytest
from drawing import cells, draw, expected
from hopscope.errors import InputError

COLLECTIVES = """
collective_id comm seq op            first_enter_ns
0             0    0   MPI_Allreduce 100
1             0    1   MPI_Allreduce 200
2             3    0   MPI_Reduce    900
"""
HOPS = """
collective_id role src dst send_begin_ns recv_end_ns binding link bytes
0             up    1   0   110           120         recv    wan  8
0             down  0   1   125           140         recv    wan  8
1             up    1   0   210           260         none    wan  8
2             up    1   0   910           915         recv    wan  64
"""


def test_every_hop_over_an_edge_is_there_with_what_it_took(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "dataset", collectives=COLLECTIVES, hops=HOPS))
    columns = ("collective", "operation", "role", "begin_ns", "took_ns", "binding", "hops")
    assert cells(trace.edge_hops(src=1, dst=0), *columns) == expected("""
        collective, operation,     role, begin_ns, took_ns, binding, hops
        0:0,        MPI_Allreduce, up,    110,      10,      recv,    1
        0:1,        MPI_Allreduce, up,    210,      50,      none,    1
        3:0,        MPI_Reduce,    up,    910,      5,       recv,    1""")
    assert cells(trace.edge_hops(src=0, dst=1), "role", "took_ns") == expected("role, took_ns\ndown, 15")
    with pytest.raises(InputError, match="analyze tree-edges"):
        trace.edge_hops(src=0, dst=2)


def test_of_too_many_hops_each_stretch_of_time_has_its_longest(tmp_path: Path) -> None:
    # The run lasts from 110 to 910. Its first half has two hops; the second one took longer.
    trace = hopscope.open(draw(tmp_path / "dataset", collectives=COLLECTIVES, hops=HOPS))
    assert cells(trace.edge_hops(src=1, dst=0, most=2), "begin_ns", "took_ns", "hops") == expected("""
        begin_ns, took_ns, hops
        210,      50,      2
        910,      5,       1""")
