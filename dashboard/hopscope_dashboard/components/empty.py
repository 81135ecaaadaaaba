"""Text of a page that has nothing to show: the reason, and the command that helps."""

from typing import Final

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.components import aria
from hopscope_dashboard.components.blocks import Content, card, code, page_head, with_code

NO_COLLECTIVES: Final = "{} has no MPI collective on a known communicator. The summary shows what it contains."
TOO_SELDOM: Final = "{} has no place of the program that occurs often enough (20 times) to know what is normal there."
"""Reasons; `{}` is to be filled with `TraceData.scope`."""


def no_such_page(owner: str = "of this trace", first: str = "the summary") -> Component:
    """Say that the address names no page. `owner`: words for what the pages show. `first`: the name of the page at
    /."""
    return html.Div(
        [
            page_head("Page not found", f"This address is not a page {owner}."),
            card(None, dcc.Link(f"Go to {first}", href="/", className="button")),
        ]
    )


def cannot_answer(title: str, reason: str) -> Component:
    """Say why a page has no answer about this trace, or about the trace that it is compared with."""
    return html.Div(
        [
            page_head(title, "This page has nothing to show, for this reason:"),
            card(None, html.P(with_code(reason), className="reason")),
        ],
        id="cannot-answer",
    )


def no_collectives(title: str, lead: str, scope: str) -> Component:
    """Say that `scope` has no collectives for this page."""
    return html.Div([page_head(title, lead), nothing_to_draw("No collectives", NO_COLLECTIVES.format(scope))])


def nothing_to_draw(title: str, reason: Content) -> Component:
    """Say that there is nothing to draw, inside a page that has more to say."""
    return card(title, html.P(reason, className="reason"), css="empty")


def sentence(reason: str) -> Content:
    """Give an error's words as a sentence of a page, with its commands set as code."""
    return with_code(f"{reason[:1].upper()}{reason[1:]}.")


def went_wrong(error: BaseException, *parts: Component) -> Component:
    """Say that Hopscope itself failed, with the error's own text, after the `parts` of the page."""
    return html.Div(
        [
            *parts,
            html.Section(
                [
                    html.H2("Something went wrong in Hopscope"),
                    html.P(
                        "This is a bug in Hopscope, not a problem of your trace. The other pages still work. Please "
                        "report it with the text below; the terminal in which the dashboard runs shows all of it."
                    ),
                    html.Pre(html.Code(f"{type(error).__name__}: {error}".strip(": "))),
                ],
                className="card problem",
                **aria.ALERT,
            ),
        ],
        id="went-wrong",
    )


def no_hops(title: str, call_level: Component, cause: str | None = None) -> Component:
    """Say that the trace has no hops and which command records them; `call_level` shows what is known of whole calls.

    `cause` is why the MPI library's messages inside collectives were not recorded, if the trace says so.
    """
    reason = [html.P(f"In this run it did not record them: {cause}.", className="reason")] if cause else []
    return html.Div(
        [
            page_head(
                title,
                "This trace has no hops: it shows when ranks entered and left a collective, not what happened inside.",
            ),
            card(
                "How to get hops",
                html.P(
                    "A hop is one message between two ranks of a collective. Hopscope records the hops of Open MPI "
                    "and, with this setting, of MPICH:"
                ),
                code("HOPSCOPE_NATIVE=mpich hopscope run -- mpiexec -n 8 ./app"),
                *reason,
                html.P("Or it runs the collectives over a tree, given by a shape's name or a file:"),
                code("hopscope run --tree binomial -- mpirun -n 8 ./app"),
                css="how-to",
            ),
            call_level,
        ],
        id="no-hops",
    )
