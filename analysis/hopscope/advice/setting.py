"""Settings of an MPI library as candidates: for each of its algorithms, the parameters or variables that force it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from hopscope.advice.library import baseline_reason, choices_for, proposals_of, repeated_reason
from hopscope.advice.pipeline import Proposal, Suggestion, suggest
from hopscope.errors import InputError
from hopscope.mpi_libraries.installed import installed
from hopscope.mpi_libraries.offered import operation_name
from hopscope.mpi_libraries.open_mpi.rules import size_in_rules
from hopscope.replay.basis import Recost, basis_of
from hopscope.replay.candidate import Candidate

LEAST_TIME = 0.01
"""An operation with a smaller share of the time in all collectives gets no candidates."""

Table = Callable[[str], pa.Table]


def suggest_settings(
    table: Table, flavour: str, launcher: str | None = None, recost: Recost | None = None
) -> Suggestion:
    """Evaluates settings for a run and suggests one. flavour: `openmpi` or `mpich`. recost: as in `basis_of`. Raises
    InputError where the links were emulated or the library cannot be asked for its algorithms, and NothingToFitError
    where the trace lacks the library's messages."""
    run = table("run").to_pylist()[0]
    if run["emulated"]:
        raise InputError(
            "the run emulated links, which do not delay an MPI library's own messages, so no setting would gain what "
            "the replay says; trace the program on the machine itself or on `hopscope run --net`"
        )
    library = installed(flavour, run["mpi_library"], launcher)
    basis = basis_of(table, flavour, recost)

    def proposals(places: tuple[int, ...]) -> Iterator[Proposal]:
        parts = [basis.source.subject.selections[place] for place in places]
        fingerprints: set[tuple[bytes, ...]] = set()
        for proposal in proposals_of(library, parts):
            reason = (
                proposal.reason
                or baseline_reason(basis, proposal, parts)
                or repeated_reason(proposal, parts, fingerprints)
            )
            yield replace(proposal, reason=reason, pieces=()) if reason else proposal

    return suggest(basis, "setting", proposals, library)


def unfitted_settings(table: Table, flavour: str, launcher: str | None, reason: str) -> tuple[Candidate, ...]:
    """The candidates for a run whose trace lacks the library's messages: every algorithm that the library has for the
    run's operations, the operation with the most time first. They have no prediction, for the reason `reason`, but can
    be measured."""
    library = installed(flavour, table("run")["mpi_library"].to_pylist()[0], launcher)
    collectives = table("collectives")
    time_ns = pc.subtract(collectives["last_leave_ns"], collectives["last_enter_ns"])
    rows = collectives.select(["op", "comm_size", "bytes"]).append_column("taken", time_ns)
    kinds = rows.group_by(["op", "comm_size"]).aggregate([("taken", "sum"), ("bytes", "min"), ("bytes", "max")])
    whole = pc.sum(time_ns).as_py() or 0
    result: list[Candidate] = []
    for kind in kinds.sort_by([("taken_sum", "descending"), ("op", "ascending")]).to_pylist():
        op, ranks, operation = kind["op"], kind["comm_size"], operation_name(kind["op"])
        if ranks < 2 or kind["taken_sum"] < LEAST_TIME * whole:
            continue
        least, most = (size_in_rules(operation, ranks, kind[f"bytes_{end}"] or 0) for end in ("min", "max"))
        for offered in library.algorithms:
            if offered.operation == operation:
                name = f"{offered.name} for {op} on {ranks} ranks"
                choices = choices_for(library, offered, [ranks], (least or 0, most) if most else (0, None))
                besides = library.besides(operation)
                setting = Candidate(name, "setting", (op,), choices=choices, besides=besides, reason_unpredicted=reason)
                result.append(setting)
    return tuple(result)
