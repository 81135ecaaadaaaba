"""`analyze remap`: proposes trees and settings, with times from a replay. sql/computed/remap.sql describes its
answer."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hopscope.advice.remap import remap, sentence
from hopscope.advice.remedies import started_with
from hopscope.cli.command import command_of
from hopscope.errors import InputError
from hopscope.files import check_room
from hopscope.launch.same_hosts import same_hosts
from hopscope.query import catalog

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

ANALYSIS = catalog.load().computed["remap"]
ENGINE = "hopscope"


def command() -> click.Command:
    """`analyze remap TRACE [-o FILE] [--for LIBRARY]`."""
    output = click.Option(
        ["-o", "--output"],
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the suggested tree, or the library's setting, to this file, if there is a suggestion.",
    )
    return command_of(ANALYSIS, remap_answer, [output])


def remap_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The candidates and their notes. If `output` is among the options, writes the suggested file."""
    from hopscope.query.answer import Answer

    output: Path | None = options.pop("output", None)
    if output is not None:
        check_room(output)
    try:
        analysis, parameters = ANALYSIS.choose(options)
    except ValueError as error:
        raise InputError(str(error)) from None
    library: str = options.pop("for", None) or ENGINE
    _check_options(library, options)
    with Console(stderr=True).status("replaying the run") if sys.stderr.isatty() else nullcontext():
        table = remap(trace, output, library=None if library == ENGINE else library, **options)
    notes = [sentence(table)]
    if library != ENGINE:
        notes += _notes_of_setting(trace, table, output)
    elif output is not None and any(table["chosen"].to_pylist()):
        run_words = shlex.join(["hopscope", "run", "--tree", str(output), *_hosts_of(trace)])
        notes.append(f"wrote {output}; run the program over it with `{run_words} -- ...`")
    if output is not None and not any(table["chosen"].to_pylist()):
        notes.append(f"{output} was not written")
    return Answer(table, ANALYSIS, analysis, parameters, tuple(notes))


def _check_options(library: str, options: dict[str, Any]) -> None:
    """Raises InputError for an option that does not apply to Hopscope's engine (without --for) or to the MPI library
    (with --for)."""
    unfit_options = ("launcher",) if library == ENGINE else ("algorithms",)
    for name in unfit_options:
        if options.get(name) is not None:
            raise InputError(f"--{name} does not work with --for {library}")


def _hosts_of(trace: Trace) -> list[str]:
    """Options that give `hopscope run` the run's hosts, if the run had such options."""
    return same_hosts(trace.path, trace.run_facts.get("topology_file"))


def _notes_of_setting(trace: Trace, table: pa.Table, output: Path | None) -> list[str]:
    """Notes on how to start a program with a setting for the MPI library."""
    metadata = {key: value.decode() for key, value in (table.schema.metadata or {}).items()}
    if b"words" not in metadata:
        return []
    started = started_with(trace, metadata[b"launcher"], metadata[b"words"])
    done = f"wrote {output}; start" if output is not None else "with `-o FILE`, start"
    run_words = shlex.join(["hopscope", "run", *_hosts_of(trace), "--"])
    notes = [
        f"{done} the program with `{started}`, with your launcher's other options, and `{run_words}` before it "
        "for a trace"
    ]
    if trace.run_facts.get("settings"):
        notes.append(
            "the run had settings of its own (`analyze algorithms` shows what they asked for); leave out those "
            f"that choose algorithms for {metadata[b'operations']}, and keep the others"
        )
    return notes
