"""`analyze history`: shows the figures of the commits in a directory, as a table and as a picture."""

from __future__ import annotations

from pathlib import Path

import click

from hopscope.cli.command import columns_text, format_option, help_text
from hopscope.cli.rows import print_rows
from hopscope.cli.saying import say
from hopscope.files import write_text
from hopscope.gate.history.folder import entries, rows
from hopscope.gate.history.picture_svg import page
from hopscope.query import catalog

HISTORY = catalog.load().computed["history"]


@click.command("history", short_help=HISTORY.default.help)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture and the table to this file."
)
def command(*, folder: Path, html: Path | None, form: str) -> None:
    """Runs the command. Its help is made from sql/computed/history.sql."""
    table = rows(entries(folder))
    print_rows(HISTORY.default, table, form)
    if html is not None:
        write_text(html, page(table))
        say(f"wrote {html}; open it in a browser")


command.params.append(format_option())
command.help = help_text(HISTORY)
command.epilog = columns_text(HISTORY)
