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

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.mpi_libraries.rank_files import LAUNCHERS, launcher_for, write_order
from hopscope.replay.candidate import HasTables

if TYPE_CHECKING:
    from hopscope.advice.orders.suggest import Order

__all__ = ["LAUNCHERS", "reorder"]


def reorder(
    trace: HasTables, output: Path | None = None, *, launcher: str | None = None, mpi_library: str | None = None
) -> Order:
    """Another rank order on the same hosts; see `Order`. sql/computed/reorder.sql describes its table's columns.

    output: writes the order there, if it is suggested, as the launcher reads it. launcher: one of `LAUNCHERS`, by
    default that of `mpi_library`, the run's. Raises InputError if the launcher is unknown or cannot choose the hosts,
    or nothing was sent.
    """
    from hopscope.advice.orders.suggest import suggest  # late: the graph library

    launcher_name = None if output is None else launcher_for(launcher, mpi_library)
    order = suggest(trace.table)
    if output is None or launcher_name is None or not order.is_suggested:
        return order
    return replace(order, file=write_order(output, launcher_name, order.hosts, mpi_library))
