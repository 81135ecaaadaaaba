"""What late ranks, periods of noise and delayed hops mean, in sentences: from rows of their analyses to findings."""

from collections.abc import Sequence
from typing import Any, Final

from hopscope_dashboard import units
from hopscope_dashboard.findings import Finding, named
from hopscope_dashboard.palette import CATEGORY_COLOURS, LATENESS_CLASS_COLOURS, UNDECIDED_COLOUR

Row = dict[str, Any]

_THROUGH: Final = 0.95
"""Of a delay so much has to reach the end to be called nearly whole."""

_HOW: Final = {
    "always": "always late",
    "rotating": "late by turns",
    "sometimes": "sometimes late",
    "spikes": "late in single spikes",
}


def of_late_ranks(rows: Sequence[Row], limit: str) -> Finding:
    """Name the ranks of the gravest class. Rows as late-ranks gives them; `limit` says how much makes a rank late."""
    page = ("/late-ranks", "See late ranks")
    if all(row["class"] is None for row in rows):
        return Finding(
            "How a rank is late cannot be told: there are too few collectives.",
            "At least 13 are needed for an interval.",
            UNDECIDED_COLOUR,
            *page,
        )
    for kind, how in _HOW.items():
        found = sorted((row for row in rows if row["class"] == kind), key=lambda row: -(row["typical_ns"] or 0))
        if found:
            first = found[0]
            text = f"{named(found)} {'is' if len(found) == 1 else 'are'} {how}."
            who = "By" if len(found) == 1 else f"Most of all rank {first['rank']}: by"
            why = (
                f"{who} {units.duration(first['typical_ns'])} where it is, in {units.share(first['share'])} of its "
                f"collectives, {units.duration(first['worst_ns'])} at worst."
            )
            return Finding(text, why, LATENESS_CLASS_COLOURS[kind], *page)
    collectives = max(row["collectives"] for row in rows)
    why = f"In none of {units.plural(collectives, 'collective')} did one compute {limit} longer than the median member."
    return Finding("No rank is late.", why, UNDECIDED_COLOUR, *page)


def of_periods(rows: Sequence[Row]) -> Finding:
    """Name the ranks whose noise has a period. Rows as noise-periods gives them."""
    page = ("/noise-periods", "See noise periods")
    found = sorted((row for row in rows if row["periodic"]), key=lambda row: -row["explained"])
    if found:
        first = found[0]
        every = "Every" if len(found) == 1 else f"Clearest on rank {first['rank']}: every"
        text = f"The noise of {named(found, 'rank')} comes with a period."
        why = (
            f"{every} {units.duration(first['period_ns'])}, to {units.duration(first['resolution_ns'])}, with "
            f"{units.share(first['explained'])} of the noise's variance. "
        )
        own = first["whole_iterations"]
        why += (
            "That is no whole number of iterations, so it does not come from the program's loop."
            if own is None
            else f"The run cannot tell that from {units.plural(own, 'iteration')}, so it may be the program's own."
        )
        return Finding(text, why, CATEGORY_COLOURS["compute"], *page)
    judged = [row for row in rows if row["periodic"] is not None]
    if not judged:
        return Finding(
            "Whether noise has a period cannot be told.",
            "No rank has enough iterations with noise in them.",
            UNDECIDED_COLOUR,
            *page,
        )
    why = f"Looked at {units.plural(len(judged), 'rank')}: none has a peak that noise without a period would not show."
    return Finding("No rank's noise comes with a period.", why, UNDECIDED_COLOUR, *page)


def of_delayed_hops(rows: Sequence[Row]) -> Finding:
    """Say how much of the delays reached the end. Rows as delayed-hops gives them, the longest delay first."""
    page = ("/delayed-hops", "See delayed hops")
    most = max(rows, key=lambda row: row["moved_ns"])
    if not most["moved_ns"]:
        return Finding(
            "No delayed hop moved the end of its collective.",
            "All that they delayed was absorbed, or moved only ranks that were not the last to leave.",
            UNDECIDED_COLOUR,
            *page,
        )
    text = (
        f"One delayed hop, {most['src']} → {most['dst']} in {most['collective']}, made its collective "
        f"{units.duration(most['moved_ns'])} longer."
    )
    through = sum(row["amplification"] >= _THROUGH for row in rows)
    why = (
        f"Of the {units.plural(len(rows), 'longest delay')}, {through} reached the end nearly whole; the rest of the "
        "others was absorbed, or moved only ranks that were not the last to leave."
    )
    return Finding(text, why, CATEGORY_COLOURS["wan"], *page)
