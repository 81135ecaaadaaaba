"""Writes a timeline for Perfetto (ui.perfetto.dev) and chrome://tracing. It has a track for each rank, an arrow for
each hop and message, and a track for the critical path of the run. The view `perfetto_events` makes the events."""

from __future__ import annotations

import gzip
import io
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

from hopscope.files import whole_file

if TYPE_CHECKING:
    from hopscope.trace import Progress, Trace

# The queries are in the order that viewers need: an arrow attaches to a slice that comes before it in the file. An
# arrow is only written if both its ends are in the range.
_QUERIES = (
    "select event::varchar from perfetto_events where part = 'names'",
    "select event::varchar from perfetto_events where part = 'slices' and end_ns >= $begin and begin_ns < $end",
    "select event::varchar from perfetto_events where part = 'path' and end_ns >= $begin and begin_ns < $end",
    "select event::varchar from perfetto_events where part = 'arrows' and begin_ns >= $begin and end_ns < $end",
)
_FOREVER = 2**62


def write_perfetto(
    trace: Trace,
    output: Path,
    *,
    begin_ns: int = 0,
    end_ns: int | None = None,
    progress: Progress | None = None,
) -> int:
    """Write the trace, or what happened in [begin_ns, end_ns), as JSON; compressed if the name ends in `.gz`.

    Times count from the start of the trace. Returns the number of events written. Raises InputError if the file cannot
    be written.
    """
    parameters = {"begin": begin_ns, "end": _FOREVER if end_ns is None else end_ns}
    written = 0
    with whole_file(output) as raw:
        packed = gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1, mtime=0) if output.suffix == ".gz" else raw
        with closing(io.TextIOWrapper(cast("io.BufferedWriter", packed), encoding="utf-8", newline="\n")) as text:
            text.write('{"displayTimeUnit":"ns","traceEvents":[\n')
            for done, query in enumerate(_QUERIES):
                if progress:
                    progress("writing the timeline", done, len(_QUERIES))
                for batch in trace.batches(query, parameters if "$begin" in query else {}):
                    events = cast("list[str]", batch.column(0).to_pylist())
                    text.write("".join((",\n" if written + i else "") + event for i, event in enumerate(events)))
                    written += len(events)
            text.write("\n]}\n")
        if progress:
            progress("writing the timeline", len(_QUERIES), len(_QUERIES))
    return written
