"""`analyze reorder`: proposes a rank order, and writes it for the launcher."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.advice.remap import reorder
from hopscope.cli.command import command_of
from hopscope.files import check_room
from hopscope.launch.same_hosts import same_hosts
from hopscope.mpi_libraries.rank_files import LAUNCHERS
from hopscope.query import catalog

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

ANALYSIS = catalog.load().computed["reorder"]


def command() -> click.Command:
    """`analyze reorder TRACE [-o FILE] [--for LAUNCHER]`."""
    options = [
        click.Option(
            ["-o", "--output"],
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write the order to this file, as the launcher reads it; without a suggestion it stays untouched.",
        ),
        click.Option(
            ["--for", "launcher"],
            type=click.Choice(LAUNCHERS),
            help="Launcher to write the file for. Default: that of the run's MPI library.",
        ),
    ]
    return command_of(ANALYSIS, reorder_answer, options)


def reorder_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The messages of the recorded and of the new rank order, with notes. If `output` is among the options, writes the
    launcher's file."""
    from hopscope.query.answer import Answer

    output: Path | None = options.pop("output", None)
    launcher: str | None = options.pop("launcher", None)
    if output is not None:
        check_room(output)
    suggestion, file = reorder(trace, output, launcher=launcher, mpi_library=trace.run_facts.get("mpi_library"))
    notes = list(suggestion.sentences)
    if file is not None:
        program = trace.run_facts.get("command") or "./app"
        run_words = shlex.join(["hopscope", "run", *same_hosts(trace.path, trace.run_facts.get("topology_file")), "--"])
        notes.append(
            f"wrote {output}; run the program in this order with `{file.command} {program}`, with the run's "
            f"launcher and its other options, and `{run_words}` before it for a trace of that run"
        )
        notes += [file.note] if file.note else []
        # Not `--by operation`: that shows only collectives, but most of the time may be in the application's own
        # messages.
        measure = shlex.join(["analyze", "compare", "--by", "path", str(trace.path)])
        notes.append(f"`{measure} TRACE`, with that run's trace, shows what became of the run's time")
    elif output is not None:
        notes.append(f"{output} was not written")
    return Answer(suggestion.table, ANALYSIS, ANALYSIS.default, {}, tuple(notes))
