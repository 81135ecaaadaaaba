"""Sends the whole result of a query that the user wrote, as a file, while the query runs."""

from collections.abc import Generator
from itertools import chain
from typing import Final

from dash import Dash
from flask import Response, request

from hopscope_dashboard.components.exports import RESULT_FORMS, RESULT_PATH
from hopscope_dashboard.data.trace import InputError, Stop
from hopscope_dashboard.navigation import selection
from hopscope_dashboard.navigation.traces import Traces

LIMIT_S: Final = 600
"""Longest duration of a download, in seconds."""


def register(app: Dash, traces: Traces) -> None:
    """Answer `_result/csv?sql=...` and `_result/parquet?sql=...`; other parameters select the part of the run.

    A request that cannot be answered gets a 400 with the reason. A query that fails half-way or takes too long breaks
    the connection, so that no browser takes the file for complete.
    """

    def answer(form: str) -> Response:
        if form not in RESULT_FORMS:
            return Response("No such format.\n", 404, mimetype="text/plain")
        query = request.args
        data = traces.named_trace(query)
        try:
            part = data.part(selection.options(query))
            pieces = part.written(query.get("sql", ""), form, Stop(LIMIT_S))
            first = next(pieces, b"")
        except InputError as error:
            return Response(f"{error}\n", 400, mimetype="text/plain")
        answered = Response(
            _all_pieces(first, pieces), content_type=RESULT_FORMS[form], headers={"Cache-Control": "no-store"}
        )
        answered.headers.set("Content-Disposition", "attachment", filename=f"{data.name}-result.{form}")
        return answered

    app.server.add_url_rule(
        f"{app.config.routes_pathname_prefix}{RESULT_PATH.strip('/')}/<form>", "hopscope_result", answer
    )


def _all_pieces(first: bytes, rest: Generator[bytes]) -> Generator[bytes]:
    """Yields all pieces; closes the query when the browser disconnects, which `chain` would not."""
    try:
        yield from chain((first,), rest)
    finally:
        rest.close()
