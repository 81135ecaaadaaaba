"""The cost of the dashboard's pages at 20 million events, for a user who clicks through the menu.

It is measured twice: with a server that finds no answers kept beside the dataset, and with one that finds them. The
server's processor seconds are shown beside the browser's milliseconds, because another process on the machine lengthens
only the latter.
"""

import shutil
import statistics
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import hopscope
from browsing import Spent, Visitor, visiting
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.pages import PAGES
from large import program, spend

COLUMNS: Final = ("a click, at 20 M events: server's processor, browser", "nothing kept", "answers kept", "to reach")

_EVENTS: Final = 20_000_000
_FIRST, _CHANGE, _ZOOM, _SELECT, _MEMORY = "2 s", "0.5 s", "0.3 s", "0.5 s", "1,000 MB"
_DEEPEST: Final = 9
"""Number of zooms into the timeline, each of which halves the view."""
_SELECTED_ON: Final = ("/", "/collectives", "/late-ranks")
"""Pages on which a part of the run is selected."""

_Tour = dict[str, Spent]


def measure(folder: Path, repetitions: int = 3) -> list[tuple[str, ...]]:
    """Rows for the report."""
    trace = folder / "pages"
    spend([str(program("synthetic_trace")), str(trace), str(_EVENTS), "collectives"])
    data = TraceData(hopscope.open(trace))
    duration = data.timeline.duration_ns
    menu = {page.path: page.title for page in PAGES if page.in_menu and not page.lacks(data)}
    tours: dict[str, list[_Tour]] = {"cold": [], "warm": []}
    peaks: dict[str, list[float]] = {"cold": [], "warm": []}
    for _ in range(repetitions):
        shutil.rmtree(trace / "dataset.answers", ignore_errors=True)
        for state, tour_list in tours.items():
            with visiting(trace) as (server, visitor):
                tour_list.append(_tour(visitor, duration, menu))
                peaks[state].append(server.mebibytes * 1.048576)
    shutil.rmtree(trace)
    cold, warm = (
        {name: _median(tour[name] for tour in tour_list) for name in tour_list[0]} for tour_list in tours.values()
    )
    rows = [row for kind in ("first page", "page", "zoom", "select") for row in _rows(kind, cold, warm)]
    return [*rows, ("server's memory at its peak", *(f"{max(sizes):,.0f} MB" for sizes in peaks.values()), _MEMORY)]


def _tour(visitor: Visitor, duration: int, menu: Mapping[str, str]) -> _Tour:
    """The cost of every action, by its kind and name. menu: titles of pages by path."""
    spent = {"first page: Summary": visitor.opens()}
    for path, title in menu.items():
        if path != "/":
            spent[f"page: {title}"] = visitor.goes_to(path)
    visitor.goes_to("/timeline")
    for halved in range(1, _DEEPEST + 1):
        spent[f"zoom: to 1/{1 << halved} of the run"] = visitor.zooms("+")
    for path in _SELECTED_ON:
        visitor.goes_to(path)
        times = {"from": duration * 4 // 10, "to": duration * 5 // 10}
        spent[f"select: a tenth of the run, {menu[path]}"] = visitor.selects(**times)
        spent[f"select: a rank, {menu[path]}"] = visitor.selects(**dict.fromkeys(times, ""), ranks=5)
        spent[f"select: the whole run again, {menu[path]}"] = visitor.selects(ranks="")
    return spent


def _median(spent: Iterable[Spent]) -> Spent:
    costs = list(spent)
    return Spent(
        *(statistics.median(getattr(cost, name) for cost in costs) for name in ("processor", "useful_ms", "whole_ms"))
    )


def _rows(kind: str, cold: Mapping[str, Spent], warm: Mapping[str, Spent]) -> list[tuple[str, ...]]:
    """The rows of one kind of action. If there are several, a row with their median comes first."""
    names = [name for name in cold if name.startswith(f"{kind}:")]
    goal = {"first page": _FIRST, "page": _CHANGE, "zoom": _ZOOM, "select": _SELECT}[kind]
    rows = [(name.partition(": ")[2], _cost_text(cold[name]), _cost_text(warm[name]), goal) for name in names]
    if len(names) == 1:
        return [(f"first useful page: {rows[0][0]}", *rows[0][1:])]
    title = {"page": "page change", "zoom": "zoom step", "select": "selection change"}[kind]
    medians = (_cost_text(_median(state[name] for name in names)) for state in (cold, warm))
    return [(f"{title}, median of {len(names)}", *medians, goal), *((f"  {row[0]}", *row[1:]) for row in rows)]


def _cost_text(spent: Spent) -> str:
    """The cost as text, with the time of the whole page if it came later."""
    whole = f", whole {spent.whole_ms:,.0f} ms" if spent.whole_ms > spent.useful_ms + 1 else ""
    return f"{spent.processor:.2f} s, {spent.useful_ms:,.0f} ms{whole}"
