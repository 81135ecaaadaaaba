"""Makes the web application: `create_app(hopscope.open("trace")).run()` for one trace or several, `create_machine_app`
for a machine file."""

import logging
from collections.abc import Collection, Sequence
from pathlib import Path

from dash import Dash, set_props

from hopscope_dashboard.app import shell
from hopscope_dashboard.app.routing import register, register_machine
from hopscope_dashboard.app.serving import csv, protect, result, timeline
from hopscope_dashboard.components import empty
from hopscope_dashboard.data.trace import Machine, Sweep, Trace, preload
from hopscope_dashboard.figures import preloading
from hopscope_dashboard.navigation import frame
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import PAGES

_log = logging.getLogger(__name__)
_ASSETS = Path(__file__).parents[1] / "assets"


def create_app(trace: Trace | Sequence[Trace], names: Collection[str] = (), sweep: Sweep | None = None) -> Dash:
    """Give the application that shows `trace`. Of several traces it shows the one that the address names, by default
    the first.

    `sweep`: the measurements of `hopscope sweep` on the machine of the traces. The application serves every script,
    style and font itself, so a browser needs no other host. It answers requests for localhost, for the address at which
    a request comes in, and for the host names `names`. Raises ValueError if one of `names` is not a valid host name,
    and InputError if no trace is given or one is given twice.
    """
    # Many threads draw pages: load the modules that they need while there is only one thread.
    preload()
    preloading.preload()
    traces = Traces([trace] if isinstance(trace, Trace) else trace, sweep)
    app = _without_pages()
    app.layout = shell.layout([data.name for data in traces.members], [data.path for data in traces.members])
    register(app, traces, PAGES)
    timeline.register(app, traces)
    csv.register(app, traces)
    result.register(app, traces)
    protect(app, names)
    return app


def create_machine_app(machine: Machine, names: Collection[str] = ()) -> Dash:
    """Give the application that shows a machine file of `hopscope probe`. `names` are as in `create_app`."""
    preloading.preload()
    app = _without_pages()
    app.layout = shell.layout([machine.name], [machine.path], shows="The machine file that this page shows")
    register_machine(app, machine)
    protect(app, names)
    return app


def _without_pages() -> Dash:
    return Dash(
        __name__,
        title="Hopscope",
        update_title="",
        assets_folder=str(_ASSETS),
        serve_locally=True,
        use_pages=False,
        # Callbacks are registered before their pages exist: opening an address makes its page.
        suppress_callback_exceptions=True,
        enable_mcp=False,
        on_error=_say,
    )


def _say(error: Exception) -> None:
    """Show an error that a callback raised and no page handled. Otherwise the user would see nothing."""
    _log.error("a callback failed", exc_info=error)
    set_props(frame.PROBLEM, {"children": empty.went_wrong(error)})
