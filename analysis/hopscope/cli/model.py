"""`analyze model`: the parameters of the published models, of a machine file or a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli.command import command_of, deliver
from hopscope.errors import InputError
from hopscope.gate import parse as parse_gate
from hopscope.machine.parameters import (
    DESCRIPTION,
    answer_of_machine,
    differences,
    is_machine_file,
    read_machine,
    table_of,
)
from hopscope.query.catalog import Command, parse
from hopscope.replay.fitting.traced import fitted_of_trace, rows_of_fit

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

ANALYSIS = Command("model", "model", (parse("model", DESCRIPTION),))


def command() -> click.Command:
    """`analyze model TRACE|machine.json`."""
    return or_of_machine(command_of(ANALYSIS, model_answer), of_machine)


def or_of_machine(made: click.Command, of_machine: Callable[..., int]) -> click.Command:
    """A command that takes a machine file in place of a trace, too."""
    of_trace = made.callback
    assert of_trace is not None

    def callback(*, trace: str, **given: Any) -> Any:
        path = Path(trace)
        return of_machine(path, **given) if is_machine_file(path) else of_trace(trace=trace, **given)

    made.callback = callback
    return made


def no_report(name: str, report: Path | None, given: Mapping[str, Any]) -> None:
    """Raises InputError for options of a trace that were given for a machine file. name: the command."""
    if given.get("machine") is not None:
        raise InputError(
            f"--machine goes with a trace; give the trace first: analyze {name} TRACE --machine machine.json"
        )
    if report is not None:
        raise InputError("a report is about a trace; of a machine file, write the rows with --format json")


def model_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The parameters that a trace's hops show."""
    from hopscope.query.answer import Answer

    _, parameters = ANALYSIS.choose(options)
    machine = parameters["machine"]
    notes: list[str] = []
    if machine is not None:
        ranks = trace.table("ranks").to_pylist()
        notes = differences({row["host"]: row["cluster"] for row in ranks}, read_machine(Path(str(machine))))
    found = fitted_of_trace(trace.table)
    said = (found.said, *found.untold, *notes)
    return Answer(table_of(rows_of_fit(found)), ANALYSIS, ANALYSIS.default, parameters, said)


def of_machine(path: Path, *, form: str, fail_if: tuple[str, ...], report: Path | None, **given: Any) -> int:
    """Print the parameters of a machine file; returns the exit code. Raises InputError."""
    from hopscope.query.answer import Answer

    no_report("model", report, given)
    _, parameters = ANALYSIS.choose(
        {name: given[name] for name in ("operation", "type") if given.get(name) is not None}
    )
    found = answer_of_machine(path, str(parameters["operation"]), str(parameters["type"]))
    answer = Answer(table_of(found.rows), ANALYSIS, ANALYSIS.default, parameters, found.notes)
    return deliver(None, answer, form, [parse_gate(text) for text in fail_if], None)
