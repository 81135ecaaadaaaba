"""The critical path of the whole run, of which a timeline shows where it went."""

import hopscope
from hopscope.format import quantities


def whole_path(trace: hopscope.Trace) -> dict[str, str]:
    """The shares of the whole run's path, with start-up and shutdown, which answers leave out unless asked."""
    rows = trace.part(from_="start", to="end").run("critical-path").to_pylist()
    return {row["category"]: quantities.share(row["share"]) for row in rows}
