"""The `analyze` commands, one for each command of the catalog: a new `.sql` file is a new command here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import click

from hopscope.cli.command import command_of, format_option, option_text, say_what_is_missing, to_stdout
from hopscope.cli.export import command as export_command
from hopscope.cli.progress import dataset_option, opening
from hopscope.cli.registered import registered_command, registered_names
from hopscope.cli.saying import say
from hopscope.dataset.memory import check_address_space
from hopscope.dataset.store import table_names
from hopscope.format.version import program_version
from hopscope.query import catalog
from hopscope.query.catalog import Command
from hopscope.render.machine import as_csv, as_json
from hopscope.render.terminal import print_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.query.answer import Answer
    from hopscope.trace import Trace


COMPUTED: Final = ("formulas", "model", "remap", "reorder")
"""Analyses that SQL does not compute. Each has a header in `sql/computed/` and a module here with its `command`."""

_REGISTERED = "analyze."  # Prefix of the names of commands that other packages register for `analyze`.


def computed(name: str) -> ModuleType:
    """The module of an analysis in COMPUTED. Imported only when needed, because these modules take long to load."""
    if name == "formulas":
        from hopscope.cli import formulas as module
    elif name == "model":
        from hopscope.cli import model as module
    elif name == "remap":
        from hopscope.cli import remap as module
    else:
        from hopscope.cli import reorder as module
    return module


SHORTHAND: Final = "diagnose"
"""The command that `analyze TRACE` runs."""

GROUPS: Final = {
    "What is wrong": ("diagnose", "summary", "report", "gate"),
    "Imbalance": ("last-arrivals", "late-ranks", "noise", "efficiency"),
    "Communication": ("critical-path", "collectives", "messages", "algorithms", "wan-share"),
    "Code": ("places", "regions"),
    "Improve": ("reorder", "remap"),
    "Compare and ask": ("compare", "history", "sql"),
}
"""The commands that `analyze --help` shows, by heading. `analyze list` shows all commands."""


class _Analyses(click.Group):
    """A group whose commands come from the catalog."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, names in GROUPS.items():
            rows = [(name, self._help_of(ctx, name, formatter.width)) for name in names]
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=16)
        formatter.write_paragraph()
        formatter.write_text("`analyze list` names every command, `analyze COMMAND --help` explains one.")

    def _help_of(self, ctx: click.Context, name: str, width: int) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(width) if command is not None else ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = {*super().list_commands(ctx), *catalog.load().commands, *catalog.load().computed}
        return sorted(names | set(registered_names(_REGISTERED)))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        check_address_space()  # before pyarrow, DuckDB and scipy are loaded
        if len(args) > 1 and args[0] in catalog.FORMERLY:
            words = catalog.FORMERLY[args[0]]
            say(f"note: `analyze {args[0]}` is now `analyze {words}`")
            args = [*words.split(), *args[1:]]
        if args and Path(args[0]).exists() and not self._is_whole_command(ctx, args):
            args = [SHORTHAND, *args]
        return super().resolve_command(ctx, args)

    def _is_whole_command(self, ctx: click.Context, args: list[str]) -> bool:
        """Tells if the words name a command and its trace. `list` needs no trace."""
        return args[0] in self.list_commands(ctx) and (len(args) > 1 or args[0] == "list")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        fixed = super().get_command(ctx, cmd_name)
        if fixed is not None:
            return fixed
        if cmd_name in COMPUTED:
            return computed(cmd_name).command()
        if cmd_name == "gate":
            from hopscope.cli.gate import command

            return command
        if cmd_name == "decide":
            from hopscope.cli.decide import command

            return command
        if cmd_name == "history":
            from hopscope.cli.history import command

            return command
        analysis_command = catalog.load().commands.get(cmd_name)
        return (
            registered_command(cmd_name, _REGISTERED)
            if analysis_command is None
            else command_of(analysis_command, _ask(analysis_command))
        )


@click.group(cls=_Analyses, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(program_version(), prog_name="hopscope")
def analyze() -> None:
    """Analyse a trace: a trace directory, an OTF2 archive or a dataset. It is converted first if necessary.

    `analyze TRACE` says what is wrong with a run. Each COMMAND examines one aspect of it.

    Every analysis takes --dataset, --format, --fail-if, --report and --show-sql. Exit code 0: done; 1: a gate failed;
    2: wrong input, or a gate could not be judged.
    """


def list_analyses(form: str) -> None:
    """Print every command of the catalog with its options, and a sentence on what it answers."""
    rows = [
        {"command": a.command, "option": option_text(a), "answers": a.help, "columns": [c.name for c in a.columns]}
        for command in catalog.load().commands.values()
        for a in command.grains
    ]
    import pyarrow as pa

    for name in COMPUTED:
        default = catalog.load().computed[name].default
        rows.append(
            {"command": name, "option": "", "answers": default.help, "columns": [c.name for c in default.columns]}
        )
    table = pa.Table.from_pylist(rows)
    _print(table.drop_columns(["columns"]) if form == "table" else table, form)


def ask_sql(trace: str, query: str, dataset: Path | None, form: str) -> None:
    """Print the result of a SELECT that a user wrote. Raises InputError."""
    opened = opening(trace, dataset)
    _print(opened.sql(query), form)
    say_what_is_missing(opened)


analyze.add_command(export_command)
analyze.add_command(
    click.Command(
        "list",
        callback=list_analyses,
        params=[format_option()],
        help="List the analyses and what each one answers.\n\n\b\nExamples:\n  analyze list --format json",
    )
)
analyze.add_command(
    click.Command(
        "sql",
        callback=ask_sql,
        params=[
            click.Argument(["trace"], type=click.Path()),
            click.Argument(["query"]),
            dataset_option(),
            format_option(),
        ],
        help="Run one SELECT over the dataset's tables and the catalog's views; it cannot change anything. Tables: "
        f"{', '.join(table_names())}; the query `describe calls` lists the columns of a table.\n\n"
        '\b\nExamples:\n  analyze sql trace "select link, count(*) as hops from hops group by link"',
    )
)


def _ask(command: Command) -> Callable[[Trace, dict[str, Any]], Answer]:
    return lambda trace, options: trace.answer(command.name, **options)


def _print(table: pa.Table, form: str) -> None:
    with to_stdout():
        if form == "table":
            print_rows(sys.stdout, table)
            return
        sys.stdout.write(as_json(table) if form == "json" else as_csv(table))
