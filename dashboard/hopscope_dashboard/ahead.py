"""Draws a long run's pages before anybody asks for them, so that their answers are already kept.

It is a process of its own that runs only while the processor is idle, and ends with the server. It draws the menu's
pages from the last to the first, because people begin at the first.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from hopscope_dashboard.data import InputError, Trace, TraceData, reopened
from hopscope_dashboard.pages import PAGES

_TIDY_S: Final = 10
"""Seconds after the server's end to remove unfinished files."""


def draw_ahead(traces: Sequence[Trace]) -> "subprocess.Popen[bytes] | None":
    """Begin to draw the pages of those traces whose answers are kept. Returns the process; None if there is none."""
    places = [str(place) for trace in traces if trace.keeps_answers for place in (trace.path, trace.dataset)]
    if not places:
        return None
    return subprocess.Popen(
        [sys.executable, "-m", __name__, *places],
        # The server holds the other end, so that it closes when the server ends, however it does.
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is the server's. A session of its own would have a share of the processor of its own.
        process_group=0,
    )


def draw_pages(data: TraceData) -> None:
    """Draw the menu's pages of the whole run, except those that are drawn only on request."""
    for page in reversed(PAGES):
        if page.in_menu and page.is_drawn_ahead and not page.lacks(data):
            with suppress(InputError):  # the page itself will say so
                page.layout(data, {})


def main(places: Sequence[str]) -> None:
    """Draw the pages of traces; `places` alternates the path of a trace and that of its dataset."""
    with suppress(OSError, AttributeError):  # where there is no such policy, it is as any other process
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # Ctrl-C is ignored under a server that a script started in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="hopscope-ahead-") as folder, suppress(KeyboardInterrupt, InputError):
        tempfile.tempdir = folder  # where queries go on that are larger than their memory
        threading.Thread(target=_end_with_server, args=[folder], daemon=True).start()
        for path, dataset in zip(places[::2], places[1::2], strict=True):
            draw_pages(TraceData(reopened(path, dataset)))


def _end_with_server(folder: str) -> None:
    """Interrupt the drawing when the server has ended, so that no unfinished file is left behind."""
    os.read(sys.stdin.fileno(), 1)
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    time.sleep(_TIDY_S)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
