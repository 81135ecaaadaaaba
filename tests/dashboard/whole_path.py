"""The critical path of the whole run, part of which a timeline shows."""

import hopscope
from hopscope.format import quantities


def whole_path(trace: hopscope.Trace) -> dict[str, str]:
    """The shares of the whole run's path by category. It includes start-up and shutdown, which answers leave out by
    default."""
    rows = trace.part(from_="start", to="end").run("critical-path").to_pylist()
    return {row["category"]: quantities.share(row["share"]) for row in rows}
