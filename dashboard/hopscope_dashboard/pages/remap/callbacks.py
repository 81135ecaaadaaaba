"""Computes the suggestion after the page is there, and hands out the tree file."""

import logging
from typing import Any

from dash import Dash, Input, Output, dcc, no_update
from dash.development.base_component import Component

from hopscope_dashboard.address import one_of
from hopscope_dashboard.components import empty
from hopscope_dashboard.data import InputError, TraceData
from hopscope_dashboard.pages.remap import ids
from hopscope_dashboard.pages.remap.layout import PHASES
from hopscope_dashboard.pages.remap.result import result

_log = logging.getLogger(__name__)


def register(app: Dash, data: TraceData) -> None:
    """Register the callbacks of this page."""

    @app.callback(Output(ids.RESULT, "children"), Input(ids.ASK, "data"))
    def suggest(phase: str | None) -> Component:
        try:
            return result(data, one_of({"phase": phase or ""}, "phase", tuple(PHASES)))
        except InputError as error:
            return empty.nothing_here("No other tree can be judged from this trace", str(error))
        except Exception as error:
            _log.exception("the run could not be remapped")
            return empty.went_wrong(error)

    @app.callback(Output(ids.DOWNLOAD, "data"), Input(ids.DOWNLOAD_BUTTON, "n_clicks"), prevent_initial_call=True)
    def download(clicks: int | None) -> Any:
        text = data.remap().tree_file if clicks else None
        return no_update if text is None else dcc.send_string(text, "tree.json")

    del suggest, download
