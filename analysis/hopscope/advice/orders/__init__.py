"""Other rank orders: places the ranks on the same hosts so that less time is spent on slow links.

places     where the ranks were
traffic    who sent whom how much
costs      what a message costs between two hosts
partition  a first placement, by a graph library
swaps      betters it
leaders    which hops belong to hosts, whoever runs there
rerun      what the run takes in it
suggest    puts it together
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopscope.advice.orders.description import DESCRIPTION
from hopscope.mpi_libraries.rank_files import LAUNCHERS
from hopscope.replay.candidate import HasTables

if TYPE_CHECKING:
    from hopscope.advice.orders.suggest import Order

__all__ = ["DESCRIPTION", "LAUNCHERS", "reorder"]


def reorder(trace: HasTables) -> Order:
    """Another rank order on the same hosts; see `Order`. Its table's columns are in DESCRIPTION.

    Raises InputError where the hosts are not the launcher's to choose, or nothing was sent.
    """
    from hopscope.advice.orders.suggest import suggest  # late: the graph library

    return suggest(trace.table)
