"""Other trees, library settings and rank orders for a recorded run: their gains by a replay, and their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.files import whole_file
from hopscope.replay.candidate import Candidate, HasTables, Kind

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.replay.basis import Recost

__all__ = ["PLACE", "Candidate", "candidates", "remap", "sentence"]

PLACE = "FILE"
"""The file's name in the words of a setting without a written file."""


def candidates(
    trace: HasTables,
    kind: Kind,
    *,
    launcher: str | None = None,
    recost: Recost | None = None,
) -> tuple[Candidate, ...]:
    """The candidates of one kind for a recorded run: first the suggested one, then the others with a prediction, the
    most gain first, then those without one. Raises InputError where the run, or the installed library, allows none of
    this kind.

    launcher: where to ask the library for its algorithms; None: the first on PATH of the run's release. recost: what
    replaces the costs that the hops show, but for rank orders.
    """
    from hopscope.advice.remap.suggest import settings_of, suggest_trees

    if kind == "tree":
        return suggest_trees(trace.table, recost=recost).candidates
    if kind == "setting":
        return settings_of(trace.table, _flavour(trace), launcher, recost)
    from hopscope.advice.orders import reorder

    return reorder(trace).candidates


def remap(
    trace: HasTables,
    output: Path | None = None,
    *,
    algorithms: str | None = None,
    library: str | None = None,
    launcher: str | None = None,
) -> pa.Table:
    """The baseline and the candidates, the suggested one first; sql/computed/remap.sql describes the columns.

    Writes the suggested candidate's file to `output`, and nothing where there is none; its text is also in the table's
    schema metadata under b"tree" or b"setting". Under b"parents" are the first candidate's trees (JSON: comm; up and
    down: the parent of each rank of the communicator, null at the root) if it has any, and b"ran" is `tree` or
    `native`. algorithms: which ones may be suggested, in the words of tree files and `tree`, with commas; None for all.
    Raises InputError if the trace has no collective with all its hops, or for another word.

    library: `openmpi` or `mpich`, for settings of this library; `output` is what it reads (b"words" for its launcher).
    launcher: where to ask it; None: the first on PATH of the run's release. Raises InputError where it cannot be asked.
    """
    from hopscope.advice.remap.answer import table_of
    from hopscope.advice.remap.suggest import suggest_settings, suggest_trees
    from hopscope.advice.trees.engine import algorithm_names

    if library is not None:
        suggestion = suggest_settings(trace.table, library, launcher)
    else:
        suggestion = suggest_trees(trace.table, algorithms and algorithm_names(algorithms))
    table = table_of(suggestion, str(output or PLACE))
    content = table.schema.metadata.get(b"tree" if library is None else b"setting")
    if output is not None and content is not None:
        with whole_file(Path(output)) as file:
            file.write(content)
    return table


def sentence(table: pa.Table) -> str:
    """The suggestion of a result of `remap`, or the reason for none."""
    return (table.schema.metadata or {}).get(b"sentence", b"").decode()


def _flavour(trace: HasTables) -> str:
    from hopscope.errors import InputError
    from hopscope.mpi_libraries.installed import flavour_of

    flavour = flavour_of(trace.table("run")["mpi_library"].to_pylist()[0])
    if flavour is None:
        raise InputError("the trace does not say that its MPI library is Open MPI or MPICH, whose settings are known")
    return flavour
