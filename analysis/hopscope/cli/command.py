"""Turns an analysis into a command: options and help from the headers, the answer to stdout, messages to stderr."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli.progress import dataset_option, opening
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.gate import Gate, evaluate, parse, worst
from hopscope.gate.report import write_report
from hopscope.query.catalog import Analysis, Command, Parameter, typed
from hopscope.render.machine import as_csv, as_json
from hopscope.render.terminal import print_answer
from hopscope.selection import OPTIONS, about_the_whole_run, split

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

FORMATS = ("table", "json", "csv")
EXIT_CODES = {"passed": 0, "failed": 1, "undecided": 2}

# Kinds of limits that concern every number, such as an incomplete trace. They are printed with every answer;
# `analyze trust` prints all limits.
_UNCONDITIONAL_KINDS = ("unfinished", "cores", "load", "missing", "no path")

_TYPES: dict[str, click.ParamType[Any]] = {
    "INTEGER": click.INT,
    "BIGINT": click.INT,
    "DOUBLE": click.FLOAT,
    "VARCHAR": click.STRING,
    "BOOLEAN": click.BOOL,
    "COLLECTIVE": click.STRING,
    "TRACES": click.Path(),
}
_METAVARS = {"COLLECTIVE": "COMM:SEQ", "TRACES": "TRACE"}
_UNIT_WORDS = {"ns": "ns", "at": "ns since the start", "bytes": "bytes", "share": "0 to 1"}


def command_of(
    command: Command, ask: Callable[[Trace, dict[str, Any]], Answer], options: Sequence[click.Parameter] = ()
) -> click.Command:
    """The click command of a catalog's command. ask: called with the trace and the given options."""

    def callback(
        *,
        trace: str,
        dataset: Path | None,
        archive: str | None,
        form: str,
        fail_if: tuple[str, ...],
        report: Path | None,
        show_sql: bool,
        **options_given: Any,
    ) -> int:
        gates = [parse(text) for text in fail_if]
        if archive is not None:
            from hopscope.cli.beside import change  # loads pyarrow

            change(trace, dataset, archive)
        opened = opening(trace, dataset)
        answer = ask(opened, {name: value for name, value in options_given.items() if value is not None})
        if show_sql:
            say(opened.statements(answer))
        gates += [parse(text) for text in answer.analysis.gates]
        return deliver(opened, answer, form, gates, report)

    choices = [*choosing_options(command), *options]
    return click.Command(
        command.name,
        callback=callback,
        params=[*_other_traces(command), click.Argument(["trace"], type=click.Path()), *choices, *_shared_options()],
        help=help_text(command),
        epilog=columns_text(command),
        short_help=command.default.help,
    )


def deliver(trace: Trace | None, answer: Answer, form: str, gates: Sequence[Gate], report: Path | None) -> int:
    """Print an answer to stdout and its limits to stderr, evaluate its gates, and write its report (if it is about a
    trace).

    Returns the exit code: 0; 1 if a gate failed; 2 if a gate is undecided. Raises InputError, before anything is
    printed, for a gate that does not fit the answer's columns. Also raises it for a report that cannot be written.
    """
    rows = answer.rows
    outcomes = [evaluate(gate, answer.analysis, rows) for gate in gates]
    with to_stdout():
        if form == "table" and (rows or not answer.notes):
            print_answer(sys.stdout, answer.table, answer.analysis, str(trace.path) if trace else "TRACE")
        elif form != "table":
            sys.stdout.write(as_json(answer.table, answer.analysis.object) if form == "json" else as_csv(answer.table))
    if trace is not None and answer.analysis.command not in ("trust", "diagnose"):
        say_what_is_missing(trace)
    _note(answer.notes)
    for outcome in outcomes:
        if outcome.outcome != "passed":
            say(outcome.sentence)
    if report is not None and trace is not None:
        write_report(report, trace, answer, outcomes)
    return EXIT_CODES[worst(outcomes)]


def say_what_is_missing(trace: Trace) -> None:
    """Print to stderr the trace's limits that concern every number, if there are any."""
    _note(str(limit["sentence"]) for limit in trace.limits() if limit["kind"] in _UNCONDITIONAL_KINDS)


def next_step(trace: Path) -> str:
    """A command to paste, as the next step with a new trace."""
    return f"next: analyze {shlex.quote(str(trace))}"


@contextmanager
def to_stdout() -> Generator[None]:
    """Context for printing to stdout. A reader that closes the pipe early, as `head` does, is not an error and does not
    change the exit code."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit, which must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as problem:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise InputError(f"cannot write the answer: {problem.strerror}. Send it somewhere else") from None


def format_option() -> click.Option:
    """`--format table|json|csv`."""
    return click.Option(
        ["--format", "form"],
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How to print the rows. json and csv contain raw numbers. In csv, an apostrophe before a text keeps "
        "spreadsheets from reading it as a formula.",
    )


def help_text(command: Command) -> str:
    """The help text from the SQL header: the question that the command answers, and the concept behind it."""
    return "\n\n".join([command.default.help, *_paragraphs(command.default.concept)])


def columns_text(command: Command) -> str:
    """The end of the help text: the columns of each kind of row, and the examples."""
    parts: list[str] = []
    for analysis in command.grains:
        title = "Columns:" if len(command.grains) == 1 else f"{option_text(analysis)}: {analysis.help}"
        lines = [f"  {c.name}{_unit(c.unit)}: {c.meaning}" for c in analysis.columns]
        parts.append("\n".join(["\b", title, *lines]))
    examples = [f"  {example}" for analysis in command.grains for example in analysis.examples]
    parts.append("\n".join(["\b", "Examples:", *examples]))
    return "\n\n".join(parts)


def option_text(analysis: Analysis) -> str:
    """The option that chooses this analysis among those of its command, as a user types it."""
    grain = analysis.grain
    if grain is None:
        return ""
    return f"--{grain.option} {grain.value or '...'}" + (" (default)" if grain.default else "")


def _shared_options() -> list[click.Parameter]:
    return [
        dataset_option(),
        click.Option(
            ["--beside", "archive"],
            metavar="ARCHIVE",
            help="Add to the dataset what another tool such as Score-P recorded of this very run: its regions and call "
            "paths. All commands and pages use them from then on. `none` removes them.",
        ),
        format_option(),
        click.Option(
            ["--fail-if"],
            multiple=True,
            metavar="GATE",
            help="Exit with 1 if KEY.COLUMN OP NUMBER is true, such as 'whole.change_low > 5%' or "
            "'\"any rank\".late_1ms > 5'. The KEY * stands for any row. Repeatable.",
        ),
        click.Option(
            ["--report"],
            type=click.Path(dir_okay=False, path_type=Path),
            help="Write the rows, gates and outcome to this file, as JSON.",
        ),
        click.Option(["--show-sql"], is_flag=True, help="Print the SQL that ran to stderr."),
    ]


def choosing_options(command: Command) -> list[click.Parameter]:
    """The options that choose what a row is, set a parameter, or select a part of the run."""
    choices = [*_grain_options(command), *_parameter_options(command)]
    names = {option.name for option in choices}
    return [*choices, *(option for option in _part_options(command) if option.name not in names)]


def _part_options(command: Command) -> list[click.Parameter]:
    """The options that choose a part of the run. For an analysis of the whole run they are hidden, and using one raises
    an error that says so."""
    if all(analysis.whole_run for analysis in command.grains):
        return [
            click.Option([typed(name)], type=click.STRING, hidden=True, expose_value=False, callback=_not_of_a_part)
            for name in OPTIONS
        ]
    return [
        click.Option([typed(name), name.replace("-", "_")], type=click.STRING, help=meaning)
        for name, meaning in OPTIONS.items()
    ]


def _not_of_a_part(context: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        name = option.opts[0].removeprefix("--")
        raise InputError(about_the_whole_run(str(context.command.name), split({name: value}, set())[0]))


def _grain_options(command: Command) -> list[click.Parameter]:
    grain = command.default.grain
    return [
        click.Option(
            [f"--{option}"],
            type=click.Choice(values),
            help="What one row is" + (f" (default {grain.value})." if grain and grain.option == option else "."),
        )
        for option, values in command.choices.items()
    ]


def _other_traces(command: Command) -> list[click.Parameter]:
    return [click.Argument([p.name], type=click.Path()) for p in command.parameters if p.type == "TRACE"]


def _parameter_options(command: Command) -> list[click.Parameter]:
    return [
        click.Option(
            [typed(parameter.name), parameter.name],
            type=_type_of(parameter),
            metavar=_METAVARS.get(parameter.type),
            multiple=parameter.type == "TRACES",
            help=parameter.meaning
            + (" Repeatable." if parameter.type == "TRACES" else "")
            + ("" if parameter.default is None else f" Default {parameter.default}."),
        )
        for parameter in command.parameters
        if parameter.type != "TRACE"
    ]


def _type_of(parameter: Parameter) -> click.ParamType[Any]:
    return click.Choice(parameter.choices) if parameter.choices else _TYPES[parameter.type]


def _note(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        say(f"note: {sentence}")


def _paragraphs(concept: str) -> list[str]:
    # A paragraph of lines like `wan  hops between clusters` is a list, which must not be re-wrapped.
    return [f"\b\n{part}" if "  " in part else part for part in concept.split("\n\n")]


def _unit(unit: str | None) -> str:
    return f" [{_UNIT_WORDS[unit]}]" if unit in _UNIT_WORDS else ""
