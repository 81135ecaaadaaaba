"""Sends the result of a query as a file, piece by piece, while the query runs. So the reader need not wait for the end,
and the whole result is never in memory."""

from __future__ import annotations

import io
from collections.abc import Generator, Iterable
from itertools import chain
from queue import Empty, Queue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, cast

from hopscope.errors import InputError
from hopscope.export.table_formats import WRITERS
from hopscope.query.stopping import Stop

if TYPE_CHECKING:
    import pyarrow as pa

    from hopscope.trace import Trace

_PIECE = 1 << 18
"""The size of a piece in bytes."""

_AHEAD = 8
"""The number of finished pieces that may wait for the reader."""


def stream_result(trace: Trace, query: str, form: str, stop: Stop) -> Generator[bytes]:
    """Give the whole result of a SELECT, piece by piece, as a file of one of the table formats.

    The first piece comes only once the query works and its columns fit the format. Raises InputError if not, or if
    `stop` ended the query; then the pieces so far are not a whole file.
    """
    if form not in WRITERS:
        raise InputError(f"a result cannot be written as {form!r}; the formats are {', '.join(WRITERS)}")
    batches = trace.batches(query, stop=stop)
    first = next(batches)
    sink = _Sink()
    writer = Thread(target=sink.fill, args=(form, first.schema, chain((first,), batches)), daemon=True)
    writer.start()
    try:
        while (piece := sink.pieces.get()) is not None:
            yield piece
        sink.check()
    finally:
        stop.request()  # the reader may have closed the stream
        while writer.is_alive():
            sink.drop()
        batches.close()


class _Sink(io.RawIOBase):
    """A file whose bytes wait in a short queue until they are taken."""

    def __init__(self) -> None:
        self.pieces: Queue[bytes | None] = Queue(_AHEAD)
        """The pieces; None marks the end."""
        self._failure: Exception | None = None
        self._open = bytearray()
        self._written = 0

    def fill(self, form: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Write the whole file. Runs in another thread; `check` raises its error."""
        try:
            WRITERS[form](cast("IO[bytes]", self), schema, batches)
            self.pieces.put(bytes(self._open))
        except Exception as error:
            # The error's stack frames refer to the writer, and the writer to this file. This cycle goes through C++, so
            # it would never be freed.
            self._failure = error.with_traceback(None)
        finally:
            self.pieces.put(None)

    def check(self) -> None:
        """Raise the error of the writing thread, if there was one."""
        if self._failure is not None:
            raise self._failure

    def drop(self) -> None:
        """Discard a piece, if there is one, so that the writing thread can go on."""
        try:
            self.pieces.get(timeout=0.05)
        except Empty:
            return

    def writable(self) -> bool:
        """True: the file can be written, but not read."""
        return True

    def tell(self) -> int:
        """The number of bytes written so far."""
        return self._written

    def write(self, content: Any) -> int:
        """Append bytes. Blocks while the queue is full."""
        added = bytes(content)
        self._open += added
        self._written += len(added)
        if len(self._open) >= _PIECE:
            self.pieces.put(bytes(self._open))
            self._open.clear()
        return len(added)
