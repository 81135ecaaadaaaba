"""Writes an answer and its gates as one JSON document (`schemas/report.schema.json`), for CI to keep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.files import write_text
from hopscope.format.version import program_version
from hopscope.gate import Outcome, worst
from hopscope.render.machine import in_json

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.query.opened import OpenedTrace

REPORT_VERSION = 2


def write_report(file: Path, trace: OpenedTrace, answer: Answer, outcomes: Sequence[Outcome]) -> None:
    """Write the report. Raises InputError if the file cannot be written."""
    document: dict[str, Any] = {
        "schema_version": REPORT_VERSION,
        "hopscope_version": program_version(),
        "trace": trace.path.resolve().name,
        "analysis": answer.analysis.command,
        "parameters": _parameters(answer),
        "caveats": [*trace.caveats(), *answer.notes],
        "trust": [in_json(row) for row in trace.answer("trust").rows if row["section"] != "limits"],
        "columns": [{"name": c.name, "type": c.type, "meaning": c.meaning} for c in answer.analysis.columns],
        "rows": [in_json(row) for row in answer.rows],
        "gates": [asdict(outcome) for outcome in outcomes],
        "outcome": worst(outcomes),
    }
    write_text(file, json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n")


def _parameters(answer: Answer) -> dict[str, Any]:
    grain = answer.analysis.grain
    grain_option = {grain.option: grain.value} if grain and grain.value is not None else {}
    return {**grain_option, **answer.parameters}
