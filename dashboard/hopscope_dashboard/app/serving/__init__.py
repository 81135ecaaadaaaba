"""The server's guards and downloads. `guard`, with `hosts`, refuses requests for other host names, and tells browsers
what the pages may load. `files` and `posts` refuse requests that no page makes. `csv`, `result` and `timeline` send
data."""

from collections.abc import Collection

from dash import Dash

from hopscope_dashboard.app.serving import files, posts
from hopscope_dashboard.app.serving.guard import Guard, content_security_policy


def protect(app: Dash, names: Collection[str]) -> None:
    """Put the guard before an application whose callbacks are all registered. `names` are the host names for `Guard`.

    Dash sets itself up during its first request. A request that arrives meanwhile would find it half set up, so this
    function makes the first request.
    """
    files.register(app)
    posts.register(app)
    with app.server.test_request_context():
        app.server.preprocess_request()
    guard = Guard(app.server.wsgi_app, names, content_security_policy(app.csp_hashes()))
    app.server.wsgi_app = guard
