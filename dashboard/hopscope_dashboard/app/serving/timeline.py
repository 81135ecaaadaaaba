"""Answers the requests of the timeline's script: columns as bytes, the rest as JSON."""

from typing import Final

from dash import Dash
from flask import Response, jsonify, request

from hopscope_dashboard.data.trace import InputError
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.timeline import run_search, run_timeline

PATH: Final = "_timeline"
_FRESH: Final = {"Cache-Control": "no-store"}
"""Keeps browsers from caching: another trace may be served at this address later."""
_QUESTIONS: Final = {
    "marks": run_timeline.marks,
    "told": run_timeline.moment_details,
    "ruler": run_timeline.ruler,
    "summary": run_timeline.summary,
    "search": run_search.next_hit,
}
"""Functions that answer the requests `_timeline/NAME` as JSON."""


def register(app: Dash, traces: Traces) -> None:
    """Answer `_timeline/columns` and the requests in _QUESTIONS, about the trace that the parameter `trace` names. A
    request that cannot be answered gets a 400 with the reason."""

    def answer(question: str) -> Response:
        data = traces.named_trace(request.args)
        try:
            if question == "columns":
                return Response(
                    run_timeline.columns(data, request.args), mimetype="application/octet-stream", headers=_FRESH
                )
            handler = _QUESTIONS.get(question)
            if handler is None:
                return Response("No such question.\n", 404, mimetype="text/plain")
            response = jsonify(handler(data, request.args))
        except InputError as error:
            return Response(f"{error}\n", 400, mimetype="text/plain")
        response.headers.update(_FRESH)
        return response

    app.server.add_url_rule(f"{app.config.routes_pathname_prefix}{PATH}/<question>", "hopscope_timeline", answer)
