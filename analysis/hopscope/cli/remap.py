"""`analyze remap`: the one analysis that is computed and not asked in SQL; its description has the form of the
others."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hopscope.catalog import Command, parse
from hopscope.cli.command import command_of
from hopscope.cli.measuring import measuring
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.launch.same_hosts import same_hosts
from hopscope.quantities import in_words, plural
from hopscope.remap import DESCRIPTION, remap, sentence
from hopscope.remap.settings.settings_description import description_of
from hopscope.remedies import started_with
from hopscope.tuning.installed import flavour_of
from hopscope.tuning.offered import NAMES
from hopscope.whole_file import check_room

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.answer import Answer
    from hopscope.trace import Trace

ANALYSIS = Command(
    "remap",
    "remap",
    (parse("remap", DESCRIPTION), *(parse(f"remap.{flavour}", description_of(flavour)) for flavour in NAMES)),
)


def command() -> click.Command:
    """`analyze remap TRACE [-o FILE] [--for LIBRARY] [--search N]`."""
    output = click.Option(
        ["-o", "--output"],
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the suggested tree, or the library's setting, to this file; without one it stays untouched.",
    )
    return command_of(ANALYSIS, remap_answer, [output])


def remap_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The candidates and what to say of them; with `output` among the options, writes the tree file."""
    from hopscope.answer import Answer
    from hopscope.comparability import ONE_RUN, against
    from hopscope.trace import open as opened

    output: Path | None = options.pop("output", None)
    if output is not None:
        check_room(output)
    try:
        analysis, parameters = ANALYSIS.choose(options)
    except ValueError as error:
        raise InputError(str(error)) from None
    library: str = options.pop("for", None) or "hopscope"
    options |= _machine_of(trace, options)
    if library != "hopscope":
        table = remap(trace, output, library=library, **options)
        notes = (*_notes_of_setting(trace, table, output), *_not_written(table, output))
        return Answer(table, ANALYSIS, analysis, parameters, notes)
    tried: str | None = options.pop("tried", None)
    other = None if tried is None else opened(tried)
    with (
        Console(stderr=True).status("replaying the run over candidate trees") if sys.stderr.isatty() else nullcontext()
    ):
        table = remap(trace, output, tried=other, **options)
    notes = [sentence(table), *_on_the_same_hosts(trace, table)]
    if other is not None:
        several = shlex.join(["analyze", "compare", str(trace.path), str(other.path)])
        notes += [*against(trace, other), f"{ONE_RUN}: `{several} --base-also ... --also ...`"]
    if output is not None and any(table["chosen"].to_pylist()):
        again = shlex.join(["hopscope", "run", "--tree", str(output), *_hosts_of(trace)])
        notes.append(f"wrote {output}; run the program over it with `{again} -- ...`")
        if other is None and (table.schema.metadata or {}).get(b"ran") == b"native":
            measure = shlex.join(["analyze", "remap", str(trace.path)])
            notes.append(f"`{measure} --tried TRACE`, with that run's trace, measures its gain over the MPI library")
    return Answer(table, ANALYSIS, analysis, parameters, (*notes, *_not_written(table, output)))


def _not_written(table: pa.Table, output: Path | None) -> list[str]:
    return [] if output is None or any(table["chosen"].to_pylist()) else [f"{output} was not written"]


def _hosts_of(trace: Trace) -> list[str]:
    """What tells `hopscope run` the hosts that the run had, if it was told."""
    return same_hosts(trace.path, trace.run_facts.get("topology_file"))


def _on_the_same_hosts(trace: Trace, table: pa.Table) -> list[str]:
    """Note on how a run that is worth it gets the hosts of this one."""
    from hopscope.remap.judging.verdict import WORTH

    hosts = _hosts_of(trace)
    if not hosts or WORTH not in sentence(table):
        return []
    return [f"give `hopscope run` the words `{shlex.join(hosts)}` as well, so that the ranks are on the same hosts"]


def _machine_of(trace: Trace, options: dict[str, Any]) -> dict[str, Any]:
    """What the options `machine` and `probe_missing`, which are taken out, mean for `remap`."""
    machine_file: str | None = options.pop("machine", None)
    launcher: str | None = options.pop("probe_missing", None)
    if machine_file is not None and launcher is not None:
        raise InputError("give either --machine or --probe-missing: a machine file has all pairs of its hosts")
    if machine_file is not None:
        from hopscope.parameters.probed import read_machine

        machine = read_machine(Path(machine_file))
        _check_library(trace, flavour_of(machine["made"]["library"]), f"{machine_file} was measured")
        return {"machine": machine}
    return {} if launcher is None else {"probe": partial(_measured, _words_of(launcher, trace), trace)}


def _check_library(trace: Trace, flavour: str | None, what: str) -> None:
    """Raises InputError where another library was measured than the run's."""
    own = flavour_of(trace.run_facts.get("mpi_library"))
    if own is not None and flavour in NAMES and flavour != own:
        raise InputError(
            f"{what} with {NAMES[flavour]} and the run was made with {NAMES[own]}, which takes other times for a "
            f"message; probe with a launcher of {NAMES[own]}"
        )


def _words_of(launcher: str, trace: Trace) -> list[str]:
    """Raises InputError for what starts no probe of the run's ranks, before anything is judged."""
    from hopscope.launch.command import rank_count
    from hopscope.launch.mpi_library import find_mpi, why_not_started
    from hopscope.launch.probing import with_probe

    try:
        words = shlex.split(launcher)
    except ValueError as error:
        raise InputError(f"--probe-missing {launcher!r} cannot be read: {error}; write it as in a shell") from None
    if not words:
        raise InputError("--probe-missing takes the launcher with its options, such as --probe-missing 'mpirun -n 8'")
    if missing := why_not_started(words[0]):
        raise InputError(f"--probe-missing cannot start: {missing}; give the launcher of the run and its options")
    with_probe(words)
    _check_library(trace, find_mpi(words).flavour, f"--probe-missing {launcher!r} would measure")
    ranks, had = rank_count(words), trace.run_facts["ranks"]
    if ranks not in (None, had):
        raise InputError(f"--probe-missing would start {ranks} ranks and the run had {had}; give `-n {had}`")
    return words


def _measured(words: Sequence[str], trace: Trace, missing: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Measures in a job what is missing; None if nothing is."""
    from hopscope.launch.missing import measured_missing

    if not missing:
        say("hopscope: no candidate that may gain leans on anything that was not measured; nothing is probed")
        return None
    say(f"hopscope: measuring {_what(missing)}")
    with measuring() as progress:
        return measured_missing(words, (trace.path, trace.run_facts), missing, progress)


def _what(missing: Sequence[Mapping[str, Any]]) -> str:
    """How many of each kind are missing, in words."""
    kinds = [one["kind"] for one in missing]
    said = {"pair": "{} of hosts", "size": "{} of messages", "meeting": "{} where messages meet"}
    nouns = {"pair": "pair", "size": "size", "meeting": "place"}
    return in_words([said[kind].format(plural(kinds.count(kind), nouns[kind])) for kind in said if kind in kinds])


def _notes_of_setting(trace: Trace, table: pa.Table, output: Path | None) -> tuple[str, ...]:
    """What to say of a setting for the MPI library, and how to start a program with it."""
    metadata = {key: value.decode() for key, value in (table.schema.metadata or {}).items()}
    notes = [sentence(table), *_on_the_same_hosts(trace, table)]
    if b"words" in metadata:
        started = started_with(trace, metadata[b"launcher"], metadata[b"words"])
        done = f"wrote {output}; start" if output is not None else "with `-o FILE`, start"
        notes.append(f"{done} the program with `{started}`")
        if trace.run_facts.get("settings"):
            notes.append(
                "the run had settings of its own (`analyze algorithms` shows what they asked for); leave out those "
                f"that choose algorithms for {metadata[b'operations']}, and keep the others"
            )
        measure = shlex.join(["analyze", "compare", str(trace.path)])
        again = shlex.join(["hopscope", "run", *_hosts_of(trace), "--"])
        notes.append(
            f"add your launcher's other options, and `{again}` before the launcher for a trace of that run; "
            f"`{measure} TRACE` then shows what was gained"
        )
    return tuple(notes)
