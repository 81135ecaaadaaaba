"""Links of a page's marks: the addresses behind bars, cells, dots, edges and rows.

An address is `/page?...`, or `?name=value` for the current page: following it sets the parameter, and following it
again removes the parameter. `#id` is a row of a table on the current page: following it scrolls to the row and marks
it. `assets/marks.js` follows all these addresses, and keeps the selected part of the run.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hopscope_dashboard.navigation.address import link

Row = Mapping[str, Any]

CLICK: Final = "Click: "
"""Prefix of the line in a tooltip that says what a click does."""


@dataclass(frozen=True)
class Leads:
    """Addresses of a series' marks, in the order of the marks, and words for what a click does, such as `select the
    rank`."""

    addresses: Sequence[Any]
    action: str


CATEGORY_PAGES: Final[Mapping[str, tuple[str, str]]] = {
    "compute": ("/noise", "the noise of computing"),
    "local": ("/collectives", "the slowest collectives"),
    "shm": ("/tree", "the edges that hops ran over"),
    "lan": ("/tree", "the edges that hops ran over"),
    "wan": ("/wan-share", "what runs between clusters"),
    "native": ("/collectives", "the slowest collectives"),
    "p2p": ("/messages", "the program's own messages"),
    "mpi": ("/timeline", "when it was"),
    "unrecorded": ("/timeline", "when it was"),
    "rma": ("/timeline", "when it was"),
    "io": ("/timeline", "when it was"),
    "overhead": ("/timeline", "when it was"),
    "startup": ("/timeline", "when it was"),
    "shutdown": ("/timeline", "when it was"),
}
"""The page that explains each category of time, and what the page shows; `category_pages` may know a better page."""


def category_pages(*, has_places: bool) -> Mapping[str, tuple[str, str]]:
    """Give the page for each category. If the trace has call sites, computing leads to the page that lists the MPI
    calls after it."""
    return {**CATEGORY_PAGES, "compute": ("/places", "the calls that it led to")} if has_places else CATEGORY_PAGES


def rank(number: object) -> str:
    """Give the address that selects a rank."""
    return link("", ranks=number)


def ranks(numbers: Iterable[int]) -> str:
    """Give the address that selects ranks, each named once, in order."""
    return link("", ranks=",".join(str(number) for number in sorted(set(numbers))))


def of_place(topology: Sequence[Row], grouping: str, name: object) -> str:
    """Give the address that selects a rank, or the ranks of a host or a cluster (`grouping`), by its name.

    `topology` has rank, host and cluster.
    """
    return ranks(row["rank"] for row in topology if row[grouping] == name)


def place(name: str) -> str:
    """Give the address that selects a call site of the program."""
    return link("", place=name)


def of_program(places: Iterable[str]) -> Leads:
    """Give the leads of a series with one mark for each of these call sites: a click on a mark selects its call
    site."""
    return Leads([place(name) for name in places], "select the place")


def region(name: str) -> str:
    """Give the address that selects a region of the program."""
    return link("", region=name)


def of_ranks(numbers: Iterable[object]) -> Leads:
    """Give the leads of a series with one mark for each of these ranks: a click on a mark selects its rank."""
    return Leads([rank(number) for number in numbers], "select the rank")


def of_places(topology: Sequence[Row], grouping: str, names: Iterable[object]) -> Leads:
    """Give the leads of a series with one mark for each rank, host or cluster (`grouping`): a click selects its ranks.
    `topology` is as in `of_place`."""
    action = "select the rank" if grouping == "rank" else f"select the ranks of the {grouping}"
    return Leads([of_place(topology, grouping, name) for name in names], action)


def collective(name: str) -> str:
    """Give the address of a collective COMM:SEQ."""
    comm, _, seq = name.partition(":")
    return link("/collective", comm=comm, seq=seq)


def edge(src: int, dst: int) -> str:
    """Give the address of the hops from one rank to another over time."""
    return link("/delayed-hops", edge=f"{src}-{dst}")


EDGE_DOES: Final = "see its hops over time"
"""Words for what a click on an edge does."""


def timeline(begin_ns: int, end_ns: int, *, ranks: object = None) -> str:
    """Give the address that selects a stretch of the run's timeline; the view is twice as long as the stretch."""
    end = max(end_ns, begin_ns + 1)
    margin_ns = max(10, (end - begin_ns) // 2)
    view = f"{max(0, begin_ns - margin_ns)}..{end + margin_ns}"
    return link("/timeline", **{"from": begin_ns, "to": end, "ranks": ranks, "view": view})


def operation(name: str, *, of_messages: bool) -> str | None:
    """Give the address of the page of collectives, or of messages, with the operation selected; None if `name` is not
    an MPI function."""
    if not name.startswith("MPI_"):
        return None
    return link("/messages" if of_messages else "/collectives", operation=name)


def points(texts: Sequence[Any], leads: Leads | None, *, key: str = "hovertext", prefix: str = "") -> dict[str, Any]:
    """Give attributes of a plotly trace: the hover texts of its points, under `key`, and their addresses. `prefix`
    begins every text."""
    hint = f"<br><i>{CLICK}{leads.action}</i>" if leads else ""
    attributes: dict[str, Any] = {key: list(texts), "hovertemplate": f"{prefix}%{{{key}}}{hint}<extra></extra>"}
    return {**attributes, "customdata": list(leads.addresses)} if leads else attributes


def text_without_click(hovertemplate: str) -> str:
    """Give points' hover text without the click's action."""
    return re.sub(rf"<br><i>{CLICK}[^<]*</i>", "", hovertemplate)
