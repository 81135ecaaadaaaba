"""Page Decision map: the best method for each message size and number of ranks in a sweep, or the choices of the
library or of a model."""

from collections.abc import Mapping
from typing import Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.components.select import select
from hopscope_dashboard.data.trace import Row, Sweep, TraceData
from hopscope_dashboard.figures.decision_map import colours, decision_map
from hopscope_dashboard.navigation.address import Query, allowed_word
from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import missing

FIGURE: Final = "decision-map"
TITLE: Final = "Decision map"
_PATH: Final = "/decision-map"
_LEAD: Final = (
    "The best algorithm by message size and ranks, and what it costs to follow the library or a model instead."
)


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. In the address, `op` selects the operation, and `by` the choices that are drawn: the measured best
    ones, the library's or a model's."""
    sweep = data.sweep
    if sweep is None:
        head = blocks.page_head(TITLE, _LEAD)
        return html.Div([head, empty.nothing_to_draw("No sweep", missing.sweep(data))])
    operations = tuple(dict.fromkeys(row["operation"] for row in sweep.rows))
    operation = allowed_word(query, "op", operations)
    all_rows = [{**row, "default": "default"} for row in sweep.rows]
    titles = {"measured": "Measured", "default": "Default"}
    titles |= {column: name[0].upper() + name[1:] for column, name in sweep.models.items()}
    options = {chooser: title for chooser, title in titles.items() if any(row[_method(chooser)] for row in all_rows)}
    chooser = allowed_word(query, "by", tuple(options))
    rows = [row for row in all_rows if row["operation"] == operation]
    shades = colours(rows, [_method(column) for column in titles])
    figure = decision_map(
        rows,
        method=_method(chooser),
        penalty=None if chooser == "measured" else sweep.penalty_of(chooser),
        shades=shades,
        texts=[_text(row, sweep, titles) for row in rows],
    )
    controls = choice("By", _PATH, query, "by", options=options, current=chooser)
    operation_list = select("Operation", query, "op", options={name: name for name in operations}, current=operation)
    hint = "Per cent: how much slower this choice is than the best, as measured." if chooser != "measured" else None
    return html.Div(
        [
            blocks.page_head(TITLE, sweep.summary[0] if sweep.summary else _LEAD, controls),
            html.Div(operation_list, className="selects"),
            blocks.card(None, blocks.drawing(TITLE, figure, name=FIGURE), hint=hint),
            blocks.notes(sweep.summary[1:], "Penalties over all operations"),
            blocks.note(
                f"Measured in {sweep.path}. ", "The rules: ", html.Code(f"analyze decide {sweep.path} -o FILE")
            ),
        ]
    )


def _method(chooser: str) -> str:
    return "best" if chooser == "measured" else chooser


def _text(row: Row, sweep: Sweep, titles: Mapping[str, str]) -> str:
    """Write a cell's hover text: the best method's time, and the penalty of each other choice."""
    lines = [
        f"<b>{quantities.plural(row['ranks'], 'rank')}, {quantities.size(row['bytes'])}</b>",
        f"best: {row['best']}, {quantities.duration(row['time_ns'])}",
    ]
    if row["default_ns"] is not None:
        lines.append(f"default: {quantities.duration(row['default_ns'])}, +{quantities.share(row['penalty'])}")
    for column in sweep.models:
        if row[column] is not None:
            lines.append(f"{titles[column]}: {row[column]}, +{quantities.share(row[sweep.penalty_of(column)])}")
    return "<br>".join(lines)


PAGE = Page(
    path=_PATH,
    title=TITLE,
    section="Improve",
    layout=layout,
    follows_selection=False,
    is_drawn_ahead=False,
    lacks=missing.sweep,
)
