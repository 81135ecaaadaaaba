"""The times of a sweep, and the file that keeps them: schemas/sweep.schema.json."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.methods import Method
from hopscope.files import whole_file
from hopscope.format.version import program_version
from hopscope.launch.inputs import checked_file
from hopscope.mpi_libraries.offered import Offered

SCHEMA_VERSION: Final = 1
_LEAST_FOR_DEVIATION: Final = 4


@dataclass
class Sweep:
    """A sweep and its times so far. made: the sweep's date, command, library and hosts. methods: by operation. times:
    by point and method, in ns, in the order of measuring. machine: the result of a probe of the same machine, as in a
    machine file."""

    made: dict[str, Any]
    methods: dict[str, list[Method]]
    times: dict[tuple[Point, str], list[float]] = field(default_factory=dict[tuple[Point, str], list[float]])
    machine: dict[str, Any] | None = None

    def add(self, point: Point, method: str, times: list[float]) -> None:
        """Add times of a method at a point, ns."""
        self.times.setdefault((point, method), []).extend(times)

    @property
    def points(self) -> list[Point]:
        """The points that have times."""
        return sorted({point for point, _ in self.times})

    def times_at(self, point: Point) -> dict[str, list[float]]:
        """The times of each method at a point."""
        return {
            method.name: times
            for method in self.methods[point.operation]
            if (times := self.times.get((point, method.name)))
        }

    def write(self, place: Path) -> None:
        """Write the file. Raises InputError if it cannot be written."""
        content = {
            "schema_version": SCHEMA_VERSION,
            "hopscope_version": program_version(),
            "made": self.made,
            "machine": self.machine,
            "methods": {operation: [_row(method) for method in entries] for operation, entries in self.methods.items()},
            "points": [
                {
                    "operation": point.operation,
                    "ranks": point.ranks,
                    "bytes": point.bytes,
                    "times_ns": {name: [round(time) for time in times] for name, times in self.times_at(point).items()},
                }
                for point in self.points
            ],
        }
        with whole_file(place) as file:
            file.write((json.dumps(content, indent=1) + "\n").encode())


def read(place: Path) -> Sweep:
    """The sweep of a file. Raises InputError where it breaks the schema."""
    content = checked_file(place, "sweep")
    methods = {operation: [_method(row) for row in rows] for operation, rows in content["methods"].items()}
    sweep = Sweep(content["made"], methods, machine=content.get("machine"))
    for row in content["points"]:
        point = Point(row["operation"], row["ranks"], row["bytes"])
        for name, times in row["times_ns"].items():
            sweep.add(point, name, list(times))
    return sweep


def fastest_time(times: list[float]) -> float:
    """The minimum: the time, ns, by which methods are compared."""
    return min(times)


def deviation(times: list[float]) -> float:
    """Standard deviation of all times but the maximum, as a share of their mean; 1 for fewer than four times."""
    if len(times) < _LEAST_FOR_DEVIATION:
        return 1.0
    rest = sorted(times)[:-1]
    return statistics.stdev(rest) / statistics.fmean(rest)


def _row(method: Method) -> dict[str, Any]:
    offered = None if method.offered is None else method.offered._asdict()
    engine = {} if method.rule is None else {"engine": {"rule": method.rule, "trees": method.trees}}
    return {"name": method.name, "algorithm": offered, "segment_bytes": method.segment_bytes, **engine}


def _method(row: Mapping[str, Any]) -> Method:
    offered = None if row["algorithm"] is None else Offered(**row["algorithm"])
    engine = row.get("engine") or {}
    return Method(row["name"], offered, row["segment_bytes"], engine.get("rule"), engine.get("trees"))
