"""Answers 404 for a missing script or style sheet, where Dash would fail or send a page."""

from dash import Dash
from dash.exceptions import DependencyException
from flask import request

_NO_SUCH_FILE = ("File not found.\n", 404, {"Content-Type": "text/plain; charset=utf-8"})
_Answer = tuple[str, int, dict[str, str]]


def register(app: Dash) -> None:
    """Answer 404 to requests for files that Dash's component packages lack."""
    folder = f"{app.config.routes_pathname_prefix}_dash-component-suites/"

    @app.server.before_request
    def check() -> _Answer | None:
        # Dash would take a path without a package, or without a file in the package, for a page's address.
        has_package = "package_name" in (request.view_args or {})
        return _NO_SUCH_FILE if request.path.startswith(folder) and not has_package else None

    @app.server.errorhandler(DependencyException)
    def not_registered(_: DependencyException) -> _Answer:
        return _NO_SUCH_FILE

    @app.server.errorhandler(FileNotFoundError)
    def not_packed(error: FileNotFoundError) -> _Answer:
        # Packages refer to files that they do not contain, such as source maps.
        if not request.path.startswith(folder):
            raise error
        return _NO_SUCH_FILE

    del check, not_registered, not_packed
