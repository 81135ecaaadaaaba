"""Guards between a browser and the pages: `hosts` knows the names that the server answers to, `guard` refuses requests
for other names and tells browsers what the pages may do, `files` and `posts` refuse requests that no page makes."""

from collections.abc import Collection

from dash import Dash

from hopscope_dashboard.app.serving import files, posts
from hopscope_dashboard.app.serving.guard import Guard, content_security_policy


def protect(app: Dash, names: Collection[str]) -> None:
    """Put the guard before an application whose callbacks are all registered. `names` are those of `Guard`.

    Dash sets itself up at its first request, and a second request at that time would not wait for it. So the first
    request is made here.
    """
    files.register(app)
    posts.register(app)
    with app.server.test_request_context():
        app.server.preprocess_request()
    guard = Guard(app.server.wsgi_app, names, content_security_policy(app.csp_hashes()))
    app.server.wsgi_app = guard
