"""The traces that one application serves, and which of them the address names."""

from collections.abc import Sequence
from pathlib import Path

from hopscope_dashboard.data.trace import InputError, Sweep, Trace, TraceData
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.navigation.selection import TRACE


class Traces:
    """The traces that are served, in the order given. Each one knows the others."""

    def __init__(self, opened: Sequence[Trace], sweep: Sweep | None = None) -> None:
        """`sweep`: measurements by `hopscope sweep` of the machine that they ran on. Raises InputError if there is no
        trace, or if two have the same dataset, because no address could tell them apart."""
        if not opened:
            raise InputError("no trace to show; give one or several")
        names = distinct_names([trace.path.resolve() for trace in opened])
        self.members = tuple(TraceData(trace, name) for trace, name in zip(opened, names, strict=True))
        self._by_identity: dict[str, TraceData] = {}
        for data in self.members:
            twin = self._by_identity.setdefault(data.identity, data)
            if twin is not data:
                raise InputError(
                    f"{twin.path} and {data.path} are the same trace; give each once, or another run to compare with"
                )
        for data in self.members:
            data.other_traces = tuple(neighbour for neighbour in self.members if neighbour is not data)
            data.sweep = sweep

    def named_trace(self, query: Query) -> TraceData:
        """Give the trace that the address names; the first if it names none that is served."""
        return self._by_identity.get(query.get(TRACE, ""), self.members[0])


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """Name each path by its last part, or by as many last parts as equal names need to differ."""
    names = [path.name for path in paths]
    for parts in range(2, max((len(path.parts) for path in paths), default=0) + 1):
        alike = {name for name in names if names.count(name) > 1}
        names = [
            str(Path(*path.parts[-parts:])) if name in alike else name for path, name in zip(paths, names, strict=True)
        ]
    return names
