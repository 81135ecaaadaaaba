"""Separates the rows of several runs, which `explain.verdict` puts into one table."""

from typing import Any

import pyarrow as pa


def rows_by_run(rows: pa.Table) -> list[list[dict[str, Any]]]:
    """Give the rows of each run that has any. The column `run` has the number of the run, and the order is that of
    first rows."""
    runs: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        runs.setdefault(row["run"], []).append(row)
    return [*runs.values()]
