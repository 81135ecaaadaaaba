"""`analyze model`: the parameters of the published models, of a machine file or a trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.catalog import Command, parse
from hopscope.cli.command import command_of, deliver
from hopscope.errors import InputError
from hopscope.gate import parse as parse_gate
from hopscope.parameters import (
    DESCRIPTION,
    crowding,
    differences,
    read_machine,
    rows_of_machine,
    rows_of_trace,
    table_of,
)

if TYPE_CHECKING:
    from hopscope.trace import Answer, Trace

ANALYSIS = Command("model", "model", (parse("model", DESCRIPTION),))


def command() -> click.Command:
    """`analyze model TRACE|machine.json`."""
    made = command_of(ANALYSIS, model_answer)
    of_trace = made.callback
    assert of_trace is not None

    def callback(*, trace: str, **given: Any) -> Any:
        path = Path(trace)
        return (
            of_machine(path, **given)
            if path.suffix == ".json" and not path.is_dir()
            else of_trace(trace=trace, **given)
        )

    made.callback = callback
    return made


def model_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The parameters that a trace's hops show."""
    from hopscope.trace import Answer

    _, parameters = ANALYSIS.choose(options)
    machine = parameters["machine"]
    notes: list[str] = []
    if machine is not None:
        ranks = trace.table("ranks").to_pylist()
        notes = differences({row["host"]: row["cluster"] for row in ranks}, read_machine(Path(str(machine))))
    rows, sentence = rows_of_trace(trace.table)
    return Answer(table_of(rows), ANALYSIS, ANALYSIS.default, parameters, (sentence, *notes))


def of_machine(path: Path, *, form: str, fail_if: tuple[str, ...], report: Path | None, **given: Any) -> int:
    """Print the parameters of a machine file; returns the exit code. Raises InputError."""
    from hopscope.trace import Answer

    if given.get("machine") is not None:
        raise InputError("--machine checks a trace; give the trace first: analyze model TRACE --machine machine.json")
    if report is not None:
        raise InputError("a report is about a trace; of a machine file, write the rows with --format json")
    _, parameters = ANALYSIS.choose(
        {name: given[name] for name in ("operation", "type") if given.get(name) is not None}
    )
    machine = read_machine(path)
    rows = rows_of_machine(machine, str(parameters["operation"]), str(parameters["type"]))
    notes = crowding(machine) if rows else [ANALYSIS.default.empty or ""]
    answer = Answer(table_of(rows), ANALYSIS, ANALYSIS.default, parameters, tuple(notes))
    return deliver(None, answer, form, [parse_gate(text) for text in fail_if], None)
