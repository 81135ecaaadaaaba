"""How findings are drawn: their colour, the page that shows more, and the words of the link to it.

What they say is `analyze findings`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.address import link, parse
from hopscope_dashboard.components import blocks
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data import Row, Rows
from hopscope_dashboard.palette import CATEGORY_COLOURS, UNDECIDED_COLOUR
from hopscope_dashboard.selection import OPTIONS

_PAGES: Final[Mapping[str, tuple[str, str]]] = {
    "iterations": ("/noise?show=computing", "See computing by rank and iteration"),
    "collectives": ("/collectives?order=worst", "See the worst collectives"),
    "critical-path --by place": ("/places", "See the places of the path"),
    "messages": ("/messages", "See the messages"),
    "tree-edges": ("/tree", "See which edges weigh"),
    "algorithms": ("/tree", "See which algorithms ran"),
    "summary": ("/tree", "See how to get hops"),
    "wan-share": ("/wan-share", "See the WAN share"),
    "last-arrivals": ("/last-arrivals", "See last arrivals"),
    "noise": ("/noise", "See noise"),
    "remap": ("/remap", "See what remapping gives"),
}
"""The page that shows an analysis, or one way of asking it."""

_CATEGORIES: Final[Mapping[str, str]] = {"last-arrivals": "compute", "noise": "compute", "tree": "wan"}
"""The category of time that a problem of this key costs."""


def note(findings: Rows) -> Component:
    """Give findings as a remark at the top of a page, each with what selects that which it is about; nothing if there
    are none."""
    said: list[Any] = []
    for row in findings:
        said += [html.Strong(blocks.with_code(row["sentence"])), " ", *blocks.with_code(row["evidence"]), *_select(row)]
    return blocks.note(*said) if said else html.Div()


def listed(findings: Sequence[Row], *, name: str) -> Component:
    """Give findings as a list, each with a link to the page that shows more. `name` is its id."""
    items = [
        html.Li(
            [
                html.Span(className="mark", style={"background": colour_of(row)}),
                html.Div(
                    [
                        html.Strong(blocks.with_code(row["sentence"])),
                        html.Span(blocks.with_code(row["evidence"]), className="why"),
                    ]
                ),
                _link(row),
            ]
        )
        for row in findings
    ]
    return html.Ul(items, className="findings", id=name)


def colour_of(finding: Row) -> str:
    """Give the colour of the category of time that a problem costs; other findings are grey."""
    category = finding["verdict"] if finding["key"] == "critical-path" else _CATEGORIES.get(finding["key"])
    return CATEGORY_COLOURS[category] if category and finding["severity"] == "problem" else UNDECIDED_COLOUR


def page_of(finding: Row) -> tuple[str, str] | None:
    """Give the address of the page that shows more, and the words of a link to it; None if no page does."""
    analysis = finding["analysis"]
    return _PAGES.get(analysis) or _PAGES.get(analysis.partition(" ")[0])


def part_of(finding: Row) -> dict[str, str]:
    """Give what selects that which a finding is about, by the address's parameters; nothing where it is about all."""
    option, _, value = (finding["part"] or "").removeprefix("--").partition(" ")
    return {name: value for name, each in OPTIONS.items() if each == option}


def _link(finding: Row) -> Component:
    page = page_of(finding)
    if page is None:
        return html.Span()
    path, _, query = page[0].partition("?")
    return dcc.Link(f"{page[1]} →", href=link(path, **{**parse(query), **part_of(finding)}))


def _select(finding: Row) -> list[Any]:
    part = part_of(finding)
    what = " and ".join(f"{name} {value}" for name, value in part.items())
    select = mark(f"Select {what}", link("", **part), f"select {what}")
    return [" ", html.Span(select, className="select-it"), " "] if part else []
