"""Links of the page Compare: a number or a bar leads to the page of its run that explains it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hopscope.vocabulary.words import UNKNOWN_PLACE

from hopscope_dashboard.components import exports
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import MESSAGE_CALLS, TraceData
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.navigation.address import link
from hopscope_dashboard.navigation.selection import COMPARISON, TRACE, kept_address

_ACTIONS: Final = {
    "operation": "see its calls",
    "place": "see its source",
    "edge": "see what ran over it over time",
    "host": "see its ranks in the timeline",
    "rank": "see it in the timeline",
}


def of_run(data: TraceData, address: str) -> str:
    """Give the address of a page for this run."""
    return kept_address(address, {TRACE: data.identity})


def csv_address(new: TraceData, *, grouping: str) -> str:
    """Give the address of all rows of `analyze compare --by` about `new`, with the run shown as the baseline."""
    return exports.csv_address("compare", by=grouping, **{COMPARISON: new.identity})


def to_run(cell: Any, data: TraceData, address: str | None, action: str) -> Any:
    """Give a cell that leads to a page about this run; without an address the cell alone."""
    return cell if address is None else mark(cell, of_run(data, address), action)


def categories(data: TraceData) -> Mapping[str, str]:
    """Give the address for each category of time of a run."""
    return {word: of_run(data, page) for word, (page, _) in leads.CATEGORY_PAGES.items()}


def part_of_path(cell: Any, data: TraceData, part: str, name: str | None) -> Any:
    """Give a cell of `compare --by path` as a link to the page of one run about it. `name`: the row's name in that
    run."""
    if name is None:
        return cell
    if part == "category":
        address, subject = leads.CATEGORY_PAGES[name]
        return to_run(cell, data, address, f"see {subject}")
    return to_run(cell, data, _ADDRESSES[part](data, name), _ACTIONS[part])


def hops(cell: Any, data: TraceData, edge: tuple[int, int]) -> Any:
    """Give a cell that leads to the hops over an edge in this run."""
    return to_run(cell, data, leads.edge(*edge), leads.EDGE_DOES)


def _operation(data: TraceData, name: str) -> str | None:
    del data
    return leads.operation(name, of_messages=name in MESSAGE_CALLS)


def _place(data: TraceData, name: str) -> str | None:
    del data
    return None if name == UNKNOWN_PLACE else link("/places", at=name)


def _edge(data: TraceData, name: str) -> str | None:
    """The address of the hops over an edge, or of the program's messages if no hop ran over it; None for an unknown
    edge."""
    row = next((row for row in data.rows("critical-path", by="edge") if row["edge"] == name), None)
    if row is None or row["src"] is None:
        return None
    return (
        leads.edge(row["src"], row["dst"])
        if row["hops_ns"]
        else link("/messages", ranks=",".join(str(end) for end in sorted((row["src"], row["dst"]))))
    )


def _ranks(data: TraceData, grouping: str, name: str) -> str:
    return "/timeline" + leads.of_place(data.ranks, grouping, int(name) if grouping == "rank" else name)


_ADDRESSES: Final[Mapping[str, Callable[[TraceData, str], str | None]]] = {
    "operation": _operation,
    "place": _place,
    "edge": _edge,
    "host": lambda data, name: _ranks(data, "host", name),
    "rank": lambda data, name: _ranks(data, "rank", name),
}
