"""What delayed hops did, and how much of the critical path lies between clusters."""

from typing import Final

from hopscope.format.quantities import duration, number, plural, share

from hopscope_dashboard.data import Rows
from hopscope_dashboard.sentences.sentence import Sentence

_THROUGH: Final = 0.95
"""Of a delay so much has to reach the end to be called almost whole."""

_FEW: Final = 2.5
"""More crossings in a collective than this are more than once each way."""


def of_delayed_hops(rows: Rows) -> Sentence | None:
    """Say how much of the delays reached the end. Rows as delayed-hops gives them, the longest delay first."""
    if not rows:
        return None
    most = max(rows, key=lambda row: row["moved_ns"])
    if not most["moved_ns"]:
        return Sentence("No delayed hop moved the end of its collective.")
    through = sum(row["amplification"] >= _THROUGH for row in rows)
    return Sentence(
        f"One delayed hop, {most['src']} → {most['dst']} in {most['collective']}, made its collective "
        f"{duration(most['moved_ns'])} longer.",
        f"{number(through)} of the {plural(len(rows), 'longest delay')} reached the end almost whole.",
    )


def of_wan_share(rows: Rows) -> Sentence | None:
    """Say how much of the critical path lies between clusters. Rows as wan-share gives them."""
    path = next((row for row in rows if row["scope"] == "critical_path"), None)
    if path is None or path["share"] is None:
        return None
    instead = "; a tree that gathers each cluster first crosses once each way" if path["crossings"] > _FEW else ""
    return Sentence(
        f"{share(path['share'])} of the run's critical path is spent on hops between clusters.",
        f"Per collective, it crosses between clusters {number(path['crossings'])} times{instead}.",
    )
