"""Whom the others wait for, and how each rank is late."""

from collections.abc import Sequence
from typing import Final

from hopscope.findings.finding import LEAST_COST, WORTH_SAYING, Finding, Row, each, named, of_ranks
from hopscope.quantities import duration, number, plural, share

_TOO_FEW: Final = "At least 13 are needed for an interval."

_HOW: Final = {
    "always": "always late",
    "rotating": "late in turn",
    "sometimes": "sometimes late",
    "spikes": "late in single spikes",
}
"""The classes of late-ranks that say somebody is late, the gravest first, which counts where two cost the same."""


def of_arrivals(rows: Sequence[Row]) -> Finding | None:
    """Name the ranks that the others wait for. Rows as last-arrivals gives them by rank."""
    counted = [row for row in rows if row["collectives"]]
    if not counted:
        return None
    more = "last-arrivals"
    causes = sorted((row for row in counted if row["cause"]), key=lambda row: -(row["cause_share"] or 0))
    late = sorted((row for row in counted if row["late"]), key=lambda row: -(row["share"] or 0))
    if causes:
        return _of_causes(causes, late)
    if (finding := _of_suspects(counted)) is not None:
        return finding
    if late:
        sentence = "No rank's computing makes the others wait more often than by chance."
        return Finding("late", "note", sentence, _of_late(late, counted), more, 0, "share", part=of_ranks(late))
    if all(row["cause"] is None for row in counted):
        sentence = "The trace has too few collectives to tell whether a rank makes the others wait."
        return Finding("too-few", "undecided", sentence, _TOO_FEW, more, unit="share")
    evidence = _nobody(counted)
    if max((row["undecided"] or 0 for row in counted), default=0) > WORTH_SAYING:
        evidence += " The clocks cannot decide part of the collectives."
    return Finding("chance", "fine", "No rank is last often enough to blame.", evidence, more, 0, "share")


def _nobody(rows: Sequence[Row]) -> str:
    """Say which rank is last most often, beside chance."""
    first = max(rows, key=lambda row: row["share"] or 0)
    return (
        f"Rank {first['rank']} is last most often, in {share(first['share'])} of its collectives; chance gives "
        f"{share(first['chance'])}, and for one of {plural(len(rows), 'rank')} this is not clearly more."
    )


def _of_causes(causes: Sequence[Row], late: Sequence[Row]) -> Finding:
    first = causes[0]
    whose = "its computing" if len(causes) == 1 else f"the computing of rank {first['rank']}"
    sentence = (
        f"{named(causes)} {'is' if len(causes) == 1 else 'are'} slow: {whose} led to the last arrival in "
        f"{share(first['cause_share'])} of the collectives."
    )
    if late:
        waiting = sum(row["waiting_ns"] or 0 for row in late)
        cost = f"; the others spent {duration(waiting)} waiting for {'it' if len(late) == 1 else 'them'}"
        evidence = f"{_entering(late)}, more often than by chance{cost if waiting else ''}."
    else:
        evidence = "No rank enters last more often than by chance."
    # Some rank is always last; what that costs is the excess computing on the critical path.
    cost_share = sum(row["cost_share"] for row in causes)
    excess = f"{share(cost_share)} of the critical path."
    cheap = cost_share < WORTH_SAYING
    evidence += f" It costs little: {excess}" if cheap else f" The excess computing takes {excess}"
    severity = "note" if cheap else "problem"
    value, part = first["cause_share"], of_ranks(causes)
    return Finding("slow", severity, sentence, evidence, "last-arrivals", value, "share", cost_share, part)


def _of_suspects(rows: Sequence[Row]) -> Finding | None:
    """Say of whom the collectives are too few to be sure, or whose computing the others wait for without much cost."""
    suspects = [row for row in rows if row["cause"] is None and (row["cost_share"] or 0) >= WORTH_SAYING]
    cheap_causes = [
        row for row in rows if row["cause"] is False and (row["cause_low"] or 0) > (row["cause_chance"] or 1)
    ]
    if not suspects and not cheap_causes:
        return None
    row = max(suspects or cheap_causes, key=lambda row: row["cost_share"] or 0)
    evidence = (
        f"Rank {row['rank']}'s computing led to the last arrival in {share(row['cause_share'])} of "
        f"{plural(row['collectives'], 'collective')} and takes {share(row['cost_share'] or 0)} of the critical path."
    )
    if suspects:
        sentence = f"Rank {row['rank']} may be slow: the collectives are too few to be sure."
        return Finding("too-few", "undecided", sentence, evidence, "last-arrivals", unit="share", part=of_ranks([row]))
    sentence = "No rank's computing costs the others much."
    return Finding("little", "fine", sentence, evidence, "last-arrivals", 0, "share")


def _of_late(late: Sequence[Row], ranks: Sequence[Row]) -> str:
    """Say who enters last, which is no blame, and whom the tree lets go last."""
    said = f"{_entering(late)}, more often than by chance, but not through slow computing."
    # A share of its own base: of all collectives, those whose last arrival goes back to this rank's late release.
    released = sorted(
        (row for row in ranks if (row.get("released_share") or 0) >= WORTH_SAYING),
        key=lambda row: -row["released_share"],
    )
    if not released:
        return said
    if len(released) == 1:
        first = released[0]
        return (
            f"{said} In {share(first['released_share'])} of all collectives, the last arrival goes back to rank "
            f"{first['rank']}, which the collective before let go last: the collective's doing, not the rank's."
        )
    return (
        f"{said} The last arrivals go back to ranks that the collective before let go last "
        f"({each(released, 'released_share')} of all collectives): the collective's doing, not the ranks'."
    )


def _entering(late: Sequence[Row]) -> str:
    """Begin a sentence on those that enter last, each with its share of the collectives that it takes part in."""
    if len(late) == 1:
        return f"Rank {late[0]['rank']} enters last in {share(late[0]['share'])} of its collectives"
    return f"{named(late)} enter last ({each(late, 'share')} of its own collectives)"


def of_late_ranks(rows: Sequence[Row], least_ms: float | None, path_ns: int) -> Finding | None:
    """Name the ranks of the class of the one whose lateness adds up to most, the costliest first.

    Rows as late-ranks gives them; `least_ms` is the limit if it was given, `path_ns` the length of the run's critical
    path, 0 if there is none.
    """
    if not rows:
        return None
    more = "late-ranks" if least_ms is None else f"late-ranks --least-ms {number(least_ms)}"
    if all(row["class"] is None for row in rows):
        sentence = "The trace has too few collectives to tell how a rank is late."
        return Finding("too-few", "undecided", sentence, _TOO_FEW, more, unit="ns")
    classes = [*_HOW]
    late = sorted(
        (row for row in rows if row["class"] in _HOW),
        key=lambda row: (-_late_altogether(row), classes.index(row["class"])),
    )
    dear = [row for row in late if _late_altogether(row) >= LEAST_COST * path_ns]
    if dear:
        kind = dear[0]["class"]
        found = [row for row in dear if row["class"] == kind]
        first = found[0]
        who = "By" if len(found) == 1 else f"Most of all rank {first['rank']}: by"
        return Finding(
            kind,
            "note",
            f"{named(found)} {'is' if len(found) == 1 else 'are'} {_HOW[kind]}.",
            f"{who} {duration(first['typical_ns'])} where it is, in {share(first['share'])} of its collectives, "
            f"{duration(first['worst_ns'])} at worst.",
            more,
            first["typical_ns"],
            "ns",
            _late_altogether(first) / path_ns if path_ns else None,
            of_ranks(found),
        )
    if late:
        first, cost = late[0], _late_altogether(late[0])
        evidence = (
            f"Rank {first['rank']} is late most, in {share(first['share'])} of its collectives: {duration(cost)} "
            f"altogether, {share(cost / path_ns)} of the critical path."
        )
        return Finding("little", "fine", "No rank is late enough to matter.", evidence, more, first["typical_ns"], "ns")
    collectives = max(row["collectives"] for row in rows)
    evidence = (
        f"In none of {plural(collectives, 'collective')} did one compute {duration(rows[0]['limit_ns'])} longer than "
        "the faster members."
    )
    return Finding("never", "fine", "No rank is late.", evidence, more, 0, "ns")


def _late_altogether(row: Row) -> float:
    """About how long, in ns, a rank was late in all its collectives together."""
    return float(row["share"] * row["collectives"] * row["typical_ns"])
