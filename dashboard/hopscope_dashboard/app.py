"""Makes the web application for one trace: `create_app(hopscope.open("trace")).run()`."""

from pathlib import Path

from dash import Dash

from hopscope_dashboard.components import shell
from hopscope_dashboard.data import Trace, TraceData
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.pages.routing import register

_ASSETS = Path(__file__).parent / "assets"


def create_app(trace: Trace) -> Dash:
    """Give the application that shows this trace.

    It serves every script, style and font itself; a browser needs no other host.
    """
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
    )
    app.layout = shell.layout(data.name)
    register(app, data, PAGES)
    return app
