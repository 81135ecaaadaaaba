"""The shares of a whole run's critical path, as the timeline writes them."""

import hopscope
from hopscope import quantities
from hopscope.words import CATEGORIES


def whole_path(trace: hopscope.Trace) -> dict[str, str]:
    """The shares of the whole run's path, start-up and shutdown in the categories of what went on there."""
    rows = trace.sql(
        "select category, sum(end_ns - begin_ns) / sum(sum(end_ns - begin_ns)) over () as share from path_stretches "
        "where path = 'run' group by category"
    ).to_pylist()
    return dict.fromkeys(CATEGORIES, "0.0 %") | {row["category"]: quantities.share(row["share"]) for row in rows}
