"""Draws the page that the address names, and tells the browser its title."""

import logging
from collections.abc import Sequence
from typing import Final

from dash import Dash, Input, Output, html
from dash.development.base_component import Component
from flask import redirect, request
from werkzeug.wrappers import Response

from hopscope_dashboard.app import shell, trace_chooser, working
from hopscope_dashboard.components import blocks, empty, reveal, select, selection_bar
from hopscope_dashboard.data.computations import Computations
from hopscope_dashboard.data.trace import InputError, Machine, TraceData
from hopscope_dashboard.navigation import address, frame, menu, selection
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages.machine import machine

SHOWS_ALL: Final = " (this page shows the whole run)"

_FORMERLY: Final = {"/models": "/decision-map", "/noise-periods": "/noise"}
"""Former addresses of pages, and the addresses that replace them."""

_PAGES_KEPT: Final = 8
"""Largest number of finished pages that are kept until the browser fetches them."""

_log = logging.getLogger(__name__)


def register(app: Dash, traces: Traces, pages: Sequence[Page]) -> None:
    """Register the callback that draws pages, and the callbacks of every page."""
    by_path = {page.path: page for page in pages}
    drawings: Computations[str, Component] = Computations(_PAGES_KEPT)

    def find(href: str, patience_s: float = 0) -> Component | None:
        pathname, _, search = href.partition("?")
        page, data = by_path.get(_normal(pathname)), traces.named_trace(address.parse(search))
        return drawings.take(href, lambda: content(page, data, search), patience_s=patience_s)

    @app.callback(
        Output(frame.CONTENT, "children"),
        Output(frame.MENU, "children"),
        Output(frame.TITLE, "data"),
        Input(frame.ADDRESS, "pathname"),
        Input(frame.ADDRESS, "search"),
    )
    def draw(pathname: str | None, search: str | None) -> tuple[Component, list[Component], str]:
        page = by_path.get(_normal(pathname))
        title = page.title if page is not None else "No such page"
        query = address.parse(search)
        data = traces.named_trace(query)
        entries = shell.menu(menu.sections(pages, page, menu.lacking(pages, data)), page)
        entries = [_with_selection(entry, query, data) for entry in entries]
        href = f"{pathname or '/'}?{(search or '').removeprefix('?')}"
        component = find(href, working.PATIENCE_S)
        if component is None:
            component = _with_selection(working.page(title, data, href), query, data)
        return component, entries, frame.title(f"{title} · {data.name} · Hopscope")

    del draw
    for former in _FORMERLY:
        app.server.add_url_rule(f"{app.config.routes_pathname_prefix.rstrip('/')}{former}", former, _redirect)
    select.register(app)
    reveal.register(app)
    shell.register(app)
    working.register(app, traces, find)
    if len(traces.members) > 1:
        trace_chooser.register(app, traces)
    for page in pages:
        page.register(app, traces)


def register_machine(app: Dash, machine_file: Machine) -> None:
    """Register the callback that draws the only page of a machine file."""

    @app.callback(
        Output(frame.CONTENT, "children"),
        Output(frame.MENU, "children"),
        Output(frame.TITLE, "data"),
        Input(frame.ADDRESS, "pathname"),
    )
    def draw(pathname: str | None) -> tuple[Component, list[Component], str]:
        page = machine.PAGE if _normal(pathname) == machine.PAGE.path else None
        component = machine.layout(machine_file) if page else empty.no_such_page("of a machine file", "the only one")
        entries = shell.menu([machine.SECTION], page)
        title = machine.TITLE if page else "No such page"
        return component, entries, frame.title(f"{title} · {machine_file.name} · Hopscope")

    del draw
    shell.register(app)


def _redirect() -> Response:
    """Redirect from a page's former address to its present one, with the same parameters."""
    prefix, slash, former = request.path.rpartition("/")
    query = request.query_string.decode()
    return redirect(f"{prefix}{_FORMERLY[slash + former]}{'?' if query else ''}{query}")


def content(page: Page | None, data: TraceData, search: str | None) -> Component:
    """Give the page with the parameters in `search`; if the trace cannot answer, a page that says why.

    Every error becomes a page too: a blank page would not tell the user what to do.
    """
    if page is None:
        return empty.no_such_page()
    query = address.parse(search)
    component = _page(page, data, query)
    shows = "" if page.follows_selection else "; the rest is shaded" if page.shades_the_rest else SHOWS_ALL
    notes = _notes(data, query)
    bar = selection_bar.bar(page.path, query, shows=shows, notes=notes, trace=data.identity, keeps=page.keeps)
    return html.Div([_with_selection(bar, query, data), _with_selection(component, query, data)])


def _notes(data: TraceData, query: address.Query) -> Sequence[str]:
    """Notes on the selected part. Empty if the run has no such part; the page itself then says so."""
    try:
        return data.part(selection.options(query)).part_notes
    except InputError:
        return ()


def _with_selection(component: Component, query: address.Query, data: TraceData) -> Component:
    return selection.keep(component, query, data.identity, with_trace=bool(data.other_traces))


def _page(page: Page, data: TraceData, query: address.Query) -> Component:
    try:
        return page.layout(data.part(selection.options(query)) if page.follows_selection else data, query)
    except InputError as error:
        return empty.cannot_answer(page.title, str(error))
    except Exception as error:
        _log.exception("the page %s could not be drawn", page.path)
        return empty.went_wrong(error, blocks.page_head(page.title, "This page could not be drawn."))


def _normal(pathname: str | None) -> str:
    return "/" + (pathname or "").strip("/")
