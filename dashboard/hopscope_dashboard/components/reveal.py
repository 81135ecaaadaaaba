"""A part of a page that is about what was chosen elsewhere on it, and comes into view when it was."""

from typing import Any, Final

from dash import MATCH, ClientsideFunction, Dash, Input, Output, dcc, html
from dash.development.base_component import Component

_TYPE: Final = "reveal"


def reveal(part: Component, *, name: str, subject_key: str, is_selected: bool) -> Component:
    """Give the part, of the id `name`, about `of`. It comes into view if that was `chosen`, and is not only what the
    page begins with."""
    attributes: Any = {"data-of": subject_key}
    store = dcc.Store(id={"type": _TYPE, "name": name}, data={"id": name, "of": subject_key} if is_selected else None)
    return html.Div([part, store], id=name, **attributes)


def register(app: Dash) -> None:
    """Register the callback that does so; `assets/reveal.js` has it."""
    app.clientside_callback(
        ClientsideFunction("hopscope_reveal", "reveal"),
        Output({"type": _TYPE, "name": MATCH}, "storage_type"),
        Input({"type": _TYPE, "name": MATCH}, "data"),
    )
