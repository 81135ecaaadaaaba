"""Sentences on the effect of delayed hops, and on the critical path's share between clusters."""

from typing import Final

from hopscope.format.quantities import duration, number, plural, share

from hopscope_dashboard.data.trace import Rows
from hopscope_dashboard.sentences.sentence import Sentence

_WHOLE_DELAY: Final = 0.95
"""Share of a delay that must reach the collective's end, so that the delay counts as reaching it almost whole."""

_CROSSING_LIMIT: Final = 2.5
"""Crossings per collective above which the path crosses more than once each way."""


def of_delayed_hops(rows: Rows) -> Sentence | None:
    """Say how much of the delays reached the ends of their collectives. `rows` are those of `analyze delayed-hops`, the
    longest delay first."""
    if not rows:
        return None
    costliest = max(rows, key=lambda row: row["moved_ns"])
    if not costliest["moved_ns"]:
        return Sentence("No delayed hop moved the end of its collective.")
    whole_count = sum(row["amplification"] >= _WHOLE_DELAY for row in rows)
    return Sentence(
        f"One delayed hop, {costliest['src']} → {costliest['dst']} in {costliest['collective']}, made its collective "
        f"{duration(costliest['moved_ns'])} longer.",
        f"{number(whole_count)} of the {plural(len(rows), 'longest delay')} reached the end almost whole.",
    )


def of_wan_share(rows: Rows) -> Sentence | None:
    """Say how much of the critical path lies between clusters. `rows` are those of `analyze wan-share`."""
    path = next((row for row in rows if row["scope"] == "critical_path"), None)
    if path is None or path["share"] is None:
        return None
    instead = (
        "; a tree that gathers each cluster first crosses once each way" if path["crossings"] > _CROSSING_LIMIT else ""
    )
    return Sentence(
        f"{share(path['share'])} of the run's critical path is spent on hops between clusters.",
        f"Per collective, it crosses between clusters {number(path['crossings'])} times{instead}.",
    )
