"""`hopscope dashboard`: shows one or several traces, or a machine file, in a browser."""

import errno
import ipaddress
import logging
import os
import socket
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from hopscope.cli.progress import dataset_option, opening
from hopscope.cli.saying import say
from hopscope.errors import InputError

if TYPE_CHECKING:
    from hopscope.trace import Trace

_FIRST_PAGE_S: Final = 3
"""Seconds for which the first page has the machine to itself, before other pages are drawn ahead."""

_LAST_ANSWERS_S: Final = 3
"""Seconds that running requests may take after Ctrl-C."""


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _machine_file(paths: Sequence[Path], dataset: Path | None, sweep: Path | None) -> Path | None:
    """Returns the machine file to show, or None for traces. Raises InputError if a machine file is given together with
    traces or their options."""
    from hopscope.machine.parameters.probed import is_machine_file  # imported late: it loads scipy

    machine_file = next(filter(is_machine_file, paths), None)
    if machine_file is not None and len(paths) > 1:
        raise InputError(
            f"{machine_file} is a machine file, which is shown by itself; start another dashboard for the others"
        )
    if machine_file is not None and dataset is not None:
        raise InputError(f"--dataset goes with a trace, and {machine_file} is a machine file; leave it out")
    if machine_file is not None and sweep is not None:
        raise InputError(f"--machine goes with a trace, and {machine_file} is a machine file; leave it out")
    return machine_file


@click.command(name="dashboard", short_help="Show traces, or a machine file, in a browser.")
@click.argument("traces", metavar="TRACE...|MACHINE_FILE", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to serve on; by default only this machine can reach it.",
)
@click.option("--port", default=8050, show_default=True, type=click.IntRange(0, 65535), help="The port to serve on.")
@click.option(
    "--allow-host",
    "allowed",
    metavar="NAME",
    multiple=True,
    help="Another name that browsers use for this server, such as that of a proxy in front of it. Repeatable.",
)
@click.option(
    "--machine",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="File of `hopscope sweep`, to show its decision map.",
)
def command(
    *,
    traces: tuple[Path, ...],
    host: str,
    port: int,
    allowed: tuple[str, ...],
    dataset: Path | None,
    machine: Path | None,
) -> None:
    """Serve the pages of a trace until interrupted. The pages load nothing from other hosts.

    Of several traces the pages show the first; a list in the header chooses another, and the page Compare shows two
    side by side. For a machine file of `hopscope probe` there is one page: what messages cost over each link, and the
    hosts and clusters that the probe found.

    The server answers only requests for names that it was started for: the name in --host, the address at which the
    request came in, localhost, the names in --allow-host and, on all addresses (--host 0.0.0.0), the machine's own
    names. Otherwise any web page could point its own name to this machine and read the trace.

    \b
    Examples:
      hopscope dashboard hopscope-app-1
      hopscope dashboard hopscope-app-1 hopscope-app-2
      hopscope dashboard hopscope-app-1 --machine machine-rules.json
      hopscope dashboard machine.json
    """
    try:
        from werkzeug.serving import make_server

        from hopscope_dashboard.app.ahead import draw_ahead
        from hopscope_dashboard.app.application import create_app, create_machine_app
        from hopscope_dashboard.app.serving.hosts import host_name, names_of
        from hopscope_dashboard.data.trace import Machine, Sweep
    except ImportError as error:
        raise InputError(
            f"the dashboard's packages are not installed ({error.name} is missing): pip install 'hopscope[dashboard]'"
        ) from error
    for name in allowed:
        if host_name(name) is None:
            raise InputError(f"--allow-host {name} is not a host; give a name without http://, such as proxy.site")
    names = {*names_of(host), *allowed}
    machine_file = _machine_file(traces, dataset, machine)
    opened: list[Trace] = []
    if machine_file is None:
        opened = [opening(trace, None if position else dataset, lean=True) for position, trace in enumerate(traces)]
        app = create_app(opened, names, None if machine is None else Sweep(machine))
    else:
        app = create_machine_app(Machine(machine_file), names)
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        option = "--port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "--host"
        raise InputError(f"cannot serve on {host}, port {port}: {reason}; choose another {option}") from error
    with listening:
        address = f"[{host}]" if ":" in host else host
        url = f"http://{address}:{listening.getsockname()[1]}/"
        say(f"hopscope: the dashboard runs at {url} (Ctrl-C stops it)")
        if not _is_loopback(host):
            kind = "trace" if machine_file is None else "machine file"
            say(f"hopscope: anyone who can reach this address can read the {kind}")
        timer = threading.Timer(_FIRST_PAGE_S, draw_ahead, [opened])
        timer.daemon = True
        timer.start()
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        # We open the socket ourselves: a port in use gets our own message, and for port 0 the URL has the real port.
        try:
            make_server(host, port, app.server, threaded=True, fd=listening.fileno()).serve_forever()
        finally:  # DuckDB complains at exit about objects that a thread still holds
            timer.cancel()
            _end_threads()


def _end_threads() -> None:
    """Wait for the other threads, which are answering requests, but at most _LAST_ANSWERS_S in total."""
    deadline = time.monotonic() + _LAST_ANSWERS_S
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(max(0, deadline - time.monotonic()))


command.params.append(dataset_option())
