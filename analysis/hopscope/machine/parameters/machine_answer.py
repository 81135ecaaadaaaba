"""The answer of `analyze model` for a machine file, and the file's measurements by message size, for the dashboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from hopscope.machine.parameters.curves import over_sizes
from hopscope.machine.parameters.probed import (
    Point,
    crowding,
    lacking,
    overdrawn,
    points_of,
    read_machine,
    rows_of_machine,
)
from hopscope.machine.parameters.rows import Estimate, Row
from hopscope.query import catalog


@dataclass(frozen=True)
class MachineAnswer:
    """The answer of `analyze model` for a machine file."""

    content: dict[str, Any]
    """The content of the file (schemas/machine.schema.json)."""
    rows: list[Row]
    notes: tuple[str, ...]
    """Notes on the rows, in sentences."""


def answer_of_machine(path: Path, operation: str | None = None, of_type: str | None = None) -> MachineAnswer:
    """The answer for a file. operation, of_type: the reduction whose time per byte is gamma; None: the defaults of
    `analyze model`. Raises InputError if it is not a machine file."""
    machine = read_machine(path)
    analysis = catalog.load().computed["model"].default
    usual = {parameter.name: str(parameter.default) for parameter in analysis.parameters}
    combined = operation or usual["operation"], of_type or usual["type"]
    rows = rows_of_machine(machine, *combined)
    notes = [*crowding(machine), *lacking(machine, *combined), *overdrawn(rows)] if rows else [analysis.empty or ""]
    return MachineAnswer(machine, rows, tuple(notes))


class Measured(NamedTuple):
    """One quantity of a link by message size: measured, or calculated by a model. sizes: in bytes. times: in ns."""

    link: str
    source: str
    destination: str
    outlying: bool
    quantity: str
    sizes: tuple[int, ...]
    times: tuple[float, ...]
    low: tuple[float, ...] | None = None
    """The lower ends of the intervals; None for values of a model."""
    high: tuple[float, ...] | None = None


def measured_over_sizes(answer: MachineAnswer) -> list[Measured]:
    """Every measured quantity of every link, and LogGP's time, in the order of the file. A message's measured time has
    the name of Hockney's formula, alpha(m) + m beta(m), which equals it at every measured size."""
    sizes = sorted({size["bytes"] for link in answer.content["links"] for size in link["sizes"]})
    lines = {
        (curve.link, curve.source, curve.destination): curve
        for curve in over_sizes(answer.rows, sizes)
        if curve.quantity.startswith("LogGP")
    }
    quantities: list[Measured] = []
    for link in answer.content["links"]:
        source, destination = link["hosts"]
        ends = (link["link"], source, destination, link["outlying"])
        line = lines.get(ends[:3])
        if line is not None:
            quantities.append(Measured(*ends, line.quantity, line.sizes, line.times))
        quantities += [
            Measured(*ends, quantity, *_columns(values))
            for quantity, values in _quantities(points_of(link)).items()
            if values
        ]
    return quantities


_Values = list[tuple[int, Estimate]]


def _quantities(points: Sequence[Point]) -> dict[str, _Values]:
    """The measurements of each quantity: pairs of size and estimate."""
    counts = sorted({count for point in points for count in point.gaps})
    estimates: dict[str, _Values] = {}
    for point in points:
        gaps = {"PLogP: g(m)" if count == 1 else f"g(m, {count})": point.gaps.get(count) for count in counts}
        overheads = {"PLogP: o_s(m)": point.send_overhead, "PLogP: o_r(m)": point.receive_overhead}
        for quantity, value in {"Hockney: \u03b1 + m\u03b2": point.one_way, **gaps, **overheads}.items():
            estimates.setdefault(quantity, []).extend([] if value is None else [(point.bytes, value)])
    return estimates


def _columns(values: _Values) -> tuple[tuple[int, ...], tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    sizes, estimates = zip(*values, strict=True)
    return (
        sizes,
        tuple(estimate.value for estimate in estimates),
        tuple(estimate.value if estimate.low is None else estimate.low for estimate in estimates),
        tuple(estimate.value if estimate.high is None else estimate.high for estimate in estimates),
    )
