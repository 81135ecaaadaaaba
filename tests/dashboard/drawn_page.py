"""A page as its components, without a browser: its text, its tables, its figures, and the addresses of its links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import hopscope
from dash.development.base_component import Component
from hopscope_dashboard.app.routing import content
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.pages import PAGES

_BLOCKS = {
    "Div",
    "Section",
    "P",
    "H1",
    "H2",
    "H3",
    "Li",
    "Tr",
    "Table",
    "Details",
    "Summary",
    "Header",
    "Nav",
    "Ul",
    "Br",
}
"""Elements that start a new line in a browser, so spaces surround their text."""


def components(component: Any) -> Iterator[Component]:
    """A component and all inside it, in their order."""
    if isinstance(component, list | tuple):
        for child in component:
            yield from components(child)
    elif isinstance(component, Component):
        yield component
        yield from components(getattr(component, "children", None))


def text(component: Any) -> str:
    """The words of a component, with single spaces."""
    return " ".join(_words(component).split())


def _words(component: Any) -> str:
    if component is None:
        return ""
    if isinstance(component, list | tuple):
        return "".join(map(_words, component))
    if not isinstance(component, Component):
        return str(component)
    words = _words(getattr(component, "children", None))
    return f" {words} " if type(component).__name__ in _BLOCKS else words


def table(component: Component) -> list[list[str]]:
    """The cells of a table's body."""
    body = next(part for part in components(component) if type(part).__name__ == "Tbody")
    rows = [part for part in components(body) if type(part).__name__ == "Tr"]
    return [[text(cell) for cell in row.children] for row in rows]


@dataclass(frozen=True)
class DrawnPage:
    """One page of the dashboard of a trace, at an address such as `/late-ranks?ranks=2`."""

    data: TraceData
    address: str
    component: Component

    @property
    def text(self) -> str:
        """The whole text of the page."""
        return text(self.component)

    @property
    def query(self) -> dict[str, str]:
        """The parameters of the page's address. Each parameter occurs once."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.address).query).items()}

    def part(self, name: str) -> Component:
        """The component with this id."""
        return next(candidate for candidate in components(self.component) if getattr(candidate, "id", None) == name)

    def has(self, name: str) -> bool:
        """True if there is a component with this id."""
        return any(getattr(candidate, "id", None) == name for candidate in components(self.component))

    def table(self, name: str) -> list[list[str]]:
        """The cells of the body of the table with this id."""
        return table(self.part(name))

    def figure(self, name: str) -> Any:
        """The figure with this id."""
        return next(part for part in components(self.part(name)) if type(part).__name__ == "Graph").figure

    def plot(self, name: str) -> list[dict[str, Any]]:
        """The traces of the figure with this id."""
        return [
            {"name": trace.name, "type": trace.type}
            | {key: [] if trace[key] is None else list(trace[key]) for key in ("x", "y", "hovertext") if key in trace}
            for trace in self.figure(name).data
        ]

    def marks(self, name: str) -> list[list[str]]:
        """Addresses of the marks of the figure with this id: a list for each series, or for each row of a heat map."""
        figure = self.figure(name)
        begin = (figure.layout.meta or {}).get("leads", "")
        return [
            [f"{begin}{address}" for address in _flat(series.customdata)]
            for series in figure.data
            if series.customdata is not None
        ]

    def markup(self, name: str) -> str:
        """The SVG of the drawing with this id."""
        return next(str(part.markup) for part in components(self.part(name)) if type(part).__name__ == "Drawing")

    def options(self, label: str) -> dict[str, str]:
        """The entries of the list with this label, and the address of each."""
        chooser = next(
            part
            for part in components(self.component)
            if type(part).__name__ == "Select" and isinstance(part.id, dict) and part.id["name"] == label
        )
        return {option["label"]: option["value"] for option in chooser.data}

    def links(self, words: str, container: str | None = None) -> list[str]:
        """Addresses of the links with exactly this text, on the whole page or in the component with an id."""
        whole = self.part(container) if container else self.component
        parts = [part for part in components(whole) if text(part) == words]
        addresses = (getattr(part, "href", None) or getattr(part, "data-href", None) for part in parts)
        return [str(address) for address in addresses if address is not None]

    def follow(self, words: str, container: str | None = None) -> DrawnPage:
        """The page behind the first link with this text. An address that begins with `?` is on this page."""
        return self.go(self.links(words, container)[0])

    def go(self, href: str) -> DrawnPage:
        """The page at an address, which may name another served trace. An address that begins with `?` is this page
        with other parameters."""
        address = f"{urlsplit(self.address).path}{href}" if href.startswith("?") else href
        identity = parse_qs(urlsplit(address).query).get("trace", [self.data.identity])[0]
        return draw(next(data for data in (self.data, *self.data.other_traces) if data.identity == identity), address)


def _flat(cells: Any) -> list[Any]:
    return [part for cell in cells for part in _flat(cell)] if not isinstance(cells, str) else [cells]


def draw(trace: hopscope.Trace | TraceData, address: str = "/") -> DrawnPage:
    """The page at an address."""
    data = trace if isinstance(trace, TraceData) else TraceData(trace)
    parts = urlsplit(address)
    page = next((page for page in PAGES if page.path == parts.path), None)
    return DrawnPage(data, address, content(page, data, f"?{parts.query}" if parts.query else ""))
