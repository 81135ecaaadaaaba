"""Each mark of each page carries its address and names its target, except marks without a link."""

import re
from collections.abc import Iterator
from typing import Any, Final

import hopscope
from dash.development.base_component import Component
from hopscope_dashboard.app.routing import content
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.figures.delayed_hops import delays
from hopscope_dashboard.figures.matrix import matrix
from hopscope_dashboard.figures.noise_periods import periods_by_rank
from hopscope_dashboard.navigation import leads
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.report.static import Renderer

LEADING_NOWHERE: Final = {
    "remap-after": "over its edges ran no hop; its ranks lead somewhere",
}
SEARCHES: Final = {
    "/delayed-hops": ["?edge=1-0"],
    "/tree": ["?collective=0:3", "?role=down"],
    "/last-arrivals": ["?by=host"],
}


def figures_of(component: Any) -> Iterator[Component]:
    """Every figure and every drawing of a page."""
    if isinstance(component, list | tuple):
        for child in component:
            yield from figures_of(child)
    elif isinstance(component, Component):
        if type(component).__name__ in ("Graph", "Drawing"):
            yield component
        yield from figures_of(getattr(component, "children", None))


def flat(cells: Any) -> list[Any]:
    return [entry for cell in cells for entry in (cell if isinstance(cell, list | tuple) else [cell])]


def marks_of(figure: Any) -> list[tuple[str, str]]:
    """The text and the address of every point of a figure."""
    marks = []
    for trace in figure.data:
        if trace.hoverinfo == "skip":
            continue
        texts = flat(trace.hovertext if trace.hovertext is not None else trace.text)
        addresses = flat(trace.customdata) if trace.customdata is not None else [""] * len(texts)
        assert len(texts) == len(addresses)
        template = trace.hovertemplate.removesuffix("<extra></extra>")
        begin = (figure.layout.meta or {}).get("leads", "")
        marks += [(template, begin + address) for text, address in zip(texts, addresses, strict=True) if text]
    return marks


def test_every_mark_of_every_page_leads_to_a_page_and_says_so(trace: hopscope.Trace) -> None:
    data = TraceData(trace)
    paths = {page.path for page in PAGES}
    pages = [(page, search) for page in PAGES for search in ("", *SEARCHES.get(page.path, []))]
    parts = [content(page, data, search) for page, search in pages]
    figures, drawings = 0, 0
    for graphic in (drawn_part for part in parts for drawn_part in figures_of(part)):
        name = graphic.id
        if type(graphic).__name__ == "Drawing":
            drawings += 1
            for part, words in re.findall(r"<g ([^>]*data-part=[^>]*)><title>([^<]*)</title>", graphic.markup):
                lead = re.search(r'data-href="([^"]*)"', part)
                if name in LEADING_NOWHERE and 'data-part="edge' in part:
                    assert lead is None, name
                    assert leads.CLICK not in words
                else:
                    assert lead is not None, (name, part)
                    assert re.search(rf"{leads.CLICK}[^.]+\.$", words), words
            continue
        figures += 1
        marks = marks_of(graphic.figure)
        assert marks, name
        for template, address in marks:
            if name in LEADING_NOWHERE:
                assert (address, leads.CLICK in template) == ("", False), name
            else:
                assert address[0] in "?#" or address.partition("?")[0] in paths, (name, address)
                assert template.endswith("</i>"), name
                assert leads.CLICK in template, name
    assert figures > 12
    assert drawings > 4


def test_a_bar_of_a_delay_a_dot_of_a_period_and_a_cell_of_a_pair_know_what_they_are_about() -> None:
    hop = {
        "hop_id": 7, "collective": "0:3", "role": "up", "src": 2, "dst": 1, "link": "wan", "took_ns": 30,
        "usual_ns": 20, "delay_ns": 10, "moved_ns": 4, "amplification": 0.4, "ranks": 4, "absorbed_at": None,
    }  # fmt: skip
    assert {address for _, address in marks_of(delays([hop]))} == {"?hop=7"}
    ranks = [{"rank": rank, "world": 0, "host": "a", "cluster": "A"} for rank in (0, 1)]
    period = {
        "rank": 1,
        "periodic": True,
        "period_ns": 20e6,
        "resolution_ns": 1e6,
        "explained": 0.9,
        "amplitude_ns": 2e6,
    }
    assert [address for _, address in marks_of(periods_by_rank(ranks=ranks, rows=[period]))] == ["?rank=1"]
    rows = [{"sender": "b", "receiver": "a", "bytes": 8}]
    figure = matrix(rows, places={"a": [0, 2], "b": [1]}, value="bytes", unit="bytes", title="bytes", grouping="host")
    assert [address for _, address in marks_of(figure)] == [leads.ranks([0, 1, 2])]


def test_in_the_report_nothing_says_that_a_click_leads_somewhere(trace: hopscope.Trace) -> None:
    data = TraceData(trace)
    renderer = Renderer()
    for path in ("/noise", "/tree", "/late-ranks"):
        page = next(page for page in PAGES if page.path == path)
        drawn_page = page.layout(data, {})
        assert list(figures_of(drawn_page))
        markup = renderer.markup(drawn_page)
        assert "data-href" not in markup
        assert leads.CLICK not in markup
        assert "customdata" not in markup
