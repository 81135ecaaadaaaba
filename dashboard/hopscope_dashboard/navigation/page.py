"""A page of the dashboard."""

from collections.abc import Callable
from dataclasses import dataclass

from dash import Dash
from dash.development.base_component import Component

from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.navigation.traces import Traces


def _has_data(data: TraceData) -> None:
    """Every trace has data for the page."""
    del data


def _no_callbacks(app: Dash, traces: Traces) -> None:
    """Register nothing: the address is all that the page depends on."""
    del app, traces


@dataclass(frozen=True)
class Page:
    """One page: its address, its name in the menu, and how it is drawn."""

    path: str
    title: str
    layout: Callable[[TraceData, Query], Component]
    """Draws the page for what the address selects. Raises InputError where the trace cannot answer."""
    register: Callable[[Dash, Traces], None] = _no_callbacks
    """Registers the page's own callbacks, once for all traces: each callback gets the address, which names the
    trace."""
    follows_selection: bool = True
    """True if the page shows only the part of the run that the address selects, not the whole run."""
    shades_the_rest: bool = False
    """True if it shows the whole run and shades what is not selected."""
    keeps: tuple[str, ...] = ()
    """Parameters of its own that the browser keeps from one address of this page to the next, such as a zoom."""
    parent_path: str | None = None
    """Address of the page in the menu that this page belongs to; None if it is in the menu itself."""
    section: str | None = None
    """Its section of the menu, one of `menu.SECTIONS`; None if it is under another page."""
    is_drawn_ahead: bool = True
    """True if it is drawn for a long run before anybody asks for it (`ahead.py`)."""
    lacks: Callable[[TraceData], str | None] = _has_data
    """Reason why this trace has nothing to show on the page; None if it has. The menu asks every page whenever the menu
    is drawn, so the answer must need only numbers of rows (`missing.py`), never an analysis."""

    @property
    def in_menu(self) -> bool:
        """True if the menu lists it."""
        return self.parent_path is None

    @property
    def menu_path(self) -> str:
        """Address of the menu entry that is marked while this page is shown."""
        return self.parent_path or self.path
