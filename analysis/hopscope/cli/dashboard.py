"""`hopscope dashboard`: look at a trace in a browser."""

import ipaddress
import logging
import os
import socket
from pathlib import Path

import click

from hopscope.cli.progress import dataset_option, opening
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
def command(trace: Path, host: str, port: int, dataset: Path | None) -> None:
    """Serve the pages of a trace until interrupted. They need no network beyond the address served.

    Example: hopscope dashboard hopscope-app-1
    """
    try:
        from hopscope_dashboard.app import create_app
        from werkzeug.serving import make_server
    except ImportError as error:
        raise InputError(
            f"the dashboard's packages are not installed ({error.name} is missing): pip install 'hopscope[dashboard]'"
        ) from error
    app = create_app(opening(trace, dataset))
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InputError(
            f"cannot serve on {host}, port {port}: {os.strerror(error.errno or 0)}; choose another --port"
        ) from error
    with listening:
        address = f"[{host}]" if ":" in host else host
        url = f"http://{address}:{listening.getsockname()[1]}/"
        click.echo(f"hopscope: the dashboard is on {url} (Ctrl-C ends it)", err=True)
        if not _is_loopback(host):
            click.echo("hopscope: whoever reaches this address can read the trace", err=True)
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        # The socket is ours, so that a port in use is said in our words and port 0 is known before anybody is told.
        make_server(host, port, app.server, threaded=True, fd=listening.fileno()).serve_forever()


command.params.append(dataset_option())
