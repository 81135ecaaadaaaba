"""`hopscope dashboard`: look at a trace in a browser."""

import ipaddress
import logging
from pathlib import Path

import click

import hopscope
from hopscope.errors import InputError


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@click.command(name="dashboard", short_help="Look at a trace in a browser.")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to serve on; only this machine by default."
)
@click.option("--port", default=8050, show_default=True, type=click.IntRange(0, 65535), help="The port to serve on.")
def command(trace: Path, host: str, port: int) -> None:
    """Serve the pages of a trace until interrupted. They need no network beyond the address served.

    Example: hopscope dashboard hopscope-app-1
    """
    try:
        from hopscope_dashboard.app import create_app
    except ImportError as error:
        raise InputError(
            f"the dashboard's packages are not installed ({error.name} is missing): pip install 'hopscope[dashboard]'"
        ) from error
    app = create_app(hopscope.open(trace))
    address = f"[{host}]" if ":" in host else host
    click.echo(f"hopscope: the dashboard is on http://{address}:{port}/ (Ctrl-C ends it)", err=True)
    if not _is_loopback(host):
        click.echo("hopscope: whoever reaches this address can read the trace", err=True)
    logging.getLogger("werkzeug").setLevel(logging.WARNING)
    try:
        app.run(host=host, port=port, debug=False)
    except OSError as error:
        raise InputError(f"cannot serve on {address}:{port}: {error.strerror}; choose another --port") from error
