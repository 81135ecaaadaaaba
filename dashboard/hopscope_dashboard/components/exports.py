"""Buttons under a figure or a table that save it as a file; `assets/exports.js` acts on them.

In the report of a machine file, which has no server, a table is saved as it is shown.
"""

from collections.abc import Mapping
from typing import Any, Final

from dash import html
from dash.development.base_component import Component

from hopscope_dashboard.navigation.address import link

EXPORTABLE: Final = "exportable"
"""Class of the frame around a figure or table and its buttons."""

SAVE: Final = "save"
"""Class of the buttons."""

CSV_PATH: Final = "/_csv/"

RESULT_PATH: Final = "/_result/"
RESULT_FORMS: Final[Mapping[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
"""Media types of a query's result by format, which is also the file name's ending."""

_MEANINGS: Final = {
    "png": "Save this figure as PNG",
    "svg": "Save this figure as SVG",
    "csv": "Save this table as CSV",
}


def csv_address(command: str, **options: object) -> str:
    """Give the address of all rows of an analysis, with every digit, as `--format csv` writes them."""
    return link(f"{CSV_PATH}{command}", **options)


def figure(graph: Component) -> Component:
    """Give a figure with its buttons."""
    return html.Div([graph, _line(_button("png"), _button("svg"))], className=EXPORTABLE)


def table(frame: Component, full: str | None) -> Component:
    """Give a table with its button. `full` is the address of all its rows, from `csv_address`; if it is None, the
    button saves the rows shown."""
    return html.Div([frame, _line(_button("csv") if full is None else csv_link(full))], className=EXPORTABLE)


def csv_link(full: str, **attributes: Any) -> Component:
    """Give the link that saves all rows, from the server."""
    return html.A("CSV", href=full, title=_MEANINGS["csv"], className=SAVE, download="", **_saves("csv"), **attributes)


def markup() -> str:
    """Give the buttons of a figure as markup, for a figure that is markup itself."""
    return f'<div class="exports">{button_markup("png")}{button_markup("svg")}</div>'


def button_markup(kind: str) -> str:
    """Give one button (`png`, `svg` or `csv`) as markup."""
    return f'<button type="button" class="{SAVE}" data-save="{kind}" title="{_MEANINGS[kind]}">{kind.upper()}</button>'


def _line(*buttons: Component) -> Component:
    return html.Div(list(buttons), className="exports")


def _button(kind: str) -> Component:
    return html.Button(kind.upper(), type="button", title=_MEANINGS[kind], className=SAVE, **_saves(kind))


def _saves(kind: str) -> dict[str, Any]:
    return {"data-save": kind}
