"""Makes the web application for one trace: `create_app(hopscope.open("trace")).run()`."""

import logging
from collections.abc import Collection
from pathlib import Path

from dash import Dash, set_props

from hopscope_dashboard.components import empty, shell
from hopscope_dashboard.data import Trace, TraceData, preload
from hopscope_dashboard.figures import preloading
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.pages.routing import register
from hopscope_dashboard.serving import protect, timeline

_log = logging.getLogger(__name__)
_ASSETS = Path(__file__).parent / "assets"


def create_app(trace: Trace, names: Collection[str] = ()) -> Dash:
    """Give the application that shows this trace.

    It serves every script, style and font itself; a browser needs no other host. It answers to what this machine calls
    itself (localhost), to the address that it is reached at, and to `names`. Raises ValueError if one of them cannot be
    a host's.
    """
    # Pages are drawn by many threads; what they need is loaded before there is a second one.
    preload()
    preloading.preload()
    data = TraceData(trace)
    app = Dash(
        __name__,
        title="Hopscope",
        update_title="",
        assets_folder=str(_ASSETS),
        serve_locally=True,
        use_pages=False,
        # Pages come and go with the address; their callbacks are registered once.
        suppress_callback_exceptions=True,
        enable_mcp=False,
        on_error=_say,
    )
    app.layout = shell.layout(data.name)
    register(app, data, PAGES)
    timeline.register(app, data)
    protect(app, names)
    return app


def _say(error: Exception) -> None:
    """Show what went wrong in a callback that no page of its own answers for; without this, nothing would happen."""
    _log.error("a callback failed", exc_info=error)
    set_props(shell.PROBLEM, {"children": empty.went_wrong(error)})
