"""Answers the script of the timeline: bytes for columns, JSON for the rest."""

from typing import Final

from dash import Dash
from flask import Response, jsonify, request

from hopscope_dashboard import run_search, run_timeline
from hopscope_dashboard.data import InputError
from hopscope_dashboard.traces import Traces

PATH: Final = "_timeline"
_FRESH: Final = {"Cache-Control": "no-store"}
"""Another trace may be served at this address later."""
_QUESTIONS: Final = {
    "marks": run_timeline.marks,
    "told": run_timeline.told,
    "ruler": run_timeline.ruler,
    "summary": run_timeline.summary,
    "search": run_search.found,
}
"""What is answered as JSON."""


def register(app: Dash, traces: Traces) -> None:
    """Answer `_timeline/columns`, as bytes, and the questions of this module about the trace that `trace` names. What
    cannot be answered is a 400 with the reason."""

    def answer(what: str) -> Response:
        data = traces.shown(request.args)
        try:
            if what == "columns":
                return Response(
                    run_timeline.columns(data, request.args), mimetype="application/octet-stream", headers=_FRESH
                )
            found = _QUESTIONS.get(what)
            if found is None:
                return Response("No such question.\n", 404, mimetype="text/plain")
            told = jsonify(found(data, request.args))
        except InputError as error:
            return Response(f"{error}\n", 400, mimetype="text/plain")
        told.headers.update(_FRESH)
        return told

    app.server.add_url_rule(f"{app.config.routes_pathname_prefix}{PATH}/<what>", "hopscope_timeline", answer)
