"""Draws a component after the page's timeline, if the page has one. The other half is in `assets/after_timeline.js`."""

from dash.development.base_component import Component


class AfterTimeline(Component):
    """Delays one component until the timeline is drawn, for at most five seconds."""

    _namespace = "hopscope_dashboard"
    _type = "AfterTimeline"
    _prop_names = ["children"]  # noqa: RUF012 - as Dash's own components do
    _valid_wildcard_attributes: list[str] = []  # noqa: RUF012

    def __init__(self, children: Component) -> None:
        super().__init__(children=children)
