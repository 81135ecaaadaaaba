"""The rows of the run's timeline: pinned ranks first, then ranks or hosts in the order that the address names."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from hopscope_dashboard.data.trace import Columns, Row, TraceData
from hopscope_dashboard.navigation.address import Query, allowed_word

ORDERS: Final[Mapping[str, str]] = {"host": "Host", "number": "Rank number", "late": "Lateness"}
"""Orders of rows: the address's word, and the text that users read."""

Place = tuple[float, ...]


def pinned(query: Query) -> list[int]:
    """Give the pinned ranks that the address names, `pins=3,0`, each once."""
    words = [word for word in query.get("pins", "").split(",") if word.isascii() and word.isdigit() and len(word) < 9]
    return list(dict.fromkeys(map(int, words)))


def order(query: Query) -> str:
    """Give the order of rows that the address names."""
    return allowed_word(query, "order", tuple(ORDERS))


def columns(
    data: TraceData,
    query: Query,
    begin: int,
    end: int,
    limit: int,
    *,
    grouping: str,
    host: str | None,
    ranks: Collection[int] | None = None,
    waiting: bool = False,
) -> tuple[Columns, int]:
    """Give the columns of a range of time, with rows in order, and the number of pinned rows, which come first.

    `ranks`: the only ranks with rows. A pinned rank has a row even if the other rows are hosts, or ranks of another
    host. Raises InputError.
    """
    grid = data.timeline.columns(begin, end, limit, by=grouping, host=host, ranks=ranks, waiting=waiting)
    known_ranks = {row["rank"] for row in data.ranks}
    pins = [rank for rank in pinned(query) if rank in known_ranks]
    rows, time, path, waited = grid.rows, grid.time_ns, grid.path_ns, grid.waiting_ns
    lacking = set(pins) - {row.get("rank") for row in rows}
    if lacking:
        pinned_grid = data.timeline.columns(begin, end, limit, ranks=lacking, waiting=waiting)
        rows = [*pinned_grid.rows, *rows]
        time, path = (
            np.concatenate(planes, axis=1) for planes in ((pinned_grid.time_ns, time), (pinned_grid.path_ns, path))
        )
        waited = (
            None
            if waited is None or pinned_grid.waiting_ns is None
            else np.concatenate((pinned_grid.waiting_ns, waited))
        )
    turn = _in_order(data, rows, pins, order(query))
    if not lacking and turn == list(range(len(rows))):
        return grid, len(pins)
    arranged = replace(
        grid,
        rows=[rows[index] for index in turn],
        time_ns=time[:, turn],
        path_ns=path[:, turn],
        waiting_ns=None if waited is None else waited[turn],
    )
    return arranged, len(pins)


def _in_order(data: TraceData, rows: list[Row], pins: list[int], criterion: str) -> list[int]:
    """The numbers of the rows in their order. A host stands where the first of its ranks would."""
    ranks = _places(data, criterion)
    hosts: dict[tuple[Any, Any], Place] = {}
    for row in data.ranks if ranks else ():
        rank_place = ranks[row["rank"]]
        hosts[_host(row)] = min(rank_place, hosts.get(_host(row), rank_place))

    def place(index: int) -> Place:
        row = rows[index]
        if row.get("rank") in pins:
            return (0, pins.index(row["rank"]))
        return (1, *(ranks.get(row["rank"], ()) if "rank" in row else hosts.get(_host(row), ())), index)

    return sorted(range(len(rows)), key=place)


def _places(data: TraceData, criterion: str) -> dict[int, Place]:
    """Sort key of each rank; empty for the order by host, which rows already have."""
    if criterion == "host":
        return {}
    lateness = {}
    if criterion == "late":
        lateness = {row["rank"]: (-row["share"], -(row["worst_ns"] or 0)) for row in data.rows_or_none("late-ranks")}
    return {row["rank"]: (*lateness.get(row["rank"], (0, 0)), row["rank"]) for row in data.ranks}


def _host(row: Row) -> tuple[Any, Any]:
    return row["cluster"], row["host"]
