"""How the findings about a page's subject are drawn. What they say is `analyze findings`."""

from typing import Any

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard.address import link
from hopscope_dashboard.components import blocks
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data import Row, Rows
from hopscope_dashboard.selection import OPTIONS


def note(findings: Rows) -> Component:
    """Give findings as a remark at the top of a page, each with what selects that which it is about; nothing if there
    are none."""
    said: list[Any] = []
    for row in findings:
        said += [html.Strong(blocks.with_code(row["sentence"])), " ", *blocks.with_code(row["evidence"]), *_select(row)]
    return blocks.note(*said) if said else html.Div()


def part_of(finding: Row) -> dict[str, str]:
    """Give what selects that which a finding is about, by the address's parameters; nothing where it is about all."""
    option, _, value = (finding["part"] or "").removeprefix("--").partition(" ")
    return {name: value for name, each in OPTIONS.items() if each == option}


def _select(finding: Row) -> list[Any]:
    part = part_of(finding)
    what = " and ".join(f"{name} {value}" for name, value in part.items())
    select = mark(f"Select {what}", link("", **part), f"select {what}")
    return [" ", html.Span(select, className="select-it"), " "] if part else []
