"""A word or a number on a page that leads somewhere, as the marks of figures do."""

from typing import Any

from dash import dcc, html

from hopscope_dashboard.navigation.leads import CLICK


def mark(content: Any, address: str | None, action: str) -> Any:
    """Give content that leads to an address of `leads`; `action` says what a click does. Without an address, give
    the content alone."""
    if address is None:
        return content
    if not address.startswith("?"):
        return dcc.Link(content, href=address, title=f"{CLICK}{action}")
    # A browser's link cannot remove a parameter: assets/marks.js follows this one.
    lead: Any = {"data-href": address}
    return html.Span(content, className="mark-link", role="link", tabIndex=0, title=f"{CLICK}{action}", **lead)


def rank(number: Any) -> Any:
    """Give the number of a rank, which selects it."""
    return mark(str(number), f"?ranks={number}", "select the rank")
