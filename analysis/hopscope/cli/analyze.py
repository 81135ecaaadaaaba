"""The `analyze` commands, one for each command of the catalog: a new `.sql` file is a new command here."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from hopscope import catalog
from hopscope.catalog import Analysis, Command, Parameter
from hopscope.cli.progress import opening
from hopscope.errors import InputError
from hopscope.gate import Gate, Outcome, judge, parse, worst
from hopscope.render.machine import as_csv, as_json
from hopscope.render.report import program_version, write_report
from hopscope.render.terminal import print_answer, print_rows
from hopscope.trace import Answer, Trace

FORMATS = ("table", "json", "csv")
_EXIT_CODES = {"passed": 0, "failed": 1, "undecided": 2}

# What tells that a trace is not whole is said beside every answer; the rest of the caveats are in `analyze caveats`.
_SAID_ALWAYS = ("missing", "no path")

_TYPES: dict[str, click.ParamType] = {
    "INTEGER": click.INT,
    "BIGINT": click.INT,
    "DOUBLE": click.FLOAT,
    "VARCHAR": click.STRING,
    "BOOLEAN": click.BOOL,
    "COLLECTIVE": click.STRING,
}


class _Analyses(click.Group):
    """A group whose commands come from the catalog."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *catalog.load().commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        fixed = super().get_command(ctx, cmd_name)
        if fixed is not None:
            return fixed
        found = catalog.load().commands.get(cmd_name)
        return None if found is None else command_of(found, _ask(found))


@click.group(cls=_Analyses, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(program_version(), prog_name="hopscope")
def analyze() -> None:
    """Ask a trace: a trace directory, an OTF2 archive or a dataset. It is converted first where that is needed.

    Every command takes --format, --fail-if, --report and --show-sql. Exit code 0: done; 1: a gate failed; 2: wrong input, or a gate that cannot be judged.
    """


def command_of(command: Command, ask: Callable[[Trace, dict[str, Any]], Answer]) -> click.Command:
    """The click command of a catalog's command; `ask` gets the trace and the options that were given."""

    def callback(
        trace: str, format: str, fail_if: tuple[str, ...], report: Path | None, show_sql: bool, **options: Any
    ) -> int:
        gates = [parse(text) for text in fail_if]
        opened = opening(trace)
        answer = ask(opened, {name: value for name, value in options.items() if value is not None})
        if show_sql:
            click.echo(opened.statements(answer), err=True)
        gates += [parse(text) for text in answer.analysis.gates]
        return deliver(opened, answer, format, gates, report)

    return click.Command(
        command.name,
        callback=callback,
        params=[click.Argument(["trace"]), *_grain_options(command), *_parameter_options(command), *shared_options()],
        help=help_text(command),
        short_help=command.default.help,
    )


def deliver(trace: Trace, answer: Answer, form: str, gates: Sequence[Gate], report: Path | None) -> int:
    """Print an answer to stdout and what is to be said about it to stderr, judge its gates, write its report. Returns the exit code."""
    rows = answer.rows
    outcomes = [judge(gate, answer.analysis, rows) for gate in gates]
    if form == "table":
        print_answer(sys.stdout, answer.table, answer.analysis)
    else:
        sys.stdout.write(as_json(answer.table) if form == "json" else as_csv(answer.table))
    sys.stdout.flush()
    caveats = trace.run("caveats").to_pylist()
    if answer.analysis.command not in ("caveats", "summary"):
        for caveat in caveats:
            if caveat["kind"] in _SAID_ALWAYS:
                click.echo(f"note: {caveat['sentence']}", err=True)
    for note in answer.notes:
        click.echo(f"note: {note}", err=True)
    _say(outcomes)
    if report is not None:
        write_report(report, trace.path, answer, [str(caveat["sentence"]) for caveat in caveats], outcomes)
    return _EXIT_CODES[worst(outcomes)]


def shared_options() -> list[click.Parameter]:
    """The options that every analysis has."""
    return [
        click.Option(
            ["--format"],
            type=click.Choice(FORMATS),
            default="table",
            show_default=True,
            help="How to print the rows; json and csv hold raw numbers.",
        ),
        click.Option(
            ["--fail-if"],
            multiple=True,
            metavar="GATE",
            help="Exit with 1 if KEY.COLUMN OP NUMBER is true, such as 'wan.share > 40%' or '\"any rank\".late_1ms > 5'; * is any row. Repeatable.",
        ),
        click.Option(
            ["--report"],
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write rows, gates and outcome to this file as JSON.",
        ),
        click.Option(["--show-sql"], is_flag=True, help="Print the SQL that ran to stderr."),
    ]


def help_text(command: Command) -> str:
    """Help from the headers: what it answers, the concept, the columns of each grain and the examples."""
    parts = [command.default.help, *_paragraphs(command.default.concept)]
    for analysis in command.grains:
        title = "Columns:" if len(command.grains) == 1 else f"{_option(analysis)}: {analysis.help}"
        lines = [f"  {c.name}{_unit(c.unit)}: {c.meaning}" for c in analysis.columns]
        parts.append("\n".join(["\b", title, *lines]))
    examples = [f"  {example}" for analysis in command.grains for example in analysis.examples]
    parts.append("\n".join(["\b", "Examples:", *examples]))
    return "\n\n".join(parts)


@analyze.command("list")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
def list_analyses(form: str) -> None:
    """Which analyses there are, and what each answers.

    \b
    Examples:
      analyze list
    """
    import pyarrow as pa

    rows = [
        {
            "command": a.command,
            "option": _option(a),
            "answers": a.help,
            "columns": ", ".join(column.name for column in a.columns),
        }
        for command in catalog.load().commands.values()
        for a in command.grains
    ]
    table = pa.Table.from_pylist(rows)
    if form == "table":
        print_rows(sys.stdout, table.drop_columns(["columns"]))
    else:
        sys.stdout.write(as_json(table) if form == "json" else as_csv(table))


@analyze.command("sql")
@click.argument("trace")
@click.argument("query")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
def sql(trace: str, query: str, form: str) -> None:
    """Run one SELECT over the dataset's tables and the views of the catalog; nothing can be changed.

    \b
    Examples:
      analyze sql trace "select link, count(*) from hops group by link"
    """
    table = opening(trace).sql(query)
    if form == "table":
        print_rows(sys.stdout, table)
    else:
        sys.stdout.write(as_json(table) if form == "json" else as_csv(table))


def _ask(command: Command) -> Callable[[Trace, dict[str, Any]], Answer]:
    def ask(trace: Trace, options: dict[str, Any]) -> Answer:
        try:
            return trace.answer(command.name, **options)
        except ValueError as error:
            raise InputError(str(error)) from None

    return ask


def _grain_options(command: Command) -> list[click.Parameter]:
    default = command.default.grain
    return [
        click.Option(
            [f"--{option}"],
            type=click.Choice(values),
            help=f"What one row is (default {default.value})."
            if default and default.option == option
            else "What one row is.",
        )
        for option, values in command.choices.items()
    ]


def _parameter_options(command: Command) -> list[click.Parameter]:
    return [
        click.Option(
            ["--" + parameter.name.replace("_", "-"), parameter.name],
            type=_type_of(parameter),
            metavar="COMM:SEQ" if parameter.type == "COLLECTIVE" else None,
            help=parameter.meaning + ("" if parameter.default is None else f" Default {parameter.default}."),
        )
        for parameter in command.parameters
    ]


def _type_of(parameter: Parameter) -> click.ParamType:
    return click.Choice(parameter.choices) if parameter.choices else _TYPES[parameter.type]


def _say(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.outcome != "passed":
            click.echo(outcome.sentence, err=True)


def _paragraphs(concept: str) -> list[str]:
    # A paragraph of lines like `wan  hops between clusters` is a list, which click must not re-wrap.
    return [f"\b\n{part}" if "  " in part else part for part in concept.split("\n\n")]


def _option(analysis: Analysis) -> str:
    grain = analysis.grain
    if grain is None:
        return ""
    return f"--{grain.option} {grain.value or '...'}" + (" (default)" if grain.default else "")


def _unit(unit: str | None) -> str:
    names = {"ns": "ns", "at": "ns since the start", "bytes": "bytes", "share": "0 to 1"}
    return f" [{names[unit]}]" if unit in names else ""
