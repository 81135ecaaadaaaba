"""What a page says when it has nothing to show: why, and which command makes it."""

from typing import Final

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.components import aria
from hopscope_dashboard.components.blocks import Content, card, code, page_head

NO_COLLECTIVES: Final = (
    "This trace has no collective operation of MPI that could be placed; the overview says what it has."
)
TOO_SELDOM: Final = "No place of the program is reached often enough (20 times) to say what is usual there."


def no_such_page() -> Component:
    """Say that the address names no page."""
    return html.Div(
        [
            page_head("There is no such page", "The address names no page of this trace."),
            card(None, dcc.Link("Go to the overview", href="/", className="button")),
        ]
    )


def cannot_answer(title: str, reason: str) -> Component:
    """Say why an analysis has no answer on this trace."""
    return html.Div(
        [page_head(title, "This trace cannot answer that."), card(None, html.P(reason, className="reason"))],
        id="cannot-answer",
    )


def no_collectives(title: str, lead: str) -> Component:
    """Say of a page about collectives that the trace has none."""
    return html.Div([page_head(title, lead), nothing_here("No collectives", NO_COLLECTIVES)])


def nothing_here(title: str, reason: Content) -> Component:
    """Say that there is nothing to draw, inside a page that has more to say."""
    return card(title, html.P(reason, className="reason"), css="empty")


def went_wrong(error: BaseException, *before: Component) -> Component:
    """Say that Hopscope itself failed, with the error's own text; `before` is what of the page is there."""
    return html.Div(
        [
            *before,
            html.Section(
                [
                    html.H2("Something went wrong in Hopscope"),
                    html.P(
                        "This is a fault of the program and not of your trace or of your question. The other pages do "
                        "not depend on this one. Please report it with the text below; the terminal in which the "
                        "dashboard runs has all of it."
                    ),
                    html.Pre(html.Code(f"{type(error).__name__}: {error}".strip(": "))),
                ],
                className="card problem",
                **aria.ALERT,
            ),
        ],
        id="went-wrong",
    )


def no_hops(title: str, call_level: Component) -> Component:
    """Say that the trace has no hops, which command makes them, and show what is known of whole calls."""
    return html.Div(
        [
            page_head(
                title,
                "This trace has no hops: it knows when each rank entered and left a collective, and "
                "nothing of what went on inside.",
            ),
            card(
                "How to get hops",
                html.P(
                    "A hop is one message between two ranks of a collective. Let Hopscope execute the "
                    "collectives over a tree of its own "
                    "and it records every one of them; the program needs no change:"
                ),
                code("hopscope run --tree binomial -- mpirun -n 8 ./app"),
                html.P(
                    [
                        "Instead of a shape's name, a tree file may be given. Collectives that the "
                        "tree does not name stay with the MPI library, ",
                        "and stay without hops.",
                    ],
                    className="hint",
                ),
                css="how-to",
            ),
            call_level,
        ],
        id="no-hops",
    )
