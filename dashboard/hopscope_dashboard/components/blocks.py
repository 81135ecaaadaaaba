"""The building blocks of a page: its head, cards, key figures, legends and notes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import dash_mantine_components as dmc
from dash import dcc, html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import aria, exports
from hopscope_dashboard.components.after_timeline import AfterTimeline
from hopscope_dashboard.components.icons import icon
from hopscope_dashboard.figures.style import CONFIG

Content = Any
"""Children of a Dash component."""

_CODE: Final = re.compile(r"`([^`]+)`")


def page_head(title: str, lead: Content, *aside: Component) -> Component:
    """Give the head of a page: its title, one sentence on what it answers (`lead`), and controls at the right
    (`aside`)."""
    return html.Header(
        [
            html.Div([html.H1(title), html.P(lead, className="lead") if lead else None], className="page-head-words"),
            html.Div(list(aside), className="page-head-aside"),
        ],
        className="page-head",
    )


def card(
    title: str | None, *children: Content, hint: Content = None, meaning: Content = None, css: str = ""
) -> Component:
    """Give a bordered block: a heading, one sentence on how to read it (`hint`), and its `meaning`, folded."""
    head: list[Component] = [] if title is None else [html.H2(title)]
    if hint:
        head.append(html.P(hint, className="hint"))
    if meaning:
        head.append(html.Details([html.Summary("What this means"), html.P(meaning)], className="hint meaning"))
    return html.Section([*head, *children], className=f"card {css}".strip())


def drawing(title: str, figure: Any, *, name: str) -> Component:
    """Give a plotly figure. `name` is its id; `title` says what it is to a reader who cannot see it."""
    config: Any = dict(CONFIG)
    height = {"height": figure.layout.height or 320}
    graph = dcc.Graph(id=name, figure=figure, config=config, style=height)
    return exports.figure(html.Div(AfterTimeline(graph), role="img", style=height, **aria.label(title)))


def key_figures(figures: Sequence[tuple[str, str, str]]) -> Component:
    """Give a row of numbers. `figures` are (label, number with its unit, a few words on what it means or "")."""
    cells = [
        html.Div([html.Dt(label), html.Dd(value), html.Small(meaning) if meaning else None], className="key-figure")
        for label, value, meaning in figures
    ]
    return html.Dl(cells, className="key-figures")


def legend(colours: Mapping[str, str], meanings: Mapping[str, str], words: Iterable[str] | None = None) -> Component:
    """Give a legend of colours, in the order of `words`, by default of `colours`. Tooltips explain the words."""
    entry_words = list(words) if words is not None else list(colours)
    entries = [
        html.Span(
            [html.Span(className="swatch", style={"background": colours[word]}), word],
            className="legend-entry",
            title=meanings.get(word, word),
        )
        for word in entry_words
    ]
    return html.Div(entries, className="legend")


def chip(word: str, colour: str) -> Component:
    """Give a word with its colour in front of it."""
    return html.Span([html.Span(className="swatch", style={"background": colour}), word], className="legend-entry")


def note(*children: Content) -> Component:
    """Give a remark beside the numbers."""
    return html.Div([icon("info"), html.Div(list(children))], className="note")


def with_code(sentence: str) -> list[Any]:
    """Give a sentence with its backticked words, such as a command, set as code."""
    return [html.Code(word) if index % 2 else word for index, word in enumerate(_CODE.split(sentence)) if word]


def notes(sentences: Sequence[str], title: str) -> Component:
    """Give several remarks as a list under one title; nothing if there are none."""
    if not sentences:
        return html.Div()
    return card(title, html.Ul([html.Li(with_code(sentence)) for sentence in sentences], className="remarks"))


def code(text: str) -> Component:
    """Give a command that the reader can copy."""
    return html.Div(
        [html.Code(text), dcc.Clipboard(content=text, title="Copy the command", className="copy")],
        className="command",
    )


def table(
    columns: Sequence[Content],
    rows: Sequence[Sequence[Content]],
    *,
    name: str,
    right: Iterable[int] = (),
    last: Sequence[int] = (),
    full: str | None = None,
    meanings: Sequence[str | None] = (),
) -> Component:
    """Give a plain table that a click on a heading sorts. `right`: the columns of numbers, aligned at their last digit.
    `last`: the columns that matter least; a narrow window hides them and says so. `full`: the address of all rows, from
    `exports.csv_address`. `meanings`: the headings' tooltips, from `data.trace.meanings`."""
    numbers = set(right)
    classes = dict.fromkeys(numbers, "number")
    classes |= {column: f"{classes.get(column, '')} last".strip() for column in last}
    headings = zip(columns, meanings or [None] * len(columns), strict=True)
    head = [_heading(content, classes.get(column, ""), meaning) for column, (content, meaning) in enumerate(headings)]
    body = [
        html.Tr(
            [
                html.Td(content, className=classes.get(column, ""), **_value(content, column in numbers))
                for column, content in enumerate(row)
            ]
        )
        for row in rows
    ]
    frame = html.Div(html.Table([html.Thead(html.Tr(head)), html.Tbody(body)], id=name), className="table-frame")
    if not last:
        return exports.table(frame, full)
    hidden = " and ".join(str(columns[column]) for column in last)
    hint = html.P(f"A wider window also shows: {hidden}.", className="hint when-narrow")
    return html.Div([hint, exports.table(frame, full)])


def _heading(content: Content, css: str, meaning: str | None) -> Component:
    """A heading that sorts by its column (assets/tables.js). A heading without words cannot be selected by keys."""
    attributes: Any = {**({"tabIndex": 0} if content else {}), **({"title": meaning} if meaning else {})}
    return html.Th(content, className=css, **attributes)


def _value(content: Content, is_number: bool) -> Any:
    """Sort key of a cell in a column of numbers, as an attribute: sorted as text, 1.2 ms would be less than 900 µs."""
    value = quantities.first_value(_words(content)) if is_number else None
    return {} if value is None else {"data-value": value}


def _words(content: Content) -> str:
    if isinstance(content, list | tuple):
        return "".join(_words(part) for part in content)
    if isinstance(content, Component):
        return _words(getattr(content, "children", None))
    return "" if content is None else str(content)


def columns(*children: Component, widths: str = "1fr 1fr") -> Component:
    """Give blocks side by side; on a narrow window one under another. `widths` is a CSS grid template."""
    return html.Div(list(children), className="columns", style={"--columns": widths})


def waiting(child: Component, text: str) -> Component:
    """Show `text`, which says what is being computed, until the child is there."""
    return dcc.Loading(
        child,
        custom_spinner=html.Div(
            [dmc.Loader(size="sm", color="blue"), html.Span(text)], className="waiting", role="status"
        ),
        overlay_style={"visibility": "visible", "opacity": 0.45},
        delay_show=150,
    )
