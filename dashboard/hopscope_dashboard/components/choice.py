"""A choice between a few views of a page, made of links: only the address holds the choice."""

from collections.abc import Mapping

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.navigation.address import Query, link


def choice(label: str, path: str, query: Query, name: str, *, options: Mapping[str, str], current: str) -> Component:
    """Give a row of links, one per option. Each link shows the option's text and sets the address's parameter `name` to
    its key."""
    links = [
        dcc.Link(
            text,
            href=link(path, **{**query, name: value}),
            className="choice-link current" if value == current else "choice-link",
            title=f"{label}: {text}",
        )
        for value, text in options.items()
    ]
    return html.Div(
        [html.Span(label, className="choice-label"), html.Div(links, className="choice-links")], className="choice"
    )
