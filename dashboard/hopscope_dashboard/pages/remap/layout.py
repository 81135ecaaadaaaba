"""The frame of the remap page: what it does and, while the run is being replayed, that it is."""

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.address import Query, one_of
from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.components.choice import choice
from hopscope_dashboard.data import TraceData
from hopscope_dashboard.pages.remap import ids

PHASES = {"up": "up", "down": "down"}


def layout(data: TraceData, query: Query) -> Component:
    """Give the page. The address selects the `phase` of the trees that are drawn."""
    lead = "What other trees would have taken: the whole run replayed over each, with every rank's own computing."
    if not data.has_hops:
        return html.Div(
            [
                blocks.page_head("Remap", lead),
                empty.nothing_here(
                    "No hops",
                    [
                        "Without hops, nothing is known of what a message costs on each link: the page ",
                        dcc.Link("Tree", href="/tree"),
                        " says how to get them.",
                    ],
                ),
            ]
        )
    phase = one_of(query, "phase", tuple(PHASES))
    return html.Div(
        [
            blocks.page_head(
                "Remap", lead, choice("Trees drawn", "/remap", query, "phase", options=PHASES, current=phase)
            ),
            dcc.Store(id=ids.ASK, data=phase),
            dcc.Download(id=ids.DOWNLOAD),
            blocks.waiting(
                html.Div(id=ids.RESULT, style={"minHeight": 240}), "Replaying the run over candidate trees …"
            ),
        ]
    )
