"""What stands around every page: the header with the trace's name, the menu, and the place where the page goes."""

from collections.abc import Sequence
from typing import Final, Protocol

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.components import aria
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.palette import FONT, MONO_FONT

ADDRESS: Final = "address"
CONTENT: Final = "content"
MENU: Final = "menu"
TITLE: Final = "page-title"
SCHEME: Final = "colour-scheme"


class MenuEntry(Protocol):
    """What the menu needs of a page."""

    @property
    def path(self) -> str:
        """Address."""
        ...

    @property
    def title(self) -> str:
        """Name."""
        ...

    @property
    def icon(self) -> str:
        """Name of its icon."""
        ...

    @property
    def in_menu(self) -> bool:
        """Whether the menu lists it."""
        ...

    @property
    def menu_path(self) -> str:
        """Address of the menu entry that it belongs to."""
        ...


def layout(trace_name: str) -> Component:
    """Give the frame of the application; the page is drawn into it by the routing."""
    return dmc.MantineProvider(
        [
            # callback-nav: an address set by a callback changes the page without loading everything again.
            dcc.Location(id=ADDRESS, refresh="callback-nav"),
            dcc.Store(id=TITLE),
            html.A("Skip to the page", href=f"#{CONTENT}", className="skip-link"),
            dmc.AppShell(
                [
                    dmc.AppShellHeader(_header(trace_name), className="header"),
                    dmc.AppShellNavbar(html.Nav(id=MENU, className="menu", **aria.label("Pages")), className="navbar"),
                    dmc.AppShellMain(html.Main(id=CONTENT, className="page", tabIndex=-1)),
                ],
                header={"height": 56},
                navbar={"width": 208, "breakpoint": "xs"},
                padding=0,
            ),
        ],
        theme={
            "fontFamily": FONT,
            "fontFamilyMonospace": MONO_FONT,
            "headings": {"fontFamily": FONT, "fontWeight": "600"},
            "primaryColor": "blue",
            "defaultRadius": "md",
        },
        defaultColorScheme="light",
    )


def menu(pages: Sequence[MenuEntry], current: MenuEntry | None) -> list[Component]:
    """Give the menu with the current page marked."""
    return [_menu_link(page, current) for page in pages if page.in_menu]


def _menu_link(page: MenuEntry, current: MenuEntry | None) -> Component:
    here = current is not None and current.menu_path == page.path
    return dcc.Link(
        [icon(page.icon), html.Span(page.title)],
        href=page.path,
        className="menu-link current" if here else "menu-link",
        title=page.title,
    )


def _header(trace_name: str) -> Component:
    return dmc.Group(
        [
            dcc.Link(
                [html.Span(className="logo", **aria.HIDDEN), html.Span("Hopscope")],
                href="/",
                className="brand",
            ),
            html.Span(trace_name, className="trace-name", title="The trace that these pages show"),
            html.Div(style={"flex": 1}),
            dmc.ColorSchemeToggle(
                id=SCHEME,
                lightIcon=icon("sun"),
                darkIcon=icon("moon"),
                variant="subtle",
                color="gray",
                size="lg",
                **aria.label("Light or dark"),
            ),
        ],
        h="100%",
        px="md",
        gap="md",
        wrap="nowrap",
    )
