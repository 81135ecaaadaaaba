"""The headings of plain tables, without a browser: each has its column's meaning, in the analysis's own words."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hopscope
import pytest
from dash.development.base_component import Component
from drawn_page import components, draw, text
from hopscope_dashboard.components import blocks
from hopscope_dashboard.data.trace import TraceData, meanings
from hopscope_dashboard.pages.code import regions

SAMPLES = Path(__file__).parents[3] / "sample_traces"
TABLES = {
    "/": ["call-sites"],
    "/critical-path": ["critical-path-table", "critical-path-by-operation"],
    "/by-rank": ["efficiency-ranks"],
    "/last-arrivals": ["arrivals-table", "arrivals-at-node"],
    "/last-arrivals?by=host": ["arrivals-table"],
    "/late-ranks": ["late-ranks-table"],
    "/noise": ["noise-table"],
    "/efficiency": ["efficiency-table"],
    "/messages?by=cluster": ["messages-pairs", "messages-sizes"],
    "/places": ["places-table", "places-sums"],
    "/tree": ["tree-edges-table", "algorithms-table"],
    "/tree?collective=0:3": ["algorithm-edges-table"],
    "/wan-share": ["wan-table"],
    "/compare": ["compare-activities", "compare-times", "compare-categories", "compare-parts", "compare-edges"],
}
DEMO = {
    "/messages": ["messages-pairs", "messages-sizes", "messages-places"],
    "/delayed-hops": ["delayed-hops-table"],
}
"""Tables for which the simulated run has no rows."""
UNEXPLAINED = {"in"}
"""Headings of columns that only pages have."""


@pytest.fixture(scope="module")
def data(trace: hopscope.Trace, trace_of_many_trees: hopscope.Trace) -> TraceData:
    """The data of a trace that is served together with another trace."""
    base, new = TraceData(trace), TraceData(trace_of_many_trees)
    base.other_traces, new.other_traces = (new,), (base,)
    return base


@pytest.fixture(scope="module")
def demo() -> TraceData:
    """The data of the sample trace `demo`, in which the call sites of messages are known."""
    return TraceData(hopscope.open(SAMPLES / "demo" / "trace"))


def meanings_are_told(component: Component) -> None:
    meanings = {column.meaning.replace("`", "") for analysis in hopscope.Trace.analyses() for grain in analysis.grains
             for column in grain.columns}  # fmt: skip
    headings = [part for part in components(component) if type(part).__name__ == "Th" and text(part)]
    titles = {text(heading): getattr(heading, "title", None) for heading in headings}
    assert [heading for heading, title in titles.items() if not title] == [
        name for name in titles if name in UNEXPLAINED
    ]
    assert all(any(title.startswith(meaning) for meaning in meanings) for title in titles.values() if title)


@pytest.mark.parametrize("address", TABLES)
def test_every_heading_tells_what_its_column_means(data: TraceData, address: str) -> None:
    page = draw(data, address)
    for name in TABLES[address]:
        meanings_are_told(page.part(name))


@pytest.mark.parametrize("address", DEMO)
def test_every_heading_tells_what_its_column_means_in_the_demo(demo: TraceData, address: str) -> None:
    page = draw(demo, address)
    for name in DEMO[address]:
        meanings_are_told(page.part(name))


def test_the_table_of_regions_tells_it_too() -> None:
    row = {"region": "solve", "rank": 0, "visits": 1, "time_ns": 5, "mpi_ns": 2, "share": 0.5}

    def rows(command: str) -> list[dict[str, Any]]:
        return [row] if command == "regions" else []

    source: Any = SimpleNamespace(rows_or_none=rows)
    layout = regions.layout(source, {})
    meanings_are_told(next(part for part in components(layout) if getattr(part, "id", None) == regions.TABLE))


def test_a_heading_of_several_columns_tells_them_all_and_an_unknown_column_is_a_mistake() -> None:
    low, high = meanings("late-ranks", "share_low", "share_high")
    assert meanings("late-ranks", "share_low share_high", None) == [f"{low} {high}", None]
    assert low == "Lower end of its interval of 95 %."
    with pytest.raises(KeyError):
        meanings("late-ranks", "shares")


def test_a_cell_of_numbers_is_sorted_by_its_value_wherever_its_text_stands() -> None:
    drawn_table = blocks.table(
        ["what", "time", ""], [["3", ["1.2 ms ", blocks.chip("at 5", "red")], "–"]], name="t", right=(1, 2)
    )
    heads, cells = ([part for part in components(drawn_table) if type(part).__name__ == kind] for kind in ("Th", "Td"))
    assert [getattr(cell, "data-value", None) for cell in cells] == [None, 1.2e6, None]
    assert [getattr(head, "tabIndex", None) for head in heads] == [0, 0, None]
