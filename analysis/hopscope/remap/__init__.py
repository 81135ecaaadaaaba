"""Better trees: fits the machine from a run's hops, replays the run over candidate trees and writes the best one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hopscope.remap.candidate import Candidate, Kind
from hopscope.remap.description import DESCRIPTION
from hopscope.whole_file import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DESCRIPTION", "Candidate", "candidates", "remap", "sentence"]


MOST_PROBES = 3
"""So often at most it is measured what candidates lean on."""


class HasTables(Protocol):
    """What remapping needs of a trace."""

    def table(self, name: str) -> pa.Table:
        """One table of the dataset."""
        ...


def candidates(
    trace: HasTables, kind: Kind, *, search: int = 0, launcher: str | None = None
) -> tuple[Candidate, ...]:
    """The candidates of one kind for a recorded run: first those with a prediction, the most gain first, then those
    without one. Raises InputError where the run, or the installed library, allows none of this kind.

    search: how many trees the local search may try. launcher: where to ask the library for its algorithms; None: the
    first on PATH of the run's release.
    """
    raise NotImplementedError(kind)


def remap(
    trace: HasTables,
    output: Path | None = None,
    *,
    search: int = 2000,
    tried: HasTables | None = None,
    algorithms: str | None = None,
    library: str | None = None,
    launcher: str | None = None,
    machine: Mapping[str, Any] | None = None,
    probe: Callable[[Sequence[Mapping[str, Any]]], Mapping[str, Any] | None] | None = None,
) -> pa.Table:
    """Candidate algorithms, the fastest first; see DESCRIPTION for the columns.

    Writes the best candidate's tree file to `output` if its gain beats the model's error, and nothing otherwise; its
    text is also in the table's schema metadata under b"tree". Under b"parents" are the first row's trees (JSON: comm;
    up and down: the parent of each rank of the communicator, null at the root) if it has any, and b"ran" says by what
    today's run went: `tree` or `native`. search: how many trees the local search may try, 0 for only the known shapes.
    tried: a run of the same program over a tree, to be measured against
    a run over the MPI library. algorithms: which ones may be suggested, in the words of tree files and `tree`, with
    commas; None for all. Raises InputError if the trace has no collective with all its hops, or for another word.

    library: `openmpi` or `mpich`, to judge the algorithms that this library has; the columns are those of
    `settings_description.description_of`, and `output` is what the library reads (b"setting" in the metadata, b"words"
    for its launcher). launcher: where to ask it; None: the first on PATH of the run's release. Raises InputError where
    it cannot be asked. search, tried and algorithms then mean nothing.

    machine: the content of a machine file, for pairs of hosts that no hop measured. What candidates still lean on is in
    the metadata under b"missing" (JSON, see `judging.missing.missing_of`). Raises InputError if it is of other hosts.
    probe: measures that and gives such content, with which the candidates are judged again; None if there is nothing
    to measure.
    """
    over = None if tried is None else tried.table

    def judged(machine: Mapping[str, Any] | None) -> pa.Table:
        if library is not None:
            from hopscope.remap.suggest_setting import suggest_setting

            return suggest_setting(trace.table, library, output, launcher, machine)
        from hopscope.remap.candidates.algorithms import named
        from hopscope.remap.suggest import suggest

        return suggest(trace.table, search, over, algorithms and named(algorithms), machine=machine)

    found = judged(machine)
    asked: list[Mapping[str, Any]] = []
    for _ in range(MOST_PROBES):
        # With what was measured, others come to the front, and lean on other things.
        new = [one for one in json.loads(found.schema.metadata[b"missing"]) if one not in asked]
        measured = probe(new) if probe is not None and (new or not asked) else None
        if measured is None:
            break
        asked += new
        machine = with_more(machine or {}, measured)
        found = judged(machine)
    content = found.schema.metadata.get(b"tree" if library is None else b"setting")
    if output is not None and content is not None:
        with whole_file(Path(output)) as file:
            file.write(content)
    return found


def with_more(machine: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a machine file with what was measured besides."""
    return {**machine, **{name: [*machine.get(name, []), *of] for name, of in measured.items()}}


def sentence(table: pa.Table) -> str:
    """What a result of `remap` suggests, or why it suggests nothing."""
    return (table.schema.metadata or {}).get(b"sentence", b"").decode()
