"""Frame around every page: the header with the trace's name, the menu, and the page's place."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final, Protocol

import dash_mantine_components as dmc
from dash import Dash, Input, Output, dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.components import aria, connection
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.palette import FONT, MONO_FONT

ADDRESS: Final = "address"
CONTENT: Final = "content"
MENU: Final = "menu"
TITLE: Final = "page-title"
PROBLEM: Final = "problem"
MENU_SWITCH: Final = "menu-switch"
FRAME: Final = "frame"
TRACE: Final = "trace-chooser"
SCHEME: Final = "colour-scheme"


class MenuPage(Protocol):
    """Menu's view of a page."""

    @property
    def path(self) -> str:
        """Address."""
        ...

    @property
    def title(self) -> str:
        """Name."""
        ...

    @property
    def menu_path(self) -> str:
        """Address of the page of the menu that it belongs to."""
        ...


@dataclass(frozen=True)
class Section:
    """A section as the menu shows it. icon: name of an icon. is_open: whether its pages are listed."""

    title: str
    icon: str
    pages: Sequence[MenuPage]
    is_open: bool

    @property
    def path(self) -> str:
        """Address of its first page."""
        return self.pages[0].path


def layout(traces: Sequence[str], paths: Sequence[str], *, shows: str = "The trace that these pages show") -> Component:
    """Give the frame of the application; the page is drawn into it by the routing. `traces` names those served, and
    `paths` says where they are; `shows` says what the name of a single one is."""
    return dmc.MantineProvider(
        [
            # callback-nav: an address set by a callback changes the page without loading everything again.
            dcc.Location(id=ADDRESS, refresh="callback-nav"),
            dcc.Store(id=TITLE),
            html.A("Skip to the page", href=f"#{CONTENT}", className="skip-link"),
            dmc.AppShell(
                [
                    dmc.AppShellHeader(_header(traces, shows), className="header"),
                    dmc.AppShellNavbar(html.Nav(id=MENU, className="menu", **aria.label("Pages")), className="navbar"),
                    dmc.AppShellMain(
                        [
                            connection.notice(paths),
                            html.Div(id=PROBLEM),
                            html.Main(id=CONTENT, className="page", tabIndex=-1),
                        ],
                    ),
                ],
                id=FRAME,
                header={"height": 56},
                navbar=navbar(opened=False),
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
        defaultColorScheme="auto",
    )


_title_numbers: Final = count()


def title(text: str) -> str:
    """Give a page's title as it goes to the browser: in the first line, with a number that is always another.

    If only a page's content changes, Dash checks all of its components for each of them: a minute for thousands. A
    changed title avoids that.
    """
    return f"{text}\n{next(_title_numbers)}"


def navbar(*, opened: bool) -> Any:
    """Give the menu's layout: beside the page on a wide window; on a narrow one over it, and only while opened."""
    return {"width": 208, "breakpoint": "sm", "collapsed": {"mobile": not opened, "desktop": False}}


def register(app: Dash) -> None:
    """Register the callbacks that open the menu of a narrow window, close it when a page was chosen, and write the
    page's title into the browser's history, which shows where one was."""
    opened, closed = (json.dumps(navbar(opened=state)) for state in (True, False))
    app.clientside_callback(
        f"function (opened) {{ return opened ? {opened} : {closed}; }}",
        Output(FRAME, "navbar"),
        Input(MENU_SWITCH, "opened"),
    )
    app.clientside_callback(
        "function (title) { document.title = title ? title.split('\\n')[0] : 'Hopscope'; "
        "return window.dash_clientside.no_update; }",
        Output(TITLE, "storage_type"),
        Input(TITLE, "data"),
    )
    app.clientside_callback(
        "function () { return false; }",
        Output(MENU_SWITCH, "opened"),
        Input(ADDRESS, "pathname"),
        Input(ADDRESS, "search"),
        prevent_initial_call=True,
    )


def menu(sections: Iterable[Section], current: MenuPage | None) -> list[Component]:
    """Give the menu: the sections, and under the open one its pages if it has several; the current one is marked."""
    entries: list[Component] = []
    for section in sections:
        has_pages = section.is_open and len(section.pages) > 1
        classes = "menu-link open" if has_pages else "menu-link current" if section.is_open else "menu-link"
        entries.append(dcc.Link([icon(section.icon), html.Span(section.title)], href=section.path, className=classes))
        if has_pages:
            pages = [_page_link(page, current) for page in section.pages]
            entries.append(html.Div(pages, className="menu-pages", role="group", **aria.label(section.title)))
    return entries


def _page_link(page: MenuPage, current: MenuPage | None) -> Component:
    is_current = current is not None and current.menu_path == page.path
    return dcc.Link(page.title, href=page.path, className=f"menu-link{' current' if is_current else ''}")


def _header(traces: Sequence[str], shows: str) -> Component:
    trace_name = (
        html.Span(traces[0], className="trace-name", title=shows)
        if len(traces) == 1
        else html.Div(id=TRACE, className="trace-chooser")
    )
    return dmc.Group(
        [
            dmc.Burger(id=MENU_SWITCH, opened=False, hiddenFrom="sm", size="sm", **aria.label("Menu")),
            dcc.Link(
                [html.Span(className="logo", **aria.HIDDEN), html.Span("Hopscope")],
                href="/",
                className="brand",
            ),
            trace_name,
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
