"""Writes the dataset's tables in other formats, for programs that cannot read Parquet."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hopscope.dataset.store import table_schemas
from hopscope.errors import InputError
from hopscope.export.table_formats import WRITERS
from hopscope.files import whole_file

if TYPE_CHECKING:
    from hopscope.trace import Progress, Trace


def write_tables(
    trace: Trace,
    output: Path,
    form: str,
    *,
    tables: Sequence[str] = (),
    progress: Progress | None = None,
) -> dict[str, int]:
    """Write tables of the dataset. A single table goes to the file `output`. Several tables, or all if none is named,
    go to a new directory `output` as `<table>.<form>`.

    Returns the number of rows of each table. Raises InputError for an unknown form or table, a directory that already
    exists, or a place that cannot be written.
    """
    if form not in WRITERS:
        raise InputError(f"tables cannot be written as {form!r}; the formats are {', '.join(WRITERS)}")
    names = list(tables) or list(table_schemas())
    for name in names:
        if name not in table_schemas():
            raise InputError(f"a dataset has no table {name!r}; its tables are {', '.join(table_schemas())}")
    if len(names) == 1:
        return {names[0]: _write_table(trace, output, names[0], form)}
    if output.exists():
        raise InputError(f"{output} already exists; name a new directory for the {len(names)} tables")
    making = output.with_name(f"{output.name}.tmp-{os.getpid()}")
    try:
        making.mkdir()
        rows: dict[str, int] = {}
        for done, name in enumerate(names):
            if progress:
                progress("writing tables", done, len(names))
            rows[name] = _write_table(trace, making / f"{name}.{form}", name, form)
        making.rename(output)
        if progress:
            progress("writing tables", len(names), len(names))
        return rows
    except OSError as problem:
        raise InputError(f"cannot create {output}: {problem.strerror or problem}. Name another place") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _write_table(trace: Trace, output: Path, name: str, form: str) -> int:
    with whole_file(output) as file:
        return WRITERS[form](file, table_schemas()[name], trace.batches(_QUERY, {"name": name}))


_QUERY = "from query_table($name)"
