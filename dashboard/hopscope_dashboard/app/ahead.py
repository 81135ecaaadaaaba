"""Draws a long run's pages before anybody asks for them, so that the results are cached by then.

It begins with the last page of the menu, because users open the first pages themselves.
"""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from hopscope_dashboard.data.trace import InputError, Trace, TraceData, reopened, worker
from hopscope_dashboard.pages import PAGES


def draw_ahead(traces: Sequence[Trace]) -> "subprocess.Popen[bytes] | None":
    """Start a process that draws the pages of each trace that keeps its answers on disk. Returns the process; None if
    no trace does so."""
    places = [str(place) for trace in traces if trace.keeps_answers for place in (trace.path, trace.dataset)]
    return worker.start(__name__, places) if places else None


def draw_pages(data: TraceData) -> None:
    """Draw the menu's pages of the whole run, except those that are drawn only on request."""
    for page in reversed(PAGES):
        if page.in_menu and page.is_drawn_ahead and not page.lacks(data):
            with suppress(InputError):  # the page itself shows the error
                page.layout(data, {})


def main(places: Sequence[str]) -> None:
    """Draw the pages of traces. `places`: for each trace its path, then the path of its dataset."""
    with worker.in_background(), suppress(InputError):
        for path, dataset in zip(places[::2], places[1::2], strict=True):
            draw_pages(TraceData(reopened(path, dataset)))


if __name__ == "__main__":
    main(sys.argv[1:])
