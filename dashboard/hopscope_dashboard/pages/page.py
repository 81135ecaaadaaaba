"""What a page is."""

from collections.abc import Callable
from dataclasses import dataclass

from dash import Dash
from dash.development.base_component import Component

from hopscope_dashboard.address import Query
from hopscope_dashboard.data import TraceData


def _no_callbacks(app: Dash, data: TraceData) -> None:
    """Register nothing: the address is all that the page depends on."""
    del app, data


@dataclass(frozen=True)
class Page:
    """One page: its address, its name in the menu, and how it is drawn."""

    path: str
    title: str
    icon: str
    """Name of an icon of `components.icons`."""
    layout: Callable[[TraceData, Query], Component]
    """Draws the page for what the address selects. Raises InputError where the trace cannot answer."""
    register: Callable[[Dash, TraceData], None] = _no_callbacks
    """Registers the page's own callbacks."""
    follows_selection: bool = True
    """Whether it shows the part of the run that the address selects; a page that does not shows the whole run."""
    under: str | None = None
    """Address of the page of the menu that it belongs to; None if it is in the menu itself."""

    @property
    def in_menu(self) -> bool:
        """Whether the menu lists it."""
        return self.under is None

    @property
    def menu_path(self) -> str:
        """Address of the menu entry that is marked while this page is shown."""
        return self.under or self.path
