"""The folded parts of a report. Each is a short table, or a few sentences, from one answer of the command line."""

import shlex
from collections.abc import Callable
from typing import Final

from hopscope.format import quantities
from hopscope.vocabulary.words import ANSWERED_CATEGORIES

from hopscope_dashboard.data.trace import InputError, Trace
from hopscope_dashboard.report.markup import bullets, paragraph, table

_ROW_LIMIT: Final = 8
"""Largest number of rows shown of a table."""


def path(trace: Trace) -> str:
    """Give the critical path by category and operation."""
    rows = trace.run("critical-path").to_pylist()
    if not any(row["time_ns"] for row in rows):
        return paragraph("This trace has no critical path.")
    categories = [
        [
            row["category"],
            ANSWERED_CATEGORIES[row["category"]],
            quantities.duration(row["time_ns"]),
            quantities.share(row["share"]),
            quantities.interval(row["share_low"], row["share_high"]),
        ]
        for row in rows
    ]
    operations = [
        [row["operation"], quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in trace.run("critical-path", by="operation").to_pylist()[:_ROW_LIMIT]
    ]
    left_out = [f"Excluded: {part}." for part in trace.left_out.values()]
    return (
        paragraph(" ".join(["The chain of work and messages that decided how long the run took.", *left_out]))
        + table("path", ["category", "", "time", "share", "95 % interval"], categories, range(2, 5))
        + table("path-by-operation", ["operation", "time", "share"], operations, range(1, 3))
    )


def collectives(trace: Trace) -> str:
    """Give the collectives that took longest."""
    rows = [
        [
            row["collective"],
            row["operation"],
            quantities.size(row["bytes"]),
            quantities.moment(row["first_enter_ns"]),
            quantities.duration(row["duration_ns"]),
            quantities.duration(row["after_last_enter_ns"]),
            row["last_rank"],
        ]
        for row in trace.run("collectives", order="worst", limit=_ROW_LIMIT).to_pylist()
    ]
    columns = ["collective", "operation", "size", "began at", "duration", "after last enter", "last in"]
    if not rows:
        return paragraph("This trace has no collective operation.")
    return table("collectives-table", columns, rows, range(2, 7))


def arrivals(trace: Trace) -> str:
    """Give the ranks for which the others waited most."""
    ranks = trace.run("last-arrivals").sort_by([("waiting_ns", "descending"), ("rank", "ascending")])
    rows = [
        [
            row["rank"],
            quantities.share(row["share"]),
            quantities.share(row["cause_share"]),
            quantities.duration(row["waiting_ns"]),
        ]
        for row in ranks.to_pylist()[:_ROW_LIMIT]
    ]
    if not rows:
        return paragraph("This trace has no collective operation.")
    columns = ["rank", "last in", "cause of last arrival", "others waited"]
    return table("arrivals-table", columns, rows, range(4))


def places(trace: Trace) -> str:
    """Give the call sites with the most time on the critical path."""
    rows = [
        [
            row["place"],
            quantities.share(row["share"]),
            quantities.duration(row["time_ns"]),
            quantities.number(row["calls"]),
        ]
        for row in trace.run("places").to_pylist()[:_ROW_LIMIT]
    ]
    columns = ["place", "of the critical path", "time", "calls"]
    return table("places-table", columns, rows, range(1, 4)) if rows else paragraph("No call has a known place.")


def trust(trace: Trace) -> str:
    """Give the numbers and sentences that say how far the answers can be trusted."""
    rows = [
        [row["item"], quantities.quantity(row["value"], row["unit"]), row["sentence"]]
        for row in trace.run("trust").to_pylist()
        if row["section"] != "limits"
    ]
    return bullets(trace.caveats()) + table("trust-table", ["what", "value", "to know"], rows, [1])


def questions(trace: Trace) -> str:
    """Give commands that answer further questions."""
    name = shlex.quote(str(trace.path))
    commands = ("analyze late-ranks", "analyze messages", "analyze efficiency", "analyze remap", "hopscope dashboard")
    return bullets([f"`{command} {name}`" for command in commands])


DETAILS: Final[tuple[tuple[str, str, Callable[[Trace], str]], ...]] = (
    ("critical-path", "Where the time went", path),
    ("collectives", "The slowest collectives", collectives),
    ("last-arrivals", "Who came last", arrivals),
    ("places", "Places in the program", places),
    ("trust", "How far to trust this", trust),
    ("questions", "What to ask next", questions),
)
"""Id, title and content of each part."""


def content(trace: Trace, give: Callable[[Trace], str]) -> str:
    """Give the content of a part; if the trace cannot answer, the reason."""
    try:
        return give(trace)
    except InputError as error:
        return paragraph(str(error))
