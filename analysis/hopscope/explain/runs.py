"""The rows of several runs, as `explain.verdict` puts them together, apart again."""

from typing import Any

import pyarrow as pa


def rows_by_run(rows: pa.Table) -> list[list[dict[str, Any]]]:
    """Give the rows of each run that has any, in the order in which the runs first come; `run` is their number."""
    runs: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        runs.setdefault(row["run"], []).append(row)
    return [*runs.values()]
