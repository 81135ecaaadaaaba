"""The rows of the run's timeline: pinned ranks first, then ranks or hosts in the order that the address names."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from hopscope_dashboard.address import Query, one_of
from hopscope_dashboard.data import Columns, Row, TraceData

ORDERS: Final[Mapping[str, str]] = {"host": "Host", "number": "Rank number", "late": "Lateness"}
"""How rows can be sorted, as the address has it and as people read it."""

Place = tuple[float, ...]


def pinned(query: Query) -> list[int]:
    """Give the pinned ranks that the address names, `pins=3,0`, each once."""
    words = [word for word in query.get("pins", "").split(",") if word.isascii() and word.isdigit() and len(word) < 9]
    return list(dict.fromkeys(map(int, words)))


def order(query: Query) -> str:
    """Give how the address sorts rows."""
    return one_of(query, "order", tuple(ORDERS))


def columns(
    data: TraceData, query: Query, begin: int, end: int, most: int, *, by: str, host: str | None, waiting: bool = False
) -> tuple[Columns, int]:
    """Give the columns of a range with their rows in order, and how many of these are pinned.

    A pinned rank has a row also where the others are hosts, or ranks of another host. Raises InputError.
    """
    found = data.timeline.columns(begin, end, most, by=by, host=host, waiting=waiting)
    known = {row["rank"] for row in data.ranks}
    pins = [rank for rank in pinned(query) if rank in known]
    rows, time, path, waited = found.rows, found.time_ns, found.path_ns, found.waiting_ns
    lacking = set(pins) - {row.get("rank") for row in rows}
    if lacking:
        more = data.timeline.columns(begin, end, most, ranks=lacking, waiting=waiting)
        rows = [*more.rows, *rows]
        time, path = (np.concatenate(both, axis=1) for both in ((more.time_ns, time), (more.path_ns, path)))
        waited = None if waited is None or more.waiting_ns is None else np.concatenate((more.waiting_ns, waited))
    turn = _in_order(data, rows, pins, order(query))
    if not lacking and turn == list(range(len(rows))):
        return found, len(pins)
    arranged = replace(
        found,
        rows=[rows[at] for at in turn],
        time_ns=time[:, turn],
        path_ns=path[:, turn],
        waiting_ns=None if waited is None else waited[turn],
    )
    return arranged, len(pins)


def _in_order(data: TraceData, rows: list[Row], pins: list[int], by: str) -> list[int]:
    """The numbers of the rows in their order; a host is where the first of its ranks would be."""
    ranks = _places(data, by)
    hosts: dict[tuple[Any, Any], Place] = {}
    for row in data.ranks if ranks else ():
        own = ranks[row["rank"]]
        hosts[_host(row)] = min(own, hosts.get(_host(row), own))

    def place(at: int) -> Place:
        row = rows[at]
        if row.get("rank") in pins:
            return (0, pins.index(row["rank"]))
        return (1, *(ranks.get(row["rank"], ()) if "rank" in row else hosts.get(_host(row), ())), at)

    return sorted(range(len(rows)), key=place)


def _places(data: TraceData, by: str) -> dict[int, Place]:
    """Of each rank what it is sorted by; none where rows are in the order of their hosts already."""
    if by == "host":
        return {}
    late = {}
    if by == "late":
        late = {row["rank"]: (-row["share"], -(row["worst_ns"] or 0)) for row in data.rows_or_none("late-ranks")}
    return {row["rank"]: (*late.get(row["rank"], (0, 0)), row["rank"]) for row in data.ranks}


def _host(row: Row) -> tuple[Any, Any]:
    return row["cluster"], row["host"]
