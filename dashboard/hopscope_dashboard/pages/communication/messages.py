"""Page Messages: who sends how much to whom in point-to-point messages, who waits for whom, and what that costs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.words import UNKNOWN_PLACE

from hopscope_dashboard.components import blocks, empty, exports
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Row, Rows, TraceData, meanings
from hopscope_dashboard.figures.bars import time_bars
from hopscope_dashboard.figures.many_places import largest_rows, left_out, matrix_places
from hopscope_dashboard.figures.matrix import matrix
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import Query, allowed_word
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.palette import CATEGORY_COLOURS

MATRIX = "messages-matrix"
COST = "messages-cost"
PAIRS = "messages-pairs"
SIZES = "messages-sizes"
PLACES = "messages-places"
ON_PATH = "messages-on-path"
ON_PATH_PLACES = "messages-on-path-by-place"

_GROUPINGS: Final = {"rank": "rank", "host": "host", "cluster": "cluster"}
_ENDS: Final = {"rank": ("src", "dst"), "host": ("src_host", "dst_host"), "cluster": ("src_cluster", "dst_cluster")}
_SHOW: Final = {
    "waiting_caused_ns": "waiting for senders",
    "waiting_suffered_ns": "waiting for receivers",
    "bytes": "bytes",
    "messages": "messages",
    "path_ns": "critical path",
}
_UNITS: Final = {"waiting_caused_ns": "ns", "waiting_suffered_ns": "ns", "bytes": "bytes", "path_ns": "ns"}
_BROKEN: Final = {"whiteSpace": "normal", "overflowWrap": "anywhere"}
_MOST_ROWS: Final = 100
"""Largest number of rows in the table of pairs; the command lists all."""
_MOST_BARS: Final = 32
"""Largest number of ranks whose waiting is drawn; the command lists all."""
_MOST_ON_PATH: Final = 8
"""Largest number of functions, and of call sites, whose time on the critical path is drawn; the command lists all."""

_WORTH_DRAWING: Final = 0.1
"""Smallest share of the critical path for which messages are drawn by function and by call site."""

_COLUMNS: Final[dict[str, Callable[[Row], str]]] = {
    "messages": lambda row: quantities.number(row["messages"]),
    "bytes": lambda row: quantities.size(row["bytes"]),
    "sender late": lambda row: _waited(row["waiting_caused_ns"], row["late_senders"]),
    "receiver late": lambda row: _waited(row["waiting_suffered_ns"], row["late_receivers"]),
    "critical path": lambda row: quantities.share(row["path_share"]),
}
_COLUMNS_OF_PLACES: Final[dict[str, Callable[[Row], str]]] = {
    **{title: _COLUMNS[title] for title in ("messages", "bytes")},
    "others waited": lambda row: quantities.duration(row["waiting_caused_ns"]),
    "waited here": lambda row: quantities.duration(row["waiting_suffered_ns"]),
    "critical path": _COLUMNS["critical path"],
}
"""Columns by call site: a message is sent at one call site and waited for at another."""
_COLUMNS_OF_HEADINGS: Final = {
    "messages": "messages",
    "bytes": "bytes",
    "sender late": "waiting_caused_ns late_senders",
    "receiver late": "waiting_suffered_ns late_receivers",
    "others waited": "waiting_caused_ns",
    "waited here": "waiting_suffered_ns",
    "critical path": "path_share",
    "size": "from_bytes below_bytes",
    "place": "place",
    "link": "link",
    "wrong order": "wrong_order",
}
"""The columns of the analysis that each heading's tooltip explains, by heading."""
_SELDOM: Final = {"wrong_order": "wrong order"}
"""Columns that are shown only if some row has a number above 0."""


_NO_MESSAGES: Final = "The program sent no messages of its own; what collectives send is on their pages."
_NO_MESSAGES_IN_PART: Final = "The program sent no messages of its own in this part of the run."
_NOT_RECORDED: Final = "Messages were not recorded: the run was told to record collectives only (HOPSCOPE_RECORD)."


def _reason_for_absence(data: TraceData) -> str | None:
    """Reason for the absence of messages; None if there are some."""
    if data.number_of("messages"):
        return None
    return _NOT_RECORDED if data.run["record"] == "collectives" else _NO_MESSAGES


def _waited(time_ns: int, late_count: int) -> str:
    return f"{quantities.duration(time_ns)} ({quantities.number(late_count)})"


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. In the address, `by` selects rank, host or cluster, and `show` selects what the matrix shows."""
    grouping, show = allowed_word(query, "by", tuple(_GROUPINGS)), allowed_word(query, "show", tuple(_SHOW))
    rows = data.rows("messages", by="pair" if grouping == "rank" else grouping)
    controls = choice("By", "/messages", query, "by", options=_GROUPINGS, current=grouping)
    head = blocks.page_head("Messages", _answer(rows, grouping) if rows else None, controls)
    if not rows:
        return html.Div([head, empty.nothing_to_draw("No messages", _reason_for_absence(data) or _NO_MESSAGES_IN_PART)])
    return html.Div(
        [
            head,
            _total(data, rows),
            _on_path(data),
            blocks.columns(
                _matrix(data, query, rows, grouping, show), _cost(data), widths="minmax(0, 3fr) minmax(0, 2fr)"
            ),
            _pairs(data, rows, grouping),
            _sizes(data),
            _places(data),
        ]
    )


def _answer(rows: Rows, grouping: str) -> str:
    """Say how long ranks waited for messages, and between whom most."""

    def waiting(row: Row) -> int:
        return row["waiting_caused_ns"] + row["waiting_suffered_ns"]

    longest, whole = max(rows, key=waiting), sum(map(waiting, rows))
    if not whole:
        return "No rank waited for the program's own messages."
    src, dst = _ENDS[grouping]
    return (
        f"Ranks waited {quantities.duration(whole)} for the program's own messages, longest for those from {grouping} "
        f"{longest[src]} to {longest[dst]}: {quantities.duration(waiting(longest))}."
    )


def _total(data: TraceData, rows: Rows) -> Component:
    def summed(column: str) -> int:
        return sum(row[column] for row in rows)

    path = sum(row["path_share"] or 0 for row in rows)
    p2p = _path_share(data)
    wrong, undecided = summed("wrong_order"), summed("undecided")
    return blocks.card(
        None,
        blocks.key_figures(
            [
                ("messages", quantities.number(summed("messages")), quantities.size(summed("bytes"))),
                (
                    "waiting for late senders",
                    quantities.duration(summed("waiting_caused_ns")),
                    quantities.plural(summed("late_senders"), "message")
                    + (f"; {quantities.number(wrong)} in the wrong order" if wrong else ""),
                ),
                (
                    "waiting for late receivers",
                    quantities.duration(summed("waiting_suffered_ns")),
                    quantities.plural(summed("late_receivers"), "message"),
                ),
                (
                    "of the critical path",
                    quantities.share(path),
                    f"{quantities.share(p2p)} with the calls around them" if p2p else "",
                ),
            ]
        ),
        hint=f"For {quantities.plural(undecided, 'message')} the trace does not show who waited; they count as no "
        "waiting."
        if undecided
        else None,
    )


def _path_share(data: TraceData) -> float | None:
    """The share of the critical path that is messages and waits for them; None if the path is unknown."""
    return next((row["share"] for row in data.rows("critical-path") if row["category"] == "p2p"), None)


def _on_path(data: TraceData) -> Component:
    """A card with the critical path's time on messages and waits for them, by function and by call site; empty below
    _WORTH_DRAWING."""
    if (_path_share(data) or 0) < _WORTH_DRAWING:
        return html.Div()
    functions = _most_on_path(data.rows("critical-path", by="operation"))
    names = [row["operation"] for row in functions]
    operation_leads = leads.Leads([leads.operation(name, of_messages=True) for name in names], "select the operation")
    drawings = [_path_drawing(names, functions, "operation", ON_PATH, operation_leads)]
    places = [row for row in _most_on_path(data.rows("critical-path", by="place")) if row["place"] != UNKNOWN_PLACE]
    if places:
        names = [row["place"] for row in places]
        drawings.append(_path_drawing(names, places, "place", ON_PATH_PLACES, leads.of_program(names)))
    return blocks.card("On the critical path", *drawings)


def _most_on_path(rows: Rows) -> Rows:
    return sorted((row for row in rows if row["p2p_ns"]), key=lambda row: -row["p2p_ns"])[:_MOST_ON_PATH]


def _path_drawing(names: Sequence[str], rows: Rows, grouping: str, name: str, bar_leads: leads.Leads) -> Component:
    series = [("messages and waits", CATEGORY_COLOURS["p2p"], [row["p2p_ns"] for row in rows])]
    figure = time_bars(
        names, series, title="time on the critical path", heading=grouping, stacked=True, leads=bar_leads
    )
    return blocks.drawing(f"The program's messages on the critical path by {grouping}", figure, name=name)


def _matrix(data: TraceData, query: Query, rows: Rows, grouping: str, show: str) -> Component:
    src, dst = _ENDS[grouping]
    shown_places = matrix_places(data.ranks, grouping, [(row[src], row[dst], row[show] or 0) for row in rows])
    if shown_places.grouping != grouping:
        rows = data.rows("messages", by=shown_places.grouping)
        src, dst = _ENDS[shown_places.grouping]
    cells = [
        {**row, "sender": row[src], "receiver": row[dst]}
        for row in rows
        if row[src] in shown_places.places and row[dst] in shown_places.places
    ]
    figure = matrix(
        cells,
        places=shown_places.places,
        value=show,
        unit=_UNITS.get(show),
        title=_SHOW[show],
        grouping=shown_places.grouping,
    )
    return blocks.card(
        "Who with whom",
        choice("Show", "/messages", query, "show", options=_SHOW, current=show),
        blocks.drawing(f"{_SHOW[show].capitalize()} by sender and receiver", figure, name=MATRIX),
        hint=shown_places.notice,
    )


def _cost(data: TraceData) -> Component:
    rows = sorted(data.rows("messages", by="rank"), key=lambda row: row["rank"])
    bar_rows = largest_rows(rows, lambda row: row["waiting_caused_ns"] + row["waiting_suffered_ns"], _MOST_BARS)
    figure = time_bars(
        [str(row["rank"]) for row in bar_rows],
        [
            ("others waited for it", CATEGORY_COLOURS["wan"], [row["waiting_caused_ns"] for row in bar_rows]),
            ("it waited for others", CATEGORY_COLOURS["native"], [row["waiting_suffered_ns"] for row in bar_rows]),
        ],
        title="waiting for messages",
        heading="rank",
        leads=leads.of_ranks(row["rank"] for row in bar_rows),
    )
    return blocks.card(
        "What it cost",
        blocks.drawing("Waiting caused and suffered by rank", figure, name=COST),
        hint=left_out(bar_rows, rows, "ranks with most waiting").strip(),
        meaning="Each wait is charged to the rank that was late, as sender or receiver. A rank that waits much itself "
        "may be late only because of that.",
    )


def _table(
    names: Sequence[str],
    labels: Sequence[Sequence[Any]],
    rows: Sequence[Row],
    name: str,
    grouping: str,
    *,
    number_columns: Mapping[str, Callable[[Row], str]] = _COLUMNS,
) -> Component:
    """A table of rows of the analysis by `grouping`: the labels of each row under `names`, then its numbers."""
    seldom = {column: title for column, title in _SELDOM.items() if any(row[column] for row in rows)}
    numbers = [
        [*(text(row) for text in number_columns.values()), *(quantities.number(row[column]) for column in seldom)]
        for row in rows
    ]
    columns = [*names, *number_columns, *seldom.values()]
    body = [[*first, *rest] for first, rest in zip(labels, numbers, strict=True)]
    ends = dict(zip(("from", "to"), _ENDS.get(grouping, _ENDS["rank"]), strict=True))
    return blocks.table(
        columns,
        body,
        name=name,
        right=range(len(names), len(columns)),
        full=exports.csv_address("messages", by=grouping),
        meanings=meanings("messages", *({**_COLUMNS_OF_HEADINGS, **ends}[column] for column in columns), by=grouping),
    )


def _pairs(data: TraceData, rows: Rows, grouping: str) -> Component:
    src, dst = _ENDS[grouping]
    listed_rows = rows[:_MOST_ROWS]
    labels = [
        [
            *(
                mark(row[end], leads.of_place(data.ranks, grouping, row[end]), f"select the {grouping}")
                for end in (src, dst)
            ),
            *([row["link"]] if grouping == "rank" else []),
        ]
        for row in listed_rows
    ]
    hint: list[Any] = []
    if len(rows) > len(listed_rows):
        count = quantities.number(len(rows))
        hint = [f"The first {len(listed_rows)} of {count} pairs; ", html.Code("analyze messages"), " lists all."]
    return blocks.card(
        "Pairs in numbers",
        _table(
            ["from", "to", *(["link"] if grouping == "rank" else [])],
            labels,
            listed_rows,
            PAIRS,
            "pair" if grouping == "rank" else grouping,
        ),
        hint=hint,
    )


def _sizes(data: TraceData) -> Component:
    rows = data.rows("messages", by="size")
    labels = [[_size_class(row)] for row in rows]
    return blocks.card(
        "By size",
        _table(["size"], labels, rows, SIZES, "size"),
        meaning="From the size at which the MPI library stops buffering, senders wait for late receivers.",
    )


def _size_class(row: Row) -> str:
    if row["from_bytes"] == 0:
        return "empty"
    return quantities.interval(row["from_bytes"], row["below_bytes"], "bytes")


def _places(data: TraceData) -> Component:
    rows = data.rows("messages", by="place")
    if [row["place"] for row in rows] == [UNKNOWN_PLACE]:
        return empty.nothing_to_draw("By place", "The trace does not say where the program sends its messages.")
    return blocks.card(
        "By place",
        _table(
            ["place"],
            [[_place(row["place"])] for row in rows],
            rows,
            PLACES,
            "place",
            number_columns=_COLUMNS_OF_PLACES,
        ),
    )


def _place(name: str) -> Any:
    written = html.Code(name, style=_BROKEN)
    return mark(written, leads.place(name), "select the place")


PAGE = Page(path="/messages", title="Messages", section="Communication", layout=layout, lacks=_reason_for_absence)
