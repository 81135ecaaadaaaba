"""One archive into the tables of a dataset, in memory."""

from collections.abc import Callable

import pyarrow as pa

from hopscope import _convert, paths
from hopscope.convert.contract import conform, table_names
from hopscope.convert.run_facts import clocks_table, read_run_facts, run_table
from hopscope.convert.source import Archive
from hopscope.errors import InputError

Progress = Callable[[str, int, int], None]


def convert(archive: Archive, progress: Progress | None = None) -> dict[str, pa.Table]:
    """Every table of schemas/tables, under its contract's schema.

    Raises InputError naming the file and the first bad place.
    """
    try:
        streams, facts = _convert.convert(str(archive.anchor), progress)
    except _convert.ArchiveError as problem:
        raise InputError(
            f"{problem}. The archive is damaged or incomplete: copy it again whole, or trace the run again"
        ) from None
    if facts["events"] == 0:
        raise InputError(f"{archive.anchor}: the archive holds no events; trace the run again")
    tables: dict[str, pa.Table] = {name: pa.table(stream) for name, stream in streams.items()}
    about = read_run_facts(archive, facts)
    try:
        tables["clocks"] = clocks_table(about, facts, tables["clocks"])
        tables["run"] = run_table(archive, about, facts, tables)
    except (KeyError, TypeError, ValueError, ArithmeticError) as problem:  # Arrow's own errors are among these
        raise InputError(
            f"{archive.run_facts} is not as schemas/run.schema.json says: {type(problem).__name__}: {problem}; "
            "remove it to convert without what it says"
        ) from None
    if progress:
        progress("finding paths", 0, 1)
    tables = paths.derive(tables)
    if progress:
        progress("finding paths", 1, 1)
    return {name: conform(name, tables[name]) for name in table_names()}
