"""Writes a trace for other programs: `perfetto` as a timeline in the Trace Event Format, `tables` as files of the
dataset's tables in one of `table_formats`. Both stream, so a dataset need not fit into memory, and neither leaves a
half-written file. `streams` sends the result of a query in the same formats while it is written."""

from hopscope.export.perfetto import write_perfetto
from hopscope.export.streams import stream_result
from hopscope.export.table_formats import WRITERS
from hopscope.export.tables import write_tables

TABLE_FORMATS = tuple(WRITERS)

__all__ = ["TABLE_FORMATS", "stream_result", "write_perfetto", "write_tables"]
