"""Computes each answer once, however many threads ask for it at the same time."""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")


class Computations(Generic[Key, Answer]):
    """Cache of answers by key."""

    def __init__(self, limit: int | None = None) -> None:
        """`limit`: the largest number of answers to keep; None for all."""
        self._limit = limit
        self._futures: dict[Key, Future[Answer]] = {}
        self._lock = threading.Lock()
        self.running: dict[Future[Answer], tuple[Key, float]] = {}
        """Computations under way, each with its key and the time at which it began (seconds of the monotonic clock)."""

    def answer(self, key: Key, compute: Callable[[], Answer]) -> Answer:
        """Give the answer of this key, which the first thread that asks computes. If computing fails, forget the key
        and raise the error."""
        future, is_first = self._future(key)
        if is_first:
            self._compute(key, future, compute)
        try:
            return future.result()
        except BaseException:
            self._forget(key)
            raise

    def take(self, key: Key, compute: Callable[[], Answer], *, patience_s: float) -> Answer | None:
        """Give the answer of this key and forget it; None if it is not ready within `patience_s` seconds.

        A separate thread computes it, so that a later request can take it. Raises the error that computing raised.
        """
        future, is_first = self._future(key)
        if is_first:
            # A daemon, so that Ctrl-C ends the process.
            threading.Thread(target=self._compute, args=[key, future, compute], daemon=True).start()
        if not wait([future], patience_s).done:
            return None
        self._forget(key)
        return future.result()

    def _future(self, key: Key) -> tuple[Future[Answer], bool]:
        with self._lock:
            if key in self._futures:
                return self._futures[key], False
            if self._limit is not None:
                done = [candidate for candidate, future in self._futures.items() if future.done()]
                for candidate in done[: max(0, len(done) - self._limit)]:
                    del self._futures[candidate]
            future = self._futures[key] = Future()
            return future, True

    def _compute(self, key: Key, future: Future[Answer], compute: Callable[[], Answer]) -> None:
        self.running[future] = (key, time.monotonic())
        try:
            future.set_result(compute())
        except BaseException as error:
            future.set_exception(error)
        finally:
            del self.running[future]

    def _forget(self, key: Key) -> None:
        with self._lock:
            self._futures.pop(key, None)
