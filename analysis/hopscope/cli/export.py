"""`analyze export`: writes a trace for other programs."""

from pathlib import Path
from typing import Any

import click

from hopscope.cli.command import say_what_is_missing
from hopscope.cli.progress import dataset_option, opening, progress_bars
from hopscope.cli.saying import say
from hopscope.dataset.store import table_names
from hopscope.errors import InputError
from hopscope.export import TABLE_FORMATS, write_perfetto, write_tables
from hopscope.format.quantities import nanoseconds


class _Time(click.ParamType[int]):
    """A time since the start of the trace, as `1.5s`, `20ms` or plain nanoseconds."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return nanoseconds(str(value))
        except ValueError:
            self.fail(
                f"{value!r} is not a valid time; write for example 1.5s, 20ms, 300us or 4000ns, counted from "
                "the start of the trace"
            )


@click.command(name="export", short_help="Write the trace for other programs: as a timeline or as tables.")
@click.argument("trace", type=click.Path())
@click.option(
    "--format",
    "form",
    type=click.Choice(("perfetto", *TABLE_FORMATS)),
    default="perfetto",
    show_default=True,
    help="perfetto: a timeline; the others: tables of the dataset.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="File to write, or for several tables the directory.",
)
@click.option("--from", "begin", type=_Time(), help="Start the timeline here, such as 1.5s or 20ms.")
@click.option("--to", "end", type=_Time(), help="End the timeline before this time.")
@click.option("--table", "tables", type=click.Choice(table_names()), multiple=True, help="Only this table. Repeatable.")
def command(
    *,
    trace: str,
    dataset: Path | None,
    form: str,
    output: Path,
    begin: int | None,
    end: int | None,
    tables: tuple[str, ...],
) -> None:
    """Write the trace for other programs.

    --format perfetto writes a timeline for ui.perfetto.dev and chrome://tracing: a track for each rank (and for each
    further thread), an arrow for each hop and message, and the critical path of the run. It is compressed if the name
    of the file ends in .gz. The other formats write the tables that schemas/tables describes, each as one file.

    \b
    Examples:
      analyze export trace -o trace.json.gz
      analyze export trace -o second.json --from 1s --to 2s
      analyze export trace --format arrow -o tables
      analyze export trace --format csv --table hops -o hops.csv
    """
    if form == "perfetto" and tables:
        raise InputError(f"--table works only with --format {' or '.join(TABLE_FORMATS)}; a timeline uses all tables")
    if form != "perfetto" and (begin is not None or end is not None):
        raise InputError("--from and --to work only with --format perfetto; use `analyze sql` to select rows of tables")
    if begin is not None and end is not None and begin >= end:
        raise InputError("--from must be earlier than --to")
    opened = opening(trace, dataset)
    with progress_bars() as progress:
        if form == "perfetto":
            written = write_perfetto(opened, output, begin_ns=begin or 0, end_ns=end, progress=progress)
            summary = f"{written} events; open it at ui.perfetto.dev"
        else:
            rows = write_tables(opened, output, form, tables=tables, progress=progress)
            summary = f"{sum(rows.values())} rows of {', '.join(rows)}"
    say_what_is_missing(opened)
    say(f"wrote {output}: {summary}")


command.params.append(dataset_option())
