"""The line above a page: the part of the run that is selected, and how to clear or change it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import aria
from hopscope_dashboard.navigation import selection
from hopscope_dashboard.navigation.address import Query, link

BAR: Final = "selection"
FORM: Final = "selection-form"

_LONGEST: Final = 80
"""Largest number of characters shown of a selected value."""

_EXAMPLES: Final = {
    "from": "1.5s or i:10",
    "to": "1.8s or i:20",
    "ranks": "3,8-15",
    "communicator": "0",
    "operation": "MPI_Allreduce",
    "region": "solve",
    "place": "solve.c:15",
}


def bar(
    path: str, query: Query, *, shows: str, trace: str, notes: Sequence[str] = (), keeps: Sequence[str] = ()
) -> Component:
    """Give the line above a page: what is selected and how to clear or change it.

    `shows`: words for a page that shows more than the selected part. `notes`: sentences about the part. `keeps`: the
    page's own parameters, which the browser keeps when the page's address changes. The scripts in assets/ read from
    this line which parameters select a part.
    """
    parameters = selection.selected(query)
    left_out = {selection.TRACE, "comm"} if selection.names_no_communicator(query) else {selection.TRACE}
    other_parameters = {
        name: value for name, value in query.items() if name not in selection.OPTIONS and name not in left_out
    }
    words: list[Any] = []
    if parameters:
        words = [
            html.Strong("A part of the run: "),
            ", ".join(f"{name} {value}" for name, value in _written(parameters).items()),
            shows,
            dcc.Link(
                "Show the whole run",
                href=link(path, **other_parameters)
                + ("&" if other_parameters else "?")
                + "&".join(f"{name}=" for name in selection.OPTIONS if query.get(name)),
                className="button",
            ),
        ]
    if query.get(selection.TRACE, trace) != trace:
        words.append(html.Em("This link was made for another trace; here it may select something else."))
    words += [html.Em(f"{sentence}. ", className="not-understood") for sentence in selection.not_understood(query)]
    words += [html.Span(f"{note[:1].upper()}{note[1:]}.", className="hint") for note in notes]
    fields = [
        html.Label(
            [name, dcc.Input(name=name, value=query.get(name, ""), placeholder=example, type="text", debounce=True)]
        )
        for name, example in _EXAMPLES.items()
    ]
    kept_fields = [
        dcc.Input(name=name, value=value, type="hidden")
        for name, value in {**other_parameters, selection.TRACE: trace}.items()
    ]
    form = html.Form(
        [*fields, *kept_fields, html.Button("Show", type="submit", className="button")],
        action=path,
        method="GET",
        id=FORM,
    )
    change = html.Details([html.Summary("Select a part of the run"), form], className="select-part")
    names: Any = {
        "data-names": " ".join([*selection.OPTIONS, selection.TRACE]),
        "data-keeps": " ".join(keeps),
        "data-trace": trace,
    }
    label = aria.label("The part of the run that is shown")
    return html.Div([*words, change], id=BAR, className="selection", **names, **label)


def _written(parameters: Mapping[str, str]) -> dict[str, str]:
    """The selected values as people read them: nanoseconds become times, with enough digits to tell both ends apart. A
    long value is cut; the form has all of it."""
    times = {name: int(value) for name, value in parameters.items() if name in ("from", "to") and value.isdecimal()}
    texts = {name: quantities.quantity(ns, "at") for name, ns in times.items()}
    if len(set(texts.values())) < len(set(times.values())):
        texts = {name: quantities.exact_moment(ns) for name, ns in times.items()}
    shortened = {name: f"{value[:_LONGEST]}…" for name, value in parameters.items() if len(value) > _LONGEST + 1}
    return {**parameters, **shortened, **texts}
