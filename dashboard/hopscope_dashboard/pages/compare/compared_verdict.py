"""The part of the page Compare that says whether one run is slower: the rows of `analyze compare` in sentences and in
numbers."""

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.data.trace import Compared, Row, Rows, TraceData, meanings
from hopscope_dashboard.navigation.address import link
from hopscope_dashboard.pages.compare import compared_leads

VERDICT_SENTENCE = "compare-verdict"
ACTIVITIES = "compare-activities"
OPERATIONS_SAID = "compare-operations"
TIMES = "compare-times"

_DECIDED: Final = ("slower", "faster", "same", "undecided", "new", "gone")
"""The verdicts in the order in which they are worth reading."""
_COLUMNS: Final = ("base_ns", "new_ns", "difference_ns change", "change_low change_high", "verdict")
"""The columns of the analysis that both tables show last."""
_ROW_LIMIT: Final = 40


def card(base: TraceData, new: TraceData, comparison: Compared) -> Component:
    """Give the notes on the verdict, and the whole run's time by activity."""
    if not comparison.rows:
        return html.Div()
    body = [
        [
            row["activity"],
            *(quantities.duration(row[f"{run}_ns"]) for run in ("base", "new")),
            quantities.changes(row["difference_ns"], row["change"]),
            quantities.interval(row["change_low"], row["change_high"]),
            row["verdict"],
        ]
        for row in comparison.rows
    ]
    columns = [f"per {comparison.rows[0]['per']}", "base", "new", "change", "95 % interval", "verdict"]
    full = compared_leads.csv_address(new, grouping="activity")
    return blocks.card(
        "By activity",
        _notes(comparison.notes),
        blocks.table(
            columns,
            body,
            name=ACTIVITIES,
            right=range(1, 5),
            full=full,
            meanings=meanings("compare", "activity", *_COLUMNS, by="activity"),
        ),
        blocks.code(f"analyze compare {shlex.quote(base.path)} {shlex.quote(new.path)}"),
    )


def operations(base: TraceData, new: TraceData, comparison: Compared, page_notes: Sequence[str]) -> Component:
    """Give the number of medians with each verdict, and the table of times. page_notes: notes that the page shows
    already."""
    title = "Collectives"
    if not comparison.rows:
        return empty.nothing_to_draw(title, "Neither run has a complete collective.")
    medians = [row for row in comparison.rows if row["statistic"] == "median"]
    return blocks.card(
        title,
        html.P(_verdict_counts(medians), className="reason", id=OPERATIONS_SAID),
        _notes([note for note in comparison.notes if note not in page_notes]),
        _table(comparison.rows, base, new),
        blocks.code(f"analyze compare {shlex.quote(base.path)} {shlex.quote(new.path)} --by operation"),
    )


def _notes(notes: Sequence[str]) -> Component | None:
    """Notes on the numbers, folded."""
    if not notes:
        return None
    sentences = [html.Li(empty.sentence(note)) for note in notes]
    folded = [html.Summary(quantities.plural(len(notes), "remark")), html.Ul(sentences, className="remarks")]
    return html.Details(folded, className="hint")


def not_comparable(reason: str) -> Component:
    """Say why there is no verdict."""
    return blocks.card(None, html.P(f"{reason}.", className="reason"))


def site(row: Row) -> Component:
    """Give the operation and its call site, and the base's call site if it differs."""
    place_text = html.Small(moved(row["place"], row["base_place"]), className="broken")
    communicator = "" if row["comm"] == 0 else f" on communicator {row['comm']}"
    return html.Div([f"{row['operation']}{communicator}", html.Br(), place_text])


def moved(place: str, base_place: str | None) -> Component:
    """Give a call site, and the base's call site if it differs."""
    base_text = [] if base_place in (None, place) else [f", in the base {base_place}"]
    return html.Span([place, *base_text], className="broken")


def _worth(row: Row) -> tuple[bool, int, float]:
    """Sort key: first rows with an interval, then by verdict, then by time."""
    times = (row["base_ns"] or 0) * row["base_collectives"], (row["new_ns"] or 0) * row["new_collectives"]
    return row["change_low"] is None, _DECIDED.index(row["verdict"]), -max(times)


def _verdict_counts(medians: Rows) -> str:
    counts = Counter(row["verdict"] for row in medians)
    phrase = ", ".join(f"{quantities.number(counts[word])} {word}" for word in _DECIDED if counts[word])
    return f"Of {quantities.plural(len(medians), 'median')}: {phrase}."


def _table(rows: Rows, base: TraceData, new: TraceData) -> Component:
    body = [
        [
            site(row),
            row["statistic"],
            _time(row["base_ns"], base, row, row["base_place"]),
            _time(row["new_ns"], new, row, row["place"]),
            quantities.changes(row["difference_ns"], row["change"]),
            quantities.interval(row["change_low"], row["change_high"]),
            row["verdict"],
        ]
        for row in sorted(rows, key=_worth)[:_ROW_LIMIT]
    ]
    columns = ["operation", "", "base", "new", "change", "95 % interval", "verdict"]
    full = compared_leads.csv_address(new, grouping="operation")
    tooltips = meanings("compare", "operation place", "statistic", *_COLUMNS, by="operation")
    time_table = blocks.table(columns, body, name=TIMES, right=range(2, 6), full=full, meanings=tooltips)
    left = len(rows) - len(body)
    rest = f"{quantities.plural(left, 'more row')} with the command below." if left else ""
    return html.Div([time_table, html.P(rest, className="hint")])


def _time(time_ns: float | None, data: TraceData, row: Row, place: str | None) -> Any:
    """A statistic of one run, linked to its collectives."""
    cell = quantities.duration(time_ns)
    address = link("/collectives", operation=row["operation"], communicator=row["comm"], place=place)
    return compared_leads.to_run(cell, data, None if time_ns is None else address, "see these collectives")
