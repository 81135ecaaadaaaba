"""A part of a page that comes into view when its subject is chosen elsewhere on the page."""

from typing import Any, Final

from dash import MATCH, ClientsideFunction, Dash, Input, Output, dcc, html
from dash.development.base_component import Component

_TYPE: Final = "reveal"


def reveal(part: Component, *, name: str, subject_key: str, is_selected: bool) -> Component:
    """Give the part of a page about `subject_key`, with the id `name`. The browser scrolls to it when the user selects
    the subject (`is_selected`), not when the page shows the subject by default."""
    attributes: Any = {"data-of": subject_key}
    store = dcc.Store(id={"type": _TYPE, "name": name}, data={"id": name, "of": subject_key} if is_selected else None)
    return html.Div([part, store], id=name, **attributes)


def register(app: Dash) -> None:
    """Register the callback of `assets/reveal.js`, which scrolls to a part."""
    app.clientside_callback(
        ClientsideFunction("hopscope_reveal", "reveal"),
        Output({"type": _TYPE, "name": MATCH}, "storage_type"),
        Input({"type": _TYPE, "name": MATCH}, "data"),
    )
