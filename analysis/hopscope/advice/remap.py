"""The answers of `analyze remap` and `analyze reorder`, the files that they write, and the candidates for `tune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.files import whole_file
from hopscope.replay.candidate import Candidate, HasTables, Kind

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.advice.pipeline import Suggestion
    from hopscope.mpi_libraries.rank_files import LauncherFile
    from hopscope.replay.basis import Recost

PLACE = "FILE"
"""The placeholder for the file's name in a launcher's options, if the file is not written."""
RECORDING_ADVICE = {
    "openmpi": "run the program again with HOPSCOPE_NATIVE=1, the default, which records Open MPI's own messages",
    "mpich": "run the program again with HOPSCOPE_NATIVE=mpich, which records MPICH's own messages",
    "intelmpi": "run the program again with HOPSCOPE_NATIVE=mpich, which records Intel MPI's own messages",
}
"""Ways to record a library's own messages."""


def candidates(
    trace: HasTables, kind: Kind, *, launcher: str | None = None, recost: Recost | None = None
) -> tuple[Candidate, ...]:
    """The candidates of one kind for a recorded run: the suggested one, then the others by predicted gain, the largest
    first, then those without a prediction. Raises InputError where the run, or the installed library, allows none of
    this kind.

    launcher: the launcher of the installed library, which is asked for its algorithms; None: the first on PATH whose
    release is the run's. recost: replaces the costs that were fitted to the hops. A rank order always uses the fitted
    costs.
    """
    from hopscope.advice.setting import suggest_settings, unfitted_settings
    from hopscope.advice.tree import suggest_trees
    from hopscope.mpi_libraries.installed import known_flavour
    from hopscope.replay.basis import basis_of
    from hopscope.replay.run.subject import NothingToFitError

    if kind == "tree":
        return suggest_trees(basis_of(trace.table, recost=recost)).candidates
    if kind == "order":
        from hopscope.advice.rank_order import suggest_order  # late: the graph library

        return suggest_order(trace.table).candidates
    flavour = known_flavour(trace.table("run")["mpi_library"].to_pylist()[0])
    try:
        return suggest_settings(trace.table, flavour, launcher, recost).candidates
    except NothingToFitError as problem:
        return unfitted_settings(trace.table, flavour, launcher, problem.lack)


def remap(
    trace: HasTables,
    output: Path | None = None,
    *,
    algorithms: str | None = None,
    library: str | None = None,
    launcher: str | None = None,
) -> pa.Table:
    """The baseline and the candidates, the suggested one first; `sql/computed/remap.sql` describes the columns.

    output: the path to which the suggested candidate's file is written; without a suggestion nothing is written. The
    text of the file is also in the table's schema metadata, under b"tree" or b"setting". b"ran" is `tree` if Hopscope's
    engine ran the baseline, and `native` if the MPI library did. b"parents" are the first candidate's trees, if it has
    any (JSON: comm; up and down: the parent of each rank of the communicator, null at the root). algorithms: those that
    may be suggested, separated by commas: names of algorithms in tree files, and `tree`; None for all. Raises
    InputError if the trace has no collective with all its hops, or for an unknown algorithm.

    library: `openmpi`, `mpich` or `intelmpi`, for its settings instead of trees. The file is then one that the library
    reads, and b"words" are the options for its launcher. launcher: the launcher of the installed library, which is
    asked for its algorithms; None: the first on PATH whose release is the run's. Raises InputError where the library
    cannot be asked.
    """
    from hopscope.advice.engine import algorithm_names
    from hopscope.advice.setting import suggest_settings
    from hopscope.advice.tree import suggest_trees
    from hopscope.errors import InputError
    from hopscope.mpi_libraries.written import setting_file
    from hopscope.replay.algorithms.tree_file import checked
    from hopscope.replay.basis import basis_of
    from hopscope.replay.run.subject import NothingToFitError

    try:
        suggestion = (
            suggest_trees(basis_of(trace.table), None if algorithms is None else algorithm_names(algorithms))
            if library is None
            else suggest_settings(trace.table, library, launcher)
        )
    except NothingToFitError as problem:
        if library is None:
            raise
        raise InputError(f"{problem.lack}; {RECORDING_ADVICE[library]}, and ask again") from None
    suggested, text = suggestion.suggested, None
    metadata = {b"sentence": " ".join(suggestion.sentences), **(suggestion.table.schema.metadata or {})}
    if suggested is not None and suggested.tree is not None:
        text = metadata["tree"] = checked(suggested.tree)
    elif suggested is not None:
        setting = setting_file(suggested.choices, str(output or PLACE), suggested.besides)
        text = metadata["setting"] = setting.text
        metadata |= {"words": setting.words, "operations": ", ".join(suggested.operations)}
    if output is not None and text is not None:
        with whole_file(Path(output)) as file:
            file.write(text.encode())
    return suggestion.table.replace_schema_metadata(metadata)


def reorder(
    trace: HasTables, output: Path | None = None, *, launcher: str | None = None, mpi_library: str | None = None
) -> tuple[Suggestion, LauncherFile | None]:
    """Another rank order on the same hosts, and the launcher's file if it was written; sql/computed/reorder.sql
    describes the table's columns.

    output: the path to which a suggested order is written, in the launcher's format. launcher: one of
    `rank_files.LAUNCHERS`; by default that of `mpi_library`, the run's MPI library. Raises InputError if the launcher
    is unknown or cannot choose the hosts, or if the trace shows no messages.
    """
    from hopscope.advice.rank_order import suggest_order  # late: the graph library
    from hopscope.mpi_libraries.rank_files import launcher_for, write_order

    launcher_name = None if output is None else launcher_for(launcher, mpi_library)
    suggestion = suggest_order(trace.table)
    order = suggestion.suggested
    if output is None or launcher_name is None or order is None:
        return suggestion, None
    return suggestion, write_order(output, launcher_name, order.hosts, mpi_library)


def sentence(table: pa.Table) -> str:
    """The sentences of a result of `remap`: the suggestion, or the reason why there is none."""
    return (table.schema.metadata or {}).get(b"sentence", b"").decode()
