"""Component that shows SVG markup made on the server.

Dash has no SVG elements. The component's other half is in `assets/drawing.js`.
"""

from typing import Any

from dash.development.base_component import Component


class Drawing(Component):
    """Shows markup unchanged. Only for markup that the dashboard made, with every text of a trace escaped."""

    _namespace = "hopscope_dashboard"
    _type = "Drawing"
    _prop_names = ["id", "markup"]  # noqa: RUF012 - Dash's own components have it so
    _valid_wildcard_attributes: list[str] = []  # noqa: RUF012

    def __init__(self, markup: str, id: str) -> None:
        properties: dict[str, Any] = {"id": id, "markup": markup}
        super().__init__(**properties)
