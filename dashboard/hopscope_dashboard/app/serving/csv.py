"""Serves all rows behind a page's table as CSV, with every digit."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from dash import Dash
from flask import Response, request

from hopscope_dashboard.components.exports import CSV_PATH
from hopscope_dashboard.data.trace import InputError
from hopscope_dashboard.navigation import selection
from hopscope_dashboard.navigation.traces import Traces

_ABOUT_PAGES: Final = (*selection.OPTIONS, selection.TRACE, selection.COMPARISON)


def register(app: Dash, traces: Traces) -> None:
    """Answer `_csv/COMMAND`; the address has the analysis's options, the part of the run and, for `compare`, the other
    trace. A request that cannot be answered gets a 400 with the reason."""

    def answer(command: str) -> Response:
        query = request.args.to_dict()
        data = traces.named_trace(query)
        options = {name: value for name, value in query.items() if name not in _ABOUT_PAGES}
        try:
            # A page of one collective shows all of it, whichever part of the run is selected.
            part = data if "collective" in options else data.part(selection.options(query))
            new = next(
                (neighbour for neighbour in data.other_traces if neighbour.identity == query.get(selection.COMPARISON)),
                None,
            )
            if command == "compare" and new is not None:
                pieces = new.part(selection.options(query)).csv(command, options, base=part)
            else:
                pieces = part.csv(command, options)
            whole: Iterator[str] = chain([next(pieces)], pieces)
        except InputError as error:
            return Response(f"{error}\n", 400, mimetype="text/plain")
        headers = {"Content-Disposition": f"attachment; filename={command}.csv", "Cache-Control": "no-store"}
        return Response(whole, mimetype="text/csv", headers=headers)

    path = f"{app.config.routes_pathname_prefix}{CSV_PATH.strip('/')}/<command>"
    app.server.add_url_rule(path, "hopscope_csv", answer)
