"""Draws pages in threads of their own, so that a browser requests a slow page once and then polls for it."""

import threading
from collections.abc import Callable, Hashable
from typing import Final

from dash.development.base_component import Component

_PAGE_LIMIT: Final = 8
"""Finished pages kept although nobody has fetched them."""


class _Drawing:
    """One page that is being drawn."""

    def __init__(self, draw: Callable[[], Component]) -> None:
        self._draw = draw
        self._done = threading.Event()
        self._page: Component | None = None
        self._error: BaseException | None = None
        # A daemon, so that Ctrl-C ends the process.
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._page = self._draw()
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def page(self, patience_s: float) -> Component | None:
        """Give the page if it is drawn within this time. Raises what drawing it raised."""
        if not self._done.wait(patience_s):
            return None
        if self._error is not None:
            raise self._error
        return self._page

    @property
    def is_done(self) -> bool:
        """True once it is drawn."""
        return self._done.is_set()


class Drawings:
    """The pages that are being drawn, by what was asked for."""

    def __init__(self) -> None:
        self._drawings: dict[Hashable, _Drawing] = {}
        self._lock = threading.Lock()

    def page(self, key: Hashable, draw: Callable[[], Component], *, patience_s: float) -> Component | None:
        """Give the page of this key if it is drawn within this time, else None.

        Drawing continues, and the next request gets the same page. Raises what drawing it raised.
        """
        with self._lock:
            drawing = self._drawings.get(key)
            if drawing is None:
                drawing = self._drawings[key] = _Drawing(draw)
                done = [finished_key for finished_key, candidate in self._drawings.items() if candidate.is_done]
                for finished_key in done[: max(0, len(done) - _PAGE_LIMIT)]:
                    del self._drawings[finished_key]
        try:
            page = drawing.page(patience_s)
        except BaseException:
            self._forget(key)
            raise
        if page is not None:
            self._forget(key)
        return page

    def _forget(self, key: Hashable) -> None:
        with self._lock:
            self._drawings.pop(key, None)
