"""Converts one archive to the tables of a dataset, piece by piece."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from hopscope.dataset.convert.part_hops import Communicator
from hopscope.dataset.convert.roles import Kinds
from hopscope.dataset.convert.run_facts import clocks_table, places_table, read_run_facts, run_table
from hopscope.dataset.convert.source import Archive
from hopscope.errors import InputError
from hopscope.native import _convert

Progress = Callable[[str, int, int], None]

PIECE_EVENTS = 1 << 19
"""The number of events read at a time, which determines how much memory a conversion needs."""

PIECE_ROWS = 1 << 17
"""The approximate number of rows in a piece of a table. All calls and hops of a collective are in one piece."""

_LAST = ("clocks", "ranks")


def convert(
    archive: Archive, scratch: Path, progress: Progress | None = None, piece_events: int = PIECE_EVENTS
) -> Iterator[tuple[str, pa.Table]]:
    """Yields every table of schemas/tables in pieces (name, rows). The pieces of one table come in the order of its
    rows. Texts are dictionaries.

    Unreadable parts of an archive are left out, and the row of `run` names them. If nothing can be read, raises
    InputError naming the file and the first bad place; if there is no room, OSError. After an error, the tables so far
    are worthless.
    """
    try:
        reader = _convert.Reader(str(archive.anchor), str(scratch), piece_events, PIECE_ROWS)
        hosts, clusters = reader.places()

        def communicator(number: int) -> Communicator:
            members, second_group = reader.communicator(number)
            of_members = ([names[rank] for rank in members] for names in (hosts, clusters))
            return Communicator(members, second_group, *of_members)

        kinds = Kinds(communicator, clusters)
        small: dict[str, pa.Table] = {}
        while (tables := reader.next(progress)) is not None:
            for name, rows in kinds.completed(_read(tables)):
                if name in _LAST:
                    small[name] = rows
                else:
                    yield name, rows
                del rows
        yield from kinds.tables()
    except _convert.ArchiveError as problem:
        raise InputError(
            f"{problem}. The archive is damaged or incomplete; copy it again completely, or trace the run again"
        ) from None
    facts: dict[str, Any] = reader.facts()
    if facts["events"] == 0:
        raise InputError(f"{archive.anchor}: the archive contains no events; trace the run again")
    run_json = read_run_facts(archive, facts)
    try:
        small["clocks"] = clocks_table(run_json, facts, small["clocks"])
        small["places"] = places_table(run_json, facts)
        run = run_table(archive, run_json, facts, small["clocks"], small["ranks"])
    except (KeyError, TypeError, ValueError, ArithmeticError) as problem:  # Arrow's own errors are among these
        raise InputError(
            f"{archive.run_facts} does not match schemas/run.schema.json ({type(problem).__name__}: {problem}); "
            "remove it to convert without its facts"
        ) from None
    yield from small.items()
    yield "run", run


def _read(tables: list[tuple[str, _convert.ArrowTable]]) -> Iterator[tuple[str, pa.Table]]:
    while tables:  # frees each table once Arrow has it
        name, stream = tables.pop(0)
        rows = pa.RecordBatchReader.from_stream(stream).read_all()  # pa.table() would import pandas
        del stream
        yield name, rows
