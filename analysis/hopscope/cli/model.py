"""`analyze model`: the parameters of the published models, from a machine file or a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli.command import command_of, deliver
from hopscope.errors import InputError
from hopscope.gate import parse as parse_gate
from hopscope.machine.parameters import (
    answer_of_machine,
    differences,
    is_machine_file,
    read_machine,
    table_of,
)
from hopscope.query import catalog
from hopscope.replay.fitting.trace_parameters import fitted_of_trace, rows_of_fit

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

ANALYSIS = catalog.load().computed["model"]


def command() -> click.Command:
    """`analyze model TRACE|machine.json`."""
    return or_of_machine(command_of(ANALYSIS, model_answer), of_machine)


def or_of_machine(trace_command: click.Command, of_machine: Callable[..., int]) -> click.Command:
    """Extends a command for traces to take a machine file instead. of_machine: handles the machine file."""
    of_trace = trace_command.callback
    assert of_trace is not None

    def callback(*, trace: str, **options: Any) -> Any:
        path = Path(trace)
        return of_machine(path, **options) if is_machine_file(path) else of_trace(trace=trace, **options)

    trace_command.callback = callback
    return trace_command


def no_report(name: str, report: Path | None, options: Mapping[str, Any]) -> None:
    """Raises InputError if options for a trace are used with a machine file. name: the command."""
    if options.get("machine") is not None:
        raise InputError(
            f"--machine goes with a trace; give the trace first: analyze {name} TRACE --machine machine.json"
        )
    if report is not None:
        raise InputError("a report is about a trace; of a machine file, write the rows with --format json")


def model_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The answer of `analyze model` for a trace: the parameters fitted to its hops."""
    from hopscope.query.answer import Answer

    _, parameters = ANALYSIS.choose(options)
    machine = parameters["machine"]
    notes: list[str] = []
    if machine is not None:
        ranks = trace.table("ranks").to_pylist()
        notes = differences({row["host"]: row["cluster"] for row in ranks}, read_machine(Path(str(machine))))
    fit = fitted_of_trace(trace.table)
    all_notes = (fit.provenance, *fit.untold, *notes)
    return Answer(table_of(rows_of_fit(fit)), ANALYSIS, ANALYSIS.default, parameters, all_notes)


def of_machine(path: Path, *, form: str, fail_if: tuple[str, ...], report: Path | None, **options: Any) -> int:
    """Print the parameters of a machine file; returns the exit code. Raises InputError."""
    from hopscope.query.answer import Answer

    no_report("model", report, options)
    _, parameters = ANALYSIS.choose(
        {name: options[name] for name in ("operation", "type") if options.get(name) is not None}
    )
    machine_answer = answer_of_machine(path, str(parameters["operation"]), str(parameters["type"]))
    answer = Answer(table_of(machine_answer.rows), ANALYSIS, ANALYSIS.default, parameters, machine_answer.notes)
    return deliver(None, answer, form, [parse_gate(text) for text in fail_if], None)
