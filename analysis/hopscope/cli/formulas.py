"""`analyze formulas`: compares the times of published formulas with a replay and with measured times. It takes a trace
or a machine file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli.command import command_of, deliver
from hopscope.cli.model import no_report, or_of_machine
from hopscope.gate import parse as parse_gate
from hopscope.machine.parameters import read_machine, rows_of_machine
from hopscope.query import catalog
from hopscope.replay.fitting.trace_parameters import fitted_of_trace, rows_of_fit
from hopscope.replay.formula_times import measured, of_machine, of_trace, table_of

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

ANALYSIS = catalog.load().computed["formulas"]
_GAMMA = ("MPI_SUM", "MPI_DOUBLE")
"""The operation and data type of the reduction whose time per byte is the formulas' parameter gamma."""


def command() -> click.Command:
    """`analyze formulas TRACE|machine.json`."""
    return or_of_machine(command_of(ANALYSIS, formulas_answer), _print_machine)


def formulas_answer(trace: Trace, options: dict[str, Any]) -> Answer:
    """The answer of `analyze formulas` for a trace: the times of each operation and message size in the trace."""
    from hopscope.query.answer import Answer

    _, parameters = ANALYSIS.choose(options)
    file, operation, link = (
        None if parameters[name] is None else str(parameters[name]) for name in ("machine", "operation", "link")
    )
    fitted = fitted_of_trace(trace.table)
    rows = rows_of_fit(fitted) if file is None else rows_of_machine(read_machine(Path(file)), *_GAMMA)
    if file is None:
        notes = (f"Parameters {fitted.provenance[0].lower()}{fitted.provenance[1:]}", *fitted.untold)
    else:
        notes = (f"Parameters of {file}, also of the replay.",)
    emulated = fitted.source.tables["run"]["emulated"].to_pylist()[0] is not None
    measurements = measured(trace.table("collectives"), trace.run("algorithms").to_pylist(), emulated=emulated)
    predictions = of_trace(fitted, measurements, rows, operation=operation, link=link)
    return Answer(table_of(predictions), ANALYSIS, ANALYSIS.default, parameters, notes)


def _print_machine(path: Path, *, form: str, fail_if: tuple[str, ...], report: Path | None, **options: Any) -> int:
    from hopscope.query.answer import Answer

    no_report("formulas", report, options)
    filters = {name: options[name] for name in ("operation", "link") if options.get(name) is not None}
    _, parameters = ANALYSIS.choose(filters)
    machine = read_machine(path)
    ranks = sum(len(host["ranks"]) for host in machine["hosts"])
    predictions = of_machine(rows_of_machine(machine, *_GAMMA), ranks, **filters)
    notes = () if predictions else (ANALYSIS.default.empty or "",)
    answer = Answer(table_of(predictions), ANALYSIS, ANALYSIS.default, parameters, notes)
    return deliver(None, answer, form, [parse_gate(text) for text in fail_if], None)
