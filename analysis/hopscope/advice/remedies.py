"""Remedies for the page Improve: another rank order, another setting of the MPI library, or another tree.

Each replays the run and suggests a file, with the command that uses it.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hopscope.advice.remap import PLACE, reorder, sentence
from hopscope.launch.same_hosts import same_hosts
from hopscope.mpi_libraries.installed import known_flavour
from hopscope.mpi_libraries.rank_files import file_of, launcher_of
from hopscope.query.opened import OpenedTrace

if TYPE_CHECKING:
    import pyarrow as pa


class Remapped(OpenedTrace, Protocol):
    """The interface of a `hopscope.Trace` with its method `remap`."""

    def remap(self, output: Path | None = None, **options: Any) -> pa.Table:
        """The candidates; see `hopscope.Trace.remap`."""
        ...


@dataclass(frozen=True)
class Remedy:
    """An answer in words, with the text of the suggested file and the command that uses it; both are None without a
    suggestion."""

    sentence: str
    file_name: str
    file: str | None = None
    command: str | None = None


def rank_order(trace: OpenedTrace) -> Remedy:
    """Another rank order, as a file in the format of the run's launcher. Raises InputError as `reorder` does."""
    name = "hostfile"
    suggestion, _ = reorder(trace)
    order = suggestion.suggested
    text = " ".join(
        f"{sentence_text[:1].upper()}{sentence_text[1:].rstrip('.')}." for sentence_text in suggestion.sentences
    )
    library = trace.run_facts.get("mpi_library")
    launcher = launcher_of(library)
    if order is None or launcher is None:
        return Remedy(text, name)
    file = file_of(launcher, order.hosts, name, library)
    return Remedy(text, name, file.text, f"{file.command} {_program(trace)}")


def library_setting(trace: Remapped) -> Remedy:
    """Another setting of the run's MPI library. Raises InputError where it cannot be asked for its algorithms."""
    table = trace.remap(library=known_flavour(trace.run_facts.get("mpi_library")))
    metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    name = "setting"
    if "setting" not in metadata:
        return Remedy(sentence(table), name)
    words = metadata["words"].replace(PLACE, name)
    return Remedy(sentence(table), name, metadata["setting"], started_with(trace, metadata["launcher"], words))


def tree(trace: OpenedTrace, table: pa.Table) -> Remedy:
    """Another tree for Hopscope's engine. table: the result of `trace.remap()`."""
    name = "tree.json"
    text: Any = (table.schema.metadata or {}).get(b"tree")
    if text is None:
        return Remedy(sentence(table), name)
    hosts = same_hosts(trace.path, trace.run_facts.get("topology_file"))
    words = shlex.join(["hopscope", "run", *hosts, "--tree", name])
    ranks = trace.run_facts["ranks"]
    return Remedy(sentence(table), name, text.decode(), f"{words} -- mpirun -n {ranks} {_program(trace)}")


def started_with(trace: OpenedTrace, launcher: str, words: str) -> str:
    """The command that starts the run's program with a library's setting. words: the launcher's options for it, or a
    shell command that sets its variables (`. FILE`)."""
    start = shlex.join([launcher, "-n", str(trace.run_facts["ranks"])])
    is_shell = words.startswith(". ")
    return f"{words}; {start} {_program(trace)}" if is_shell else f"{start} {words} {_program(trace)}"


def _program(trace: OpenedTrace) -> str:
    return trace.run_facts.get("command") or "./app"
