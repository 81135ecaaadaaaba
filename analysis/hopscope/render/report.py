"""An answer and its gates as one JSON document, `schemas/report.schema.json`, for CI to keep."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.gate import Outcome, worst
from hopscope.render.machine import in_json
from hopscope.whole_file import whole_file

if TYPE_CHECKING:
    from hopscope.answer import Answer
    from hopscope.trace import Trace

REPORT_VERSION = 1


def program_version() -> str:
    """Version of hopscope; of a source tree that was never installed, `0+source`."""
    try:
        return version("hopscope")
    except PackageNotFoundError:
        return "0+source"


def write_report(file: Path, trace: Trace, answer: Answer, outcomes: Sequence[Outcome]) -> None:
    """Write the report. Raises InputError if the file cannot be written."""
    document: dict[str, Any] = {
        "schema_version": REPORT_VERSION,
        "hopscope_version": program_version(),
        "trace": trace.path.resolve().name,
        "analysis": answer.analysis.command,
        "parameters": _parameters(answer),
        "caveats": [*trace.caveats(), *answer.notes],
        "honesty": [in_json(row) for row in trace.answer("honesty").rows],
        "columns": [{"name": c.name, "type": c.type, "meaning": c.meaning} for c in answer.analysis.columns],
        "rows": [in_json(row) for row in answer.rows],
        "gates": [asdict(outcome) for outcome in outcomes],
        "outcome": worst(outcomes),
    }
    write_text(file, json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n")


def write_text(file: Path, text: str) -> None:
    """Write a file that the user asked for, whole or not at all. Raises InputError if it cannot be written."""
    with whole_file(file) as output:
        output.write(text.encode())


def _parameters(answer: Answer) -> dict[str, Any]:
    grain = answer.analysis.grain
    chosen = {grain.option: grain.value} if grain and grain.value is not None else {}
    return {**chosen, **answer.parameters}
