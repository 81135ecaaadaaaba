"""Refuses requests for names of other hosts, and tells browsers that the pages load nothing from other hosts.

Any web site can point its own name to this machine's address; its pages can then read what a server here answers to
that name (DNS rebinding). So the Host header must have a name that the server was started for. Headers that a client
can make up, such as X-Forwarded-Host, are ignored.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from hopscope_dashboard.app.serving.hosts import LOOPBACK, address, host_name

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

_HEADERS: Final = (
    ("X-Frame-Options", "DENY"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
_READING: Final = ("GET", "HEAD", "OPTIONS")
_TEXT_LIMIT: Final = 80


def content_security_policy(scripts: Sequence[str]) -> str:
    """Give the policy under which nothing is loaded from or sent to another host. `scripts` are the hashes of the
    scripts that the page itself contains.

    Mantine, AG Grid and plotly add style elements while they run, so the policy must allow all inline styles. Pictures
    of figures are made through `data:` and `blob:`.
    """
    return "; ".join(
        (
            "default-src 'self'",
            " ".join(("script-src 'self'", *scripts)),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


class Guard:
    """Refuses requests for other hosts, and requests that do more than read and come from another site's page."""

    def __init__(self, application: Application, names: Collection[str], policy: str) -> None:
        """Answer to `names` and to this machine's own names. Raises ValueError for an invalid name."""
        self._application = application
        self._names: set[str] = set()
        for text in names:
            name = host_name(text)
            if name is None:
                raise ValueError(text)
            self._names.add(name)
        self._headers = [*_HEADERS, ("Content-Security-Policy", policy)]

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""

        def start(status: str, headers: list[tuple[str, str]], *exc_info: Any) -> Any:
            return start_response(status, [*headers, *self._headers], *exc_info)

        reason = self._refusal(environ)
        if reason is None:
            return self._application(environ, start)
        body = f"{reason}\n".encode()
        start("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))])
        return [body]

    def _refusal(self, environ: Environ) -> str | None:
        """Returns the reason to refuse this request; None if there is no reason."""
        header = environ.get("HTTP_HOST", "")
        host = host_name(header)
        if host is None or host not in (self._names | LOOPBACK | {_local_address(environ)}):
            if not header:
                return "This request names no host. Open the dashboard at the address that it printed."
            quoted = _printable(header)
            name = host or "NAME"
            return (
                f"This dashboard was not started for the name {quoted}. Open it at the address that it printed, or "
                f"start it with `--allow-host {name}`."
            )
        origin = environ.get("HTTP_ORIGIN")
        if origin is None or environ["REQUEST_METHOD"] in _READING or self._is_own_page(origin, header):
            return None
        return (
            f"This request comes from a page of {_printable(origin)}, which does not belong to this dashboard. If that "
            "is a proxy in front of the dashboard, start it with `--allow-host` and the proxy's name."
        )

    def _is_own_page(self, origin: str, header: str) -> bool:
        try:
            source = urlsplit(origin)
        except ValueError:
            return False
        # The Host that a proxy passes on may differ from the host in its pages' addresses.
        return source.netloc.lower() == header.lower() or host_name(source.netloc) in self._names - LOOPBACK


def _local_address(environ: Environ) -> str | None:
    """Returns the address of this machine at which the request came in; None if the web server does not say."""
    connection = environ.get("werkzeug.socket")
    return None if connection is None else address(str(connection.getsockname()[0]))


def _printable(text: str) -> str:
    """Text from a header, for a message: short, and without control characters."""
    plain = "".join(character if character.isprintable() else "?" for character in text)
    return plain if len(plain) <= _TEXT_LIMIT else f"{plain[:_TEXT_LIMIT]}…"
