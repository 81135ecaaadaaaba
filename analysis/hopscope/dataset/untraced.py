"""The times of a job with and without recording, beside its trace: `untraced.json`, written by `hopscope run
--also-untraced` (schemas/untraced.schema.json)."""

import json
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.format.json_text import read_json

NAME = "untraced.json"


def write(directory: Path, untraced_ns: int, traced_ns: int) -> None:
    """Write both times to a trace directory. Each is the time of the whole job, from the start of the launcher to its
    end."""
    times = {"schema_version": 1, "untraced_ns": untraced_ns, "traced_ns": traced_ns}
    (directory / NAME).write_text(json.dumps(times) + "\n", encoding="utf-8")


def read(directory: Path) -> dict[str, int]:
    """`untraced_ns` and `traced_ns` of a trace directory; empty if they were not measured. Raises InputError if the
    file is not valid."""
    file = directory / NAME
    if not file.is_file():
        return {}
    try:
        times = cast("dict[str, Any]", read_json(file.read_text(encoding="utf-8")))
        return {name: int(times[name]) for name in ("untraced_ns", "traced_ns")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"cannot read {file} ({error}); delete it, for it contains only the cost of tracing") from None
