"""Other rank orders: places the ranks on the same hosts so that less time is spent on slow links.

places     hosts and clusters of the ranks
traffic    messages and bytes between ranks
costs      costs of a message between two hosts
partition  a first placement, by a graph library
swaps      improves it
leaders    hops that belong to hosts, not to ranks
rerun      time of the run in another order
suggest    combines these steps
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopscope.mpi_libraries.rank_files import LAUNCHERS
from hopscope.replay.candidate import HasTables

if TYPE_CHECKING:
    from hopscope.advice.orders.suggest import Order

__all__ = ["LAUNCHERS", "reorder"]


def reorder(trace: HasTables) -> Order:
    """Another rank order on the same hosts; see `Order`. sql/computed/reorder.sql describes its table's columns.

    Raises InputError if the launcher cannot choose the hosts, or nothing was sent.
    """
    from hopscope.advice.orders.suggest import suggest  # late: the graph library

    return suggest(trace.table)
