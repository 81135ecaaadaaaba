"""The result of a query as a file that is sent while it is written, so that nobody waits for all of it or holds it."""

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
"""Bytes that go out together."""

_AHEAD = 8
"""So many pieces are written before somebody takes them."""


def stream_result(trace: Trace, query: str, form: str, stop: Stop) -> Generator[bytes]:
    """Give the whole result of a SELECT, piece by piece, as a file of one of the formats of tables.

    The first piece comes only when the query works and its columns fit the format. Raises InputError, also where `stop`
    ended the query; what was given before is then not a whole file.
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
        stop.request()  # whoever asked may have gone
        while writer.is_alive():
            sink.drop()
        batches.close()


class _Sink(io.RawIOBase):
    """A file whose bytes wait in a short queue until they are taken."""

    def __init__(self) -> None:
        self.pieces: Queue[bytes | None] = Queue(_AHEAD)
        """None comes last."""
        self._failure: Exception | None = None
        self._open = bytearray()
        self._written = 0

    def fill(self, form: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
        """Write all of it, for a thread of its own; `check` says what went wrong."""
        try:
            WRITERS[form](cast("IO[bytes]", self), schema, batches)
            self.pieces.put(bytes(self._open))
        except Exception as error:
            # Its frames hold the writer, which holds this file: a cycle through C++ that would never be freed.
            self._failure = error.with_traceback(None)
        finally:
            self.pieces.put(None)

    def check(self) -> None:
        """Raise what went wrong, if anything did."""
        if self._failure is not None:
            raise self._failure

    def drop(self) -> None:
        """Take a piece that nobody wants, if there is one."""
        try:
            self.pieces.get(timeout=0.05)
        except Empty:
            return

    def writable(self) -> bool:
        """It can be written to, and no more."""
        return True

    def tell(self) -> int:
        """How much was written."""
        return self._written

    def write(self, content: Any) -> int:
        """Append bytes; waits while nobody takes them."""
        added = bytes(content)
        self._open += added
        self._written += len(added)
        if len(self._open) >= _PIECE:
            self.pieces.put(bytes(self._open))
            self._open.clear()
        return len(added)
