"""List of many options that can be searched. Like `choice`, it keeps the choice in the address."""

from collections.abc import Mapping
from typing import Final

import dash_mantine_components as dmc
from dash import ALL, ClientsideFunction, Dash, Input, Output
from dash.development.base_component import Component

from hopscope_dashboard.components import aria
from hopscope_dashboard.navigation import frame
from hopscope_dashboard.navigation.address import Query, link

SELECT: Final = "address-select"
"""Type in the ids of these lists: `{"type": SELECT, "name": ..., "current": ...}`."""

_SEARCHED: Final = 8
"""Smallest number of entries for which typing narrows the list."""


def select(
    label: str, query: Query, name: str, *, options: Mapping[str, str], current: str, dependents: tuple[str, ...] = ()
) -> Component:
    """Give a list with an entry for each option. Each entry shows the option's text and sets the address's parameter
    `name` to its key.

    `dependents`: parameters that are removed, because they have no meaning for another entry.
    """
    parameters = {key: value for key, value in query.items() if key not in dependents}
    menu = addresses(label, parameters, name, options=options, current=current)
    menu.label = f"{label} ({len(options)})"
    return menu


def addresses(label: str, query: Query, name: str, *, options: Mapping[str, str], current: str) -> Component:
    """Give a list like that of `select` without a label over it; only screen readers read `label`."""
    leads_to = {value: link("", **{**query, name: value}) for value in options}
    return dmc.Select(
        id={"type": SELECT, "name": label, "current": leads_to[current]},
        data=[{"value": leads_to[value], "label": text} for value, text in options.items()],
        value=leads_to[current],
        searchable=len(options) >= _SEARCHED,
        allowDeselect=False,
        comboboxProps={"withinPortal": True},
        maxDropdownHeight=360,
        size="sm",
        className="select",
        **aria.label(label),
    )


def register(app: Dash) -> None:
    """Register the callback that takes the browser to the address chosen in a list."""
    app.clientside_callback(
        ClientsideFunction("hopscope", "followSelect"),
        Output(frame.ADDRESS, "search"),
        Input({"type": SELECT, "name": ALL, "current": ALL}, "value"),
        prevent_initial_call=True,
    )
