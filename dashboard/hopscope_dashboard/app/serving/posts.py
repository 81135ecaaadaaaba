"""Refuses POST requests that no page of the dashboard makes; Dash would answer them with a traceback."""

import json
from collections.abc import Mapping
from typing import Any, Final

from dash import Dash
from flask import Response, request

_MOST_BYTES: Final = 1 << 20
"""Largest request that is read. A page's request is far smaller: it holds only an address, a word or a count."""

_KINDS: Final[Mapping[str, type]] = {
    "pathname": str,
    "search": str,
    "data": str,
    "value": str,
    "n_clicks": int,
    "n_intervals": int,
    "getRowsRequest": dict,
}
"""Type of the value that a page may send for each property of the callbacks; null is allowed too."""


def register(app: Dash) -> None:
    """Check every callback request to this application. Call it after all callbacks are registered.

    Raises KeyError if a callback uses a property that this module does not know.
    """
    path = f"{app.config.routes_pathname_prefix}_dash-update-component"
    callbacks = {output: callback for output, callback in app.callback_map.items() if "callback" in callback}
    for callback in callbacks.values():
        for dependency in (*callback["inputs"], *callback["state"]):
            _KINDS[dependency["property"]]
    app.server.config["MAX_CONTENT_LENGTH"] = _MOST_BYTES

    @app.server.before_request
    def check() -> Response | None:
        if request.method != "POST" or request.path != path:
            return None
        if request.mimetype != "application/json":
            return Response("Post requests as application/json.\n", 415, mimetype="text/plain")
        wrong = _wrong(request.get_data(), callbacks)
        return None if wrong is None else Response(f"{wrong}\n", 400, mimetype="text/plain")

    del check


def _wrong(body: bytes, callbacks: Mapping[str, Any]) -> str | None:
    """Returns what is wrong with a request; None if a page could have made it."""
    try:
        question = json.loads(body)
    except (ValueError, RecursionError):
        return "The request is not valid JSON, or it is nested too deeply."
    output = question.get("output") if isinstance(question, dict) else None
    if not isinstance(output, str) or output not in callbacks:
        return "No page has this output."
    for key in ("inputs", "state"):
        if not _are_registered(question.get(key, []), callbacks[output][key]):
            return f"The {key} do not belong to this output, or their values have the wrong type."
    if not _are_outputs(question.get("outputs"), output):
        return "The outputs do not match the request."
    names = [f"{dependency['id']}.{dependency['property']}" for dependency in callbacks[output]["inputs"]]
    changed = question.get("changedPropIds", [])
    known_change = isinstance(changed, list) and all(property_name in names for property_name in changed)
    return None if known_change else "The changed property is not one of the inputs."


def _are_registered(entries: Any, registered: list[dict[str, str]]) -> bool:
    return (
        isinstance(entries, list)
        and len(entries) == len(registered)
        and all(_is_registered(entry, dependency) for entry, dependency in zip(entries, registered, strict=True))
    )


def _is_registered(entry: Any, registered: Mapping[str, str]) -> bool:
    if _target(entry) != (registered["id"], registered["property"]):
        return False
    value = entry.get("value")
    if isinstance(value, str):
        # JSON may contain half of a UTF-16 surrogate pair, which the response could not encode.
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
    return value is None or type(value) is _KINDS[registered["property"]]


def _target(entry: Any) -> tuple[Any, Any] | None:
    return (entry.get("id"), entry.get("property")) if isinstance(entry, dict) else None


def _are_outputs(outputs: Any, output: str) -> bool:
    """True if `outputs` match `output`: Dash writes one as `a.children`, several as `..a.children...b.data..`."""
    is_multiple = output.startswith("..")
    targets = [output_name.rpartition(".")[::2] for output_name in output.strip(".").split("...")]
    return (
        isinstance(outputs, list) == is_multiple
        and [_target(e) for e in (outputs if is_multiple else [outputs])] == targets
    )
