"""The part of the run that the address selects, one for all pages.

Every page is drawn from what lies in it, every link keeps it, and a bar above the page says what it is and clears it.
The browser keeps it for addresses that it makes itself (`assets/selection.js`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.address import Query, link, number
from hopscope_dashboard.components import aria
from hopscope_dashboard.data import PART_OPTIONS, misread

OPTIONS: Final[Mapping[str, str]] = {"communicator" if option == "comm" else option: option for option in PART_OPTIONS}
"""The address's parameters that select, with the options of the analyses that they are. `comm` by itself names a
collective's communicator on some pages."""

TRACE: Final = "trace"
"""The address's parameter that says which trace a page shows, and which one a selection was made for."""
COMPARISON: Final = "with"
"""The address's parameter that says with which trace that one is compared."""

BAR: Final = "selection"
FORM: Final = "selection-form"

_LONGEST: Final = 80
"""Characters of a selected value that are shown."""

_EXAMPLES: Final = {
    "from": "1.5s or i:10",
    "to": "1.8s or i:20",
    "ranks": "3,8-15",
    "communicator": "0",
    "operation": "MPI_Allreduce",
    "region": "solve",
    "place": "solve.c:15",
}


def selected(query: Query) -> dict[str, str]:
    """Give the address's selection by parameter, without values that mean nothing."""
    parameters = {name: query[name] for name in OPTIONS if query.get(name)}
    return {name: value for name, value in parameters.items() if misread(OPTIONS[name], value) is None}


def not_understood(query: Query) -> list[str]:
    """Give a sentence for each parameter that selects nothing because it means nothing."""
    misreadings = [(name, misread(OPTIONS[name], query[name])) for name in OPTIONS if query.get(name)]
    sentences = [
        f"{name}={query[name]} was not understood and is left out: {reason}" for name, reason in misreadings if reason
    ]
    if _names_no_communicator(query):
        sentences.append(
            f"comm={query['comm']} was not understood and is left out: comm is the number of a communicator; to "
            "select one by number or name write communicator=0"
        )
    return sentences


def _names_no_communicator(query: Query) -> bool:
    return "comm" in query and "seq" not in query and number(query, "comm") is None


def options(query: Query) -> dict[str, str]:
    """Give what the address selects, by the options of the analyses."""
    return {OPTIONS[name]: value for name, value in selected(query).items()}


def keep(page: Component, query: Query, trace: str, *, with_trace: bool = False) -> Component:
    """Make every link of a page keep the selection and, of several traces, the one that is shown.

    A link that sets a parameter itself keeps it.
    """
    parameters = selected(query)
    if parameters or with_trace:
        parameters[TRACE] = trace
        for anchor in _links(page):
            anchor.href = kept_address(anchor.href, parameters)
    return page


def _links(content: Any) -> Iterator[Any]:
    """Every component of a page that leads to a page."""
    if isinstance(content, list | tuple):
        for child in content:
            yield from _links(child)
    elif isinstance(content, Component):
        href = getattr(content, "href", None)
        if isinstance(href, str) and href.startswith("/"):
            yield content
        yield from _links(getattr(content, "children", None))


def kept_address(href: str, parameters: Mapping[str, str]) -> str:
    """Give an address of a page with these parameters, unless it has them itself."""
    parts = urlsplit(href)
    own_parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    query = {name: value for name, value in {**parameters, **own_parameters}.items() if value}
    return f"{parts.path}?{urlencode(query)}" if query else parts.path


def trace_attribute(trace: str) -> dict[str, Any]:
    """Give the attribute of an element whose marks are about this trace, whichever the page shows."""
    return {"data-trace": trace}


def bar(
    path: str, query: Query, *, shows: str, trace: str, notes: Sequence[str] = (), keeps: Sequence[str] = ()
) -> Component:
    """Give the line above a page: what is selected and how to clear or change it.

    `shows` says how the page shows it, if not by showing only that; `notes` are sentences about the part. `keeps` are
    parameters of the page's own that the browser keeps from one address of it to the next. The scripts among the assets
    read from the line which parameters select.
    """
    parameters = selected(query)
    left_out = {TRACE, "comm"} if _names_no_communicator(query) else {TRACE}
    other_parameters = {name: value for name, value in query.items() if name not in OPTIONS and name not in left_out}
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
                + "&".join(f"{name}=" for name in OPTIONS if query.get(name)),
                className="button",
            ),
        ]
    if query.get(TRACE, trace) != trace:
        words.append(html.Em("The link was made for another trace, in which this may be something else."))
    words += [html.Em(f"{sentence}. ", className="not-understood") for sentence in not_understood(query)]
    words += [html.Span(f"{note[:1].upper()}{note[1:]}.", className="hint") for note in notes]
    fields = [
        html.Label(
            [name, dcc.Input(name=name, value=query.get(name, ""), placeholder=example, type="text", debounce=True)]
        )
        for name, example in _EXAMPLES.items()
    ]
    kept_fields = [
        dcc.Input(name=name, value=value, type="hidden") for name, value in {**other_parameters, TRACE: trace}.items()
    ]
    form = html.Form(
        [*fields, *kept_fields, html.Button("Show", type="submit", className="button")],
        action=path,
        method="GET",
        id=FORM,
    )
    change = html.Details([html.Summary("Select a part of the run"), form], className="select-part")
    names: Any = {"data-names": " ".join([*OPTIONS, TRACE]), "data-keeps": " ".join(keeps), "data-trace": trace}
    label = aria.label("The part of the run that is shown")
    return html.Div([*words, change], id=BAR, className="selection", **names, **label)


def _written(parameters: Mapping[str, str]) -> dict[str, str]:
    """The selected values as people read them: ns become times, with enough digits to tell both ends apart. A long list
    of ranks is cut; the form has all of it."""
    times = {name: int(value) for name, value in parameters.items() if name in ("from", "to") and value.isdecimal()}
    texts = {name: quantities.quantity(ns, "at") for name, ns in times.items()}
    if len(set(texts.values())) < len(set(times.values())):
        texts = {name: quantities.exact_moment(ns) for name, ns in times.items()}
    shortened = {name: f"{value[:_LONGEST]}…" for name, value in parameters.items() if len(value) > _LONGEST + 1}
    return {**parameters, **shortened, **texts}
