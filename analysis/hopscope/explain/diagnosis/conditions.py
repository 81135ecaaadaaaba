"""Finds the conditions of a run that limit how far the other numbers of a diagnosis can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hopscope.explain.diagnosis.entry import Entry, Facts, Kind

_CORES: Final[tuple[tuple[str, Kind], ...]] = (("cores", "oversubscribed"), ("load", "external-load"))
"""Kinds of limits that say ranks lacked cores, and the kind of entry that each becomes."""
_INCOMPLETE: Final = ("unseen", "missing", "unrecorded", "no MPI", "no path", "overhead", "clocks")
"""Kinds of limits that say the trace is incomplete or disturbed, or that its clocks cannot decide."""
_STARTUP: Final = 0.5
"""Start-up is reported if it takes more than this share of the job."""

_Rows = Sequence[Mapping[str, Any]]


def unfinished_in(limits: _Rows) -> list[Entry]:
    """An entry that says who waited for whom, if the run did not finish."""
    return [Entry("unfinished", text=row["sentence"]) for row in limits if row["kind"] == "unfinished"]


def conditions_in(facts: Facts, limits: _Rows) -> list[Entry]:
    """Entries on shared cores, other programs on them, an incomplete trace, the collector's own time and a long
    start-up."""
    entries = [Entry(kind, text=row["sentence"]) for word, kind in _CORES for row in limits if row["kind"] == word]
    incomplete = [row["sentence"] for row in limits if row["kind"] in _INCOMPLETE]
    if incomplete:
        entries.append(Entry("tracing", text=" ".join(incomplete)))
    if facts.duration_ns and facts.startup_ns > _STARTUP * facts.duration_ns:
        entries.append(Entry("start-up"))
    return entries
