"""Separates the rows of several runs, which `explain.verdict` puts into one table."""

from typing import Any

import pyarrow as pa


def rows_by_run(rows: pa.Table) -> list[list[dict[str, Any]]]:
    """Group rows by run. Runs are in the order in which they first occur in the rows. The column `run` has the run's
    number."""
    runs: dict[int, list[dict[str, Any]]] = {}
    for row in rows.to_pylist():
        runs.setdefault(row["run"], []).append(row)
    return [*runs.values()]
