"""Answers the timeline's script: columns as bytes, marks, and a rank's activity at a time.

Every text that the script shows comes from here, so that numbers become text in one place.
"""

import json
import struct
from dataclasses import replace
from typing import Any, Final

import numpy as np
from hopscope.format import quantities
from hopscope.vocabulary.words import CATEGORIES, ONE_TIME_CATEGORIES

from hopscope_dashboard.data.trace import MESSAGE_CALLS, Columns, InputError, Row, TraceData
from hopscope_dashboard.figures.many_places import WHOLE
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, link, number
from hopscope_dashboard.palette import WAITING
from hopscope_dashboard.timeline import one_collective, run_rows, run_summary

MOST_COLUMNS: Final = 2_000
"""Largest number of columns sent."""

_TICKS: Final = 7
_SHARES: Final = 4
_SHORT_ROWS: Final = 300_000
"""Largest number of calls, hops and messages of a run whose waiting is computed in a moment."""


def columns(data: TraceData, query: Query) -> bytes:
    """Give the columns of the time range `from` to `to` (ns); with `around`, also half as much time before and after
    it.

    The result is the length of a header (4 bytes, little-endian), the header as JSON, and planes with one byte per row
    and column. There is a plane for each of the header's categories, one for waiting if the header says so, and one for
    the critical path. A byte is the share of the row's time in 255ths, at least 1 if there is any time. `order` and
    `pins` arrange the rows. `collective` restricts the rows to the ranks of a collective. Times in texts count from
    `since`. Raises InputError.
    """
    begin, end = _range(data, query)
    since_ns, collective = number(query, "since") or 0, query.get("collective")
    ranks = one_collective.ranks(data, collective) if collective else None
    margin = (end - begin) // 2 if query.get("around") else 0
    column_limit = min(max(number(query, "columns") or 1000, 1), MOST_COLUMNS)
    grouping = query.get("by") or ("rank" if query.get("host") or len(ranks or data.ranks) <= WHOLE else "host")
    host = query.get("host") or None
    grid, pins = run_rows.columns(
        data, query, begin - margin, end + margin, column_limit, grouping=grouping, host=host, ranks=ranks,
        waiting=_is_short(data),
    )  # fmt: skip
    if collective and grid.waiting_ns is None:
        grid = replace(grid, waiting_ns=one_collective.waiting(data, collective, grid))
    words = list(CATEGORIES)
    used = [index for index in range(len(words)) if grid.time_ns[index].any()]
    full = np.array([row["ranks"] for row in grid.rows], np.int64) * grid.width_ns
    full = np.maximum(full, grid.time_ns.sum(axis=0).max(axis=1, initial=1))
    planes = [_bytes(grid.time_ns[index], full) for index in used]
    planes += [] if grid.waiting_ns is None else [_bytes(grid.waiting_ns, full)]
    path = _bytes(grid.path_ns.sum(axis=0), np.full(len(grid.rows), grid.width_ns))
    header = {
        "from": begin,
        "to": end,
        "begin": grid.begin_ns,
        "width": grid.width_ns,
        "columns": grid.time_ns.shape[2],
        "duration": data.timeline.duration_ns,
        "exact": grid.exact,
        "by": grouping,
        "rows": [_label(row) for row in grid.rows],
        "pins": pins,
        "categories": [words[index] for index in used],
        "waiting": grid.waiting_ns is not None,
        "ticks": _ticks(begin, end, since_ns),
        "said": _range_text(begin, end, since_ns),
        "once": [
            [*ends, ONE_TIME_CATEGORIES[name]] for name, ends in data.timeline.phases.items() if ends[0] < ends[1]
        ],
    }
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([struct.pack("<I", len(text)), text, *planes, path])


def marks(data: TraceData, query: Query) -> dict[str, Any]:
    """Give the marks in the range as lists of rows; null for a kind with too many. `calls` are those of at least
    `least` ns, long enough for a name; null without `least`. With `collective`, `path` and `hops` are those of the
    collective, `own` has its calls, and `messages` and `collectives` are empty. Raises InputError."""
    begin, end = _range(data, query)
    lists = data.timeline.marks(begin, end)
    shortest_ns, collective = number(query, "least"), query.get("collective")
    lists["calls"] = data.timeline.long_calls(begin, end, shortest_ns) if shortest_ns else None

    def rows(name: str, *keys: str) -> list[list[Any]] | None:
        mark_rows = lists[name]
        return None if mark_rows is None else [[row[key] for key in keys] for row in mark_rows]

    return {
        "path": rows("path", "rank", "begin_ns", "end_ns", "category"),
        "collectives": rows("collectives", "first_enter_ns", "last_leave_ns", "comm", "seq", "op"),
        "hops": rows("hops", "src", "dst", "send_begin_ns", "recv_end_ns", "link"),
        "messages": rows("messages", "src", "dst", "send_begin_ns", "recv_end_ns"),
        "regions": rows("regions", "rank", "depth", "begin_ns", "end_ns", "region"),
        "calls": rows("calls", "rank", "begin_ns", "end_ns", "name"),
        **(one_collective.marks(data, collective, begin, end) if collective else {}),
    }


def ruler(data: TraceData, query: Query) -> dict[str, str]:
    """Give the length of a range and its ends, as texts. Raises InputError."""
    begin, end = _range(data, query)
    since_ns = number(query, "since") or 0
    ends = _moments(since_ns, begin, end)
    if ends[0] == ends[1]:
        ends = [quantities.exact_moment(at_ns - since_ns) for at_ns in (begin, end)]
    return {"length": quantities.duration(end - begin), "ends": " to ".join(ends)}


def summary(data: TraceData, query: Query) -> dict[str, Any]:
    """Give the activity of all ranks, or of `ranks`, in a range, as tables. For a long run the tables include waiting
    only if `waiting` asks for it. Raises InputError."""
    begin, end = _range(data, query)
    known_ranks = {row["rank"] for row in data.ranks}
    ranks = [int(word) for word in query.get("ranks", "").split(",") if word.isascii() and word.isdigit()]
    chosen_ranks = [rank for rank in ranks if rank in known_ranks] if ranks else None
    waiting = bool(query.get("waiting")) or _is_short(data)
    tables = run_summary.summary(data, begin, end, chosen_ranks, waiting=waiting)
    return {"said": _range_text(begin, end), **tables}


def moment_details(data: TraceData, query: Query) -> dict[str, Any]:
    """Give the activity of a rank or a host in a column, as texts.

    The answer has `title`, `shares` and `calls`: the calls at the time `at`, or the computing between two calls, each
    with its `text`, the address of the page about it, and what a click on it `does`. Raises InputError.
    """
    begin, end = _range(data, query)
    time_ns = number(query, "at")
    rank, host = number(query, "rank"), query.get("host")
    time_ns = begin if time_ns is None else time_ns
    grouping = "rank" if host is None else "host"
    grid = data.timeline.columns(begin, end, 1, by=grouping, host=host, waiting=_is_short(data))
    row = 0 if host is not None else next((i for i, r in enumerate(grid.rows) if r["rank"] == rank), None)
    if row is None:
        raise InputError(f"the trace has no rank {rank}")
    times = grid.time_ns[:, row].sum(axis=1).tolist()
    calls: list[Row] = []
    if host is None and rank is not None and (collective := query.get("collective")):
        calls = one_collective.activity(data, collective, rank, time_ns)
    if host is None and rank is not None and not calls:
        calls = [_call(call, rank) for call in data.timeline.at(rank, time_ns)]
        stretch = data.timeline.computing(rank, time_ns)
        calls += [_computing(stretch)] if stretch else []
    (moment,) = _moments(number(query, "since") or 0, time_ns)
    return {
        "title": f"{_label(grid.rows[row])['name']} at {moment}",
        "shares": [*_shares(times), *_waited(grid, row, sum(times))],
        "calls": calls,
    }


def shares(data: TraceData, rank: int, begin: int, end: int) -> list[Row]:
    """Give the shares of the categories of a rank's time in a range, largest first, each with its text."""
    grid = data.timeline.columns(begin, end)
    row = next(i for i, r in enumerate(grid.rows) if r["rank"] == rank)
    return _shares(grid.time_ns[:, row].sum(axis=1).tolist())


def call_name(call: Row) -> str:
    """Give the name of a call; for a call of a collective, with the collective's COMM:SEQ."""
    return call["name"] if call["comm"] is None else f"{call['name']} {call['comm']}:{call['seq']}"


def region_phrase(region: str | None) -> str:
    """Say in which region of the program something happened; empty outside all regions."""
    return f" in the region {region}" if region else ""


def _call(call: Row, rank: int) -> Row:
    lasted = "never left" if call["end_ns"] is None else quantities.duration(call["end_ns"] - call["begin_ns"])
    href = None if call["comm"] is None else leads.collective(f"{call['comm']}:{call['seq']}")
    if call["name"] in MESSAGE_CALLS and call["end_ns"] is not None:
        stretch = {"from": call["begin_ns"], "to": call["end_ns"]}
        href = link("/messages", ranks=rank, operation=call["name"], **stretch)
    return {"text": f"{call_name(call)}, {lasted}", "href": href, "does": f"see {call_name(call)}"}


def _computing(stretch: Row) -> Row:
    """Computing with the calls around it, and a link to the source where it ends."""
    call_before, call_after = stretch["before"], stretch["after"]
    lasted = quantities.duration(stretch["end_ns"] - stretch["begin_ns"])
    text = (
        f"computing{region_phrase(stretch['region'])}, {lasted}, from {_placed(call_before)} to {_placed(call_after)}"
    )
    href = link("/places", at=call_after["place"]) if call_after["place"] else None
    return {"text": text, "href": href, "does": "see the source where it ends"}


def _placed(call: Row) -> str:
    return f"{call_name(call)} at {call['place']}" if call["place"] else call_name(call)


def _range(data: TraceData, query: Query) -> tuple[int, int]:
    """The range of time, cut at the run's end. Raises InputError if it is invalid or empty."""
    ends = {name: number(query, name) for name in ("from", "to")}
    wrong = [name for name, value in ends.items() if value is None and query.get(name)]
    if wrong:
        raise InputError(f"{wrong[0]} is {query[wrong[0]]!r}; it takes whole nanoseconds")
    run = data.timeline.duration_ns
    begin = ends["from"] or 0
    end = run if ends["to"] is None else min(ends["to"], run)
    if begin >= end:
        raise InputError(f"the range from {begin} to {end} holds nothing; the run ends at {run}, in ns")
    return begin, end


def _bytes(time: Any, full: Any) -> bytes:
    shares = np.minimum(np.rint(255 * (time / full[:, None])), 255)
    return np.where(time > 0, np.maximum(shares, 1), 0).astype(np.uint8).tobytes()


def _label(row: Row) -> Row:
    if "rank" in row:
        name = f"Rank {row['rank']} on {row['host']}"
        return {"name": name, "rank": row["rank"], "host": row["host"], "cluster": row["cluster"]}
    name = f"Host {row['host']}, {quantities.plural(row['ranks'], 'rank')}"
    return {"name": name, "host": row["host"], "ranks": row["ranks"], "cluster": row["cluster"]}


def _ticks(begin: int, end: int, since_ns: int) -> list[Row]:
    """Places on the axis with their texts: the time since the start of the range, or of the run."""
    steps = (digit * 10**power for power in range(19) for digit in (1, 2, 5))
    step = next(step for step in steps if (end - begin) // step <= _TICKS)
    places = list(range(0, end - begin, step))
    texts = quantities.alike("ns", *places)
    if begin != since_ns:
        texts = [*_moments(since_ns, begin), *(f"+{text}" for text in texts[1:])]
    return [{"at": begin + place, "text": text} for place, text in zip(places, texts, strict=True)]


def _range_text(begin: int, end: int, since_ns: int = 0) -> str:
    return f"{' to '.join(_moments(since_ns, begin, end))}, {quantities.duration(end - begin)}"


def _moments(since_ns: int, *times_ns: int) -> list[str]:
    """Points in time, since the start of the trace or since `since_ns`, in one unit."""
    if not since_ns:
        return [quantities.moment(time_ns) for time_ns in times_ns]
    unit = quantities.axis_unit(max(times_ns) - since_ns)
    return [quantities.on_axis(time_ns - since_ns, unit) for time_ns in times_ns]


def _is_short(data: TraceData) -> bool:
    """True if the run is short enough for its waiting to be computed in a moment."""
    return data.number_of("calls", "hops", "messages") <= _SHORT_ROWS


def _waited(grid: Columns, row: int, time_ns: int) -> list[Row]:
    """Waiting as a share of a row's time; empty if it is unknown or if there is none."""
    waited = 0 if grid.waiting_ns is None else int(grid.waiting_ns[row].sum())
    return [{"category": WAITING, "text": quantities.share(waited / time_ns)}] if waited else []


def _shares(times: list[int]) -> list[Row]:
    largest = sorted(zip(times, CATEGORIES, strict=True), reverse=True)[:_SHARES]
    return [{"category": word, "text": quantities.share(time / sum(times))} for time, word in largest if time]
