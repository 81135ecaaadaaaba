"""Draws a component after the page's timeline, if it has one; the other half is in `assets/after_timeline.js`."""

from dash.development.base_component import Component


class AfterTimeline(Component):
    """Delays one component until then, for five seconds at most."""

    _namespace = "hopscope_dashboard"
    _type = "AfterTimeline"
    _prop_names = ["children"]  # noqa: RUF012 - Dash's own components have it so
    _valid_wildcard_attributes: list[str] = []  # noqa: RUF012

    def __init__(self, children: Component) -> None:
        super().__init__(children=children)
