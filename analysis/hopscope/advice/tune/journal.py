"""The measurements of a tuning: tuning.json, written whole after every run, so that an interrupt loses nothing and
`--resume` repeats no run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from hopscope.advice.tune.candidate import Candidate, from_row
from hopscope.advice.tune.job import Run
from hopscope.errors import InputError
from hopscope.files import whole_file
from hopscope.format.version import program_version
from hopscope.launch.inputs import checked_file

FILE: Final = "tuning.json"
SCHEMA_VERSION: Final = 1
Phase = Literal["recording", "baseline", "elimination", "confirmation", "verification"]


@dataclass(frozen=True)
class Measurement:
    """A run of a candidate, with its phase, its block of interleaved runs and its outcome."""

    phase: Phase
    block: int
    candidate: str
    run: Run

    def row(self) -> dict[str, Any]:
        """The measurement's row in tuning.json."""
        return {"phase": self.phase, "block": self.block, "candidate": self.candidate, **asdict(self.run)}


@dataclass
class Journal:
    """The content of tuning.json. `decisions`: choices that depended on the remaining time or on chance, by name. A
    resumed tuning keeps them."""

    folder: Path
    request: dict[str, Any]
    target: dict[str, Any] = field(default_factory=dict[str, Any])
    baseline: dict[str, Any] = field(default_factory=dict[str, Any])
    candidates: list[Candidate] = field(default_factory=list[Candidate])
    measurements: list[Measurement] = field(default_factory=list[Measurement])
    decisions: dict[str, Any] = field(default_factory=dict[str, Any])
    result: dict[str, Any] | None = None
    spent_s: float = 0.0

    def recorded(self, phase: Phase, block: int, candidate: str) -> Run | None:
        """The run that was measured already for this phase, block and candidate; None if there is none."""
        key = (phase, block, candidate)
        return next((m.run for m in self.measurements if (m.phase, m.block, m.candidate) == key), None)

    def add(self, measurement: Measurement) -> None:
        """Add a run, and write the file."""
        self.measurements.append(measurement)
        self.write()

    def decided(self, name: str, decide: Callable[[], Any]) -> Any:
        """The decision of this name, a JSON value. If the journal does not have it yet, `decide` makes it."""
        if name not in self.decisions:
            self.decisions[name] = decide()
            self.write()
        return self.decisions[name]

    def with_candidates(self, make: Callable[[], list[Candidate]]) -> list[Candidate]:
        """The first round's candidates. If the journal does not have them yet, `make` makes them."""
        if "candidates" not in self.decisions:
            self.candidates = make()
            self.decisions["candidates"] = [candidate.name for candidate in self.candidates]
            self.write()
        names: list[str] = self.decisions["candidates"]
        return [candidate for candidate in self.candidates if candidate.name in names]

    def add_candidate(self, candidate: Candidate) -> None:
        """Add a candidate that was made during the elimination."""
        if all(candidate.name != entry.name for entry in self.candidates):
            self.candidates.append(candidate)

    def write(self) -> None:
        """Write tuning.json."""
        content = {
            "schema_version": SCHEMA_VERSION,
            "hopscope_version": program_version(),
            "request": self.request,
            "target": self.target,
            "spent_s": round(self.spent_s, 3),
            "baseline": self.baseline,
            "candidates": [candidate.row() for candidate in self.candidates],
            "measurements": [measurement.row() for measurement in self.measurements],
            "decisions": self.decisions,
            "result": self.result,
        }
        with whole_file(self.folder / FILE) as file:
            file.write((json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def read(folder: Path) -> Journal:
    """The journal of a directory. Raises InputError if it has none or its file breaks the schema."""
    if not (folder / FILE).is_file():
        raise InputError(f"{folder} contains no {FILE}; name a directory that `hopscope tune` wrote")
    content: Mapping[str, Any] = checked_file(folder / FILE, "tuning")
    return Journal(
        folder,
        dict(content["request"]),
        dict(content["target"]),
        dict(content["baseline"]),
        [from_row(row) for row in content["candidates"]],
        [_measurement(row) for row in content["measurements"]],
        dict(content["decisions"]),
        cast("dict[str, Any] | None", content["result"]),
        content["spent_s"],
    )


def _measurement(row: Mapping[str, Any]) -> Measurement:
    names = ("outcome", "wall_s", "figure", "per", "detail", "library")
    return Measurement(row["phase"], row["block"], row["candidate"], Run(**{name: row[name] for name in names}))
