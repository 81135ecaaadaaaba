"""`analyze history`: the commits of a directory as a table and as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hopscope.catalog import Command
from hopscope.cli.command import columns_text, format_option, help_text, to_stdout
from hopscope.cli.saying import say
from hopscope.header import parse
from hopscope.history.description import DESCRIPTION
from hopscope.history.folder import entries, rows
from hopscope.history.picture_svg import page
from hopscope.render.machine import as_csv, as_json
from hopscope.render.report import write_text
from hopscope.render.terminal import print_answer

HISTORY = Command("history", "history", (parse("history", DESCRIPTION),))


@click.command("history", short_help=HISTORY.default.help)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture and the table to this file."
)
def command(*, folder: Path, html: Path | None, form: str) -> None:
    """See DESCRIPTION, from which the help is made."""
    import pyarrow as pa

    analysis = HISTORY.default
    shown = rows(entries(folder))
    types = {"DOUBLE": pa.float64(), "VARCHAR": pa.string()}
    table = pa.Table.from_pylist(shown, schema=pa.schema([(c.name, types[c.type]) for c in analysis.columns]))
    with to_stdout():
        if form == "table":
            print_answer(sys.stdout, table, analysis)
        else:
            sys.stdout.write(as_json(table) if form == "json" else as_csv(table))
    if html is not None:
        write_text(html, page(shown))
        say(f"wrote {html}; open it in a browser")


command.params.append(format_option())
command.help = help_text(HISTORY)
command.epilog = columns_text(HISTORY)
