"""The part of the run that the address selects, the same for all pages.

Every page shows that part, and every link keeps the selection; `selection_bar` shows and clears it.
`assets/selection.js` adds it to addresses that the browser makes itself.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from dash.development.base_component import Component

from hopscope_dashboard.data.trace import PART_OPTIONS, misread
from hopscope_dashboard.navigation.address import Query, number

OPTIONS: Final[Mapping[str, str]] = {"communicator" if option == "comm" else option: option for option in PART_OPTIONS}
"""The address's parameters that select, each with its option of the analyses. The parameter for the option `comm` is
`communicator`, because on some pages `comm` names a collective's communicator."""

TRACE: Final = "trace"
"""The address's parameter that says which trace a page shows, and which one a selection was made for."""
COMPARISON: Final = "with"
"""The address's parameter that says with which other trace this trace is compared."""


def selected(query: Query) -> dict[str, str]:
    """Give the address's selection by parameter, without invalid values."""
    parameters = {name: query[name] for name in OPTIONS if query.get(name)}
    return {name: value for name, value in parameters.items() if misread(OPTIONS[name], value) is None}


def not_understood(query: Query) -> list[str]:
    """Give a sentence for each parameter that selects nothing because its value is invalid."""
    misreadings = [(name, misread(OPTIONS[name], query[name])) for name in OPTIONS if query.get(name)]
    sentences = [
        f"{name}={query[name]} was not understood and is left out: {reason}" for name, reason in misreadings if reason
    ]
    if names_no_communicator(query):
        sentences.append(
            f"comm={query['comm']} was not understood and is left out: comm is the number of a communicator; to "
            "select one by number or name write communicator=0"
        )
    return sentences


def names_no_communicator(query: Query) -> bool:
    """True if the address has the parameter `comm` without `seq`, and its value is not the number of a communicator."""
    return "comm" in query and "seq" not in query and number(query, "comm") is None


def options(query: Query) -> dict[str, str]:
    """Give the address's selection by options of the analyses."""
    return {OPTIONS[name]: value for name, value in selected(query).items()}


def keep(page: Component, query: Query, trace: str, *, with_trace: bool = False) -> Component:
    """Add the selection to every link of a page and, if there are several traces, the trace shown.

    A parameter that a link sets itself stays as it is.
    """
    parameters = selected(query)
    if parameters or with_trace:
        parameters[TRACE] = trace
        for anchor in _links(page):
            anchor.href = kept_address(anchor.href, parameters)
    return page


def _links(content: Any) -> Iterator[Any]:
    """Every component of a page that links to another page."""
    if isinstance(content, list | tuple):
        for child in content:
            yield from _links(child)
    elif isinstance(content, Component):
        href = getattr(content, "href", None)
        if isinstance(href, str) and href.startswith("/"):
            yield content
        yield from _links(getattr(content, "children", None))


def kept_address(href: str, parameters: Mapping[str, str]) -> str:
    """Give the address `href` with these parameters added, except those that it sets itself."""
    parts = urlsplit(href)
    own_parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    query = {name: value for name, value in {**parameters, **own_parameters}.items() if value}
    return f"{parts.path}?{urlencode(query)}" if query else parts.path


def trace_attribute(trace: str) -> dict[str, Any]:
    """Give the attribute of an element whose marks are about this trace, whichever trace the page shows."""
    return {"data-trace": trace}
