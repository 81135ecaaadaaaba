"""The settings of a library for a run whose messages are not in its trace: none is predicted, each can be measured."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hopscope.mpi_libraries.offered import Library, operation_name
from hopscope.mpi_libraries.open_mpi.rules import size_in_rules
from hopscope.mpi_libraries.written import Choice
from hopscope.replay.candidate import Candidate

LEAST_TIME = 0.01
"""An operation with a smaller share of the time in all collectives stays as it is."""


def unfitted_settings(collectives: pa.Table, library: Library, reason: str) -> tuple[Candidate, ...]:
    """Every algorithm that the library has for the operations of a run, those with the most time first."""
    time_ns = pc.subtract(collectives["last_leave_ns"], collectives["last_enter_ns"])
    rows = collectives.select(["op", "comm_size", "bytes"]).append_column("taken", time_ns)
    kinds = rows.group_by(["op", "comm_size"]).aggregate([("taken", "sum"), ("bytes", "min"), ("bytes", "max")])
    whole = pc.sum(time_ns).as_py() or 0
    result: list[Candidate] = []
    for kind in kinds.sort_by([("taken_sum", "descending"), ("op", "ascending")]).to_pylist():
        operation, ranks = operation_name(kind["op"]), kind["comm_size"]
        if ranks < 2 or kind["taken_sum"] < LEAST_TIME * whole:
            continue
        ends = [size_in_rules(operation, ranks, kind[f"bytes_{end}"] or 0) for end in ("min", "max")]
        extra_settings = (library.extra_settings[operation],) if operation in library.extra_settings else ()
        for offered in library.algorithms:
            if offered.operation == operation:
                by_rules = library.flavour == "openmpi" and bool(ends[1])
                choice = Choice(offered, ranks, ends[0] or 0, ends[1]) if by_rules else Choice(offered, ranks)
                name = f"{offered.name} for {kind['op']} on {ranks} ranks"
                result.append(
                    Candidate(
                        name,
                        "setting",
                        (kind["op"],),
                        reason_unpredicted=reason,
                        choices=(choice,),
                        besides=extra_settings,
                    )
                )
    return tuple(result)
