"""Ends a query before it is done: on request, or when its time is up."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hopscope.format.quantities import duration

_EVERY_S = 0.05
"""Interval between interrupts, for a query that has not started yet."""


class Stop:
    """Ends a query that another thread runs."""

    def __init__(self, seconds: float | None = None) -> None:
        """`seconds`: how long the query may take from now on; None for no limit."""
        self._request = threading.Event()
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def request(self) -> None:
        """End the query at once, or before it begins."""
        self._request.set()

    @property
    def reason(self) -> str | None:
        """The reason why the query has to end, as words after `the query was stopped`; None while it may go on."""
        if self._request.is_set():
            return "as you asked"
        if self._end is None or self._seconds is None or time.monotonic() < self._end:
            return None
        return f"after {duration(1e9 * self._seconds)}, which is its limit; ask for less, such as a part of the run"

    @contextmanager
    def watches(self, interrupt: Callable[[], None]) -> Generator[None]:
        """Context for a query. Once the query has to end, calls `interrupt` repeatedly until the query ends."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_EVERY_S):
                if self.reason is not None:
                    interrupt()

        watcher = threading.Thread(target=watch, name="stop a query", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
