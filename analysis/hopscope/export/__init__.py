"""A trace written for other programs: `perfetto` as a timeline in the Trace Event Format, `tables` as Arrow or CSV
files of the dataset's tables. Both stream, so a dataset need not fit into memory, and neither leaves a half-written
file."""

from hopscope.export.perfetto import write_perfetto
from hopscope.export.tables import TABLE_FORMATS, write_tables

__all__ = ["TABLE_FORMATS", "write_perfetto", "write_tables"]
