"""Frame around every page: the header with the trace's name, the menu, and room for the page."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import dash_mantine_components as dmc
from dash import Dash, Input, Output, dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.app import connection
from hopscope_dashboard.components import aria
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.navigation import frame
from hopscope_dashboard.palette import FONT, MONO_FONT


def layout(traces: Sequence[str], paths: Sequence[str], *, shows: str = "The trace that these pages show") -> Component:
    """Give the frame of the application, into which routing.py draws the page. `traces` and `paths` are the names and
    paths of the traces served; `shows` is the tooltip of the trace's name if only one trace is served."""
    return dmc.MantineProvider(
        [
            # callback-nav: an address set by a callback changes the page without loading everything again.
            dcc.Location(id=frame.ADDRESS, refresh="callback-nav"),
            dcc.Store(id=frame.TITLE),
            html.A("Skip to the page", href=f"#{frame.CONTENT}", className="skip-link"),
            dmc.AppShell(
                [
                    dmc.AppShellHeader(_header(traces, shows), className="header"),
                    dmc.AppShellNavbar(
                        html.Nav(id=frame.MENU, className="menu", **aria.label("Pages")), className="navbar"
                    ),
                    dmc.AppShellMain(
                        [
                            connection.notice(paths),
                            html.Div(id=frame.PROBLEM),
                            html.Main(id=frame.CONTENT, className="page", tabIndex=-1),
                        ],
                    ),
                ],
                id=frame.FRAME,
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


def navbar(*, opened: bool) -> Any:
    """Give the menu's layout: beside the page in a wide window; in a narrow one over the page, and only while
    opened."""
    return {"width": 208, "breakpoint": "sm", "collapsed": {"mobile": not opened, "desktop": False}}


def register(app: Dash) -> None:
    """Register the callbacks that open the menu of a narrow window, close it when a page was chosen, and write the
    page's title into the browser's history."""
    opened, closed = (json.dumps(navbar(opened=state)) for state in (True, False))
    app.clientside_callback(
        f"function (opened) {{ return opened ? {opened} : {closed}; }}",
        Output(frame.FRAME, "navbar"),
        Input(frame.MENU_SWITCH, "opened"),
    )
    app.clientside_callback(
        "function (title) { document.title = title ? title.split('\\n')[0] : 'Hopscope'; "
        "return window.dash_clientside.no_update; }",
        Output(frame.TITLE, "storage_type"),
        Input(frame.TITLE, "data"),
    )
    app.clientside_callback(
        "function () { return false; }",
        Output(frame.MENU_SWITCH, "opened"),
        Input(frame.ADDRESS, "pathname"),
        Input(frame.ADDRESS, "search"),
        prevent_initial_call=True,
    )


def menu(sections: Iterable[frame.Section], current: frame.MenuPage | None) -> list[Component]:
    """Give the menu: the sections and, under the open section, its pages if there are several. The current page is
    marked."""
    entries: list[Component] = []
    for section in sections:
        has_pages = section.is_open and len(section.pages) > 1
        classes = "menu-link open" if has_pages else "menu-link current" if section.is_open else "menu-link"
        entries.append(dcc.Link([icon(section.icon), html.Span(section.title)], href=section.path, className=classes))
        if has_pages:
            pages = [_page_link(page, current) for page in section.pages]
            entries.append(html.Div(pages, className="menu-pages", role="group", **aria.label(section.title)))
    return entries


def _page_link(page: frame.MenuPage, current: frame.MenuPage | None) -> Component:
    is_current = current is not None and current.menu_path == page.path
    return dcc.Link(page.title, href=page.path, className=f"menu-link{' current' if is_current else ''}")


def _header(traces: Sequence[str], shows: str) -> Component:
    trace_name = (
        html.Span(traces[0], className="trace-name", title=shows)
        if len(traces) == 1
        else html.Div(id=frame.TRACE, className="trace-chooser")
    )
    return dmc.Group(
        [
            dmc.Burger(id=frame.MENU_SWITCH, opened=False, hiddenFrom="sm", size="sm", **aria.label("Menu")),
            dcc.Link(
                [html.Span(className="logo", **aria.HIDDEN), html.Span("Hopscope")],
                href="/",
                className="brand",
            ),
            trace_name,
            html.Div(style={"flex": 1}),
            dmc.ColorSchemeToggle(
                id=frame.SCHEME,
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
