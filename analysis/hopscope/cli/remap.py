"""`analyze remap`: the one analysis that is computed and not asked in SQL; its description has the form of the
others."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from hopscope.catalog import Command, parse
from hopscope.cli.command import command_of
from hopscope.errors import InputError
from hopscope.remap import DESCRIPTION, remap, sentence

if TYPE_CHECKING:
    from hopscope.trace import Answer, Trace

REMAP = Command("remap", "remap", (parse("remap", DESCRIPTION),))


def remap_command() -> click.Command:
    """`analyze remap TRACE [-o tree.json] [--search N]`."""
    output = click.Option(
        ["-o", "--output"],
        type=click.Path(dir_okay=False, path_type=Path),
        help="Write the suggested tree to this file; it is not touched if nothing is suggested.",
    )
    return command_of(REMAP, remap_answer, [output])


def remap_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The candidates and what to say of them; with `output` among the options, writes the tree file."""
    from hopscope.trace import Answer

    analysis = REMAP.default
    output: Path | None = options.pop("output", None)
    try:
        _, parameters = REMAP.choose(options)
    except ValueError as error:
        raise InputError(str(error)) from None
    with (
        Console(stderr=True).status("replaying the run over candidate trees") if sys.stderr.isatty() else nullcontext()
    ):
        table = remap(trace, output, **options)
    notes = [sentence(table)]
    if output is not None and any(table["chosen"].to_pylist()):
        topology = trace.path / "topology.json"
        links = ["--topology", str(topology)] if topology.exists() else []
        again = shlex.join(["hopscope", "run", "--tree", str(output), *links])
        notes.append(f"wrote {output}; run the program over it with `{again} -- ...`")
    return Answer(table, REMAP, analysis, parameters, tuple(notes))
