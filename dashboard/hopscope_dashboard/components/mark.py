"""Turns a word or number on a page into a link, like the clickable marks of figures."""

from typing import Any

from dash import dcc, html

from hopscope_dashboard.navigation.leads import CLICK


def mark(content: Any, address: str | None, action: str) -> Any:
    """Turn content into a link to `address`, which comes from `leads`; `action` says what a click does. Without an
    address, give the content alone."""
    if address is None:
        return content
    if not address.startswith("?"):
        return dcc.Link(content, href=address, title=f"{CLICK}{action}")
    # An ordinary link cannot remove a parameter, so assets/marks.js follows this address.
    lead: Any = {"data-href": address}
    return html.Span(content, className="mark-link", role="link", tabIndex=0, title=f"{CLICK}{action}", **lead)


def rank(number: Any) -> Any:
    """Give a rank's number as a link that selects the rank."""
    return mark(str(number), f"?ranks={number}", "select the rank")
