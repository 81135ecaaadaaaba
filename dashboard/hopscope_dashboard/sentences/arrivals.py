"""Whom the others wait for, and how each rank is late."""

from typing import Final

from hopscope.format.quantities import duration, plural, share

from hopscope_dashboard.data import Row, Rows
from hopscope_dashboard.sentences.sentence import LEAST_COST, WORTH_SAYING, Sentence, each, named, of_ranks

_TOO_FEW: Final = "At least 13 are needed for an interval."

_HOW: Final = {
    "always": "always late",
    "rotating": "late in turn",
    "sometimes": "sometimes late",
    "spikes": "late in single spikes",
}
"""The classes of late-ranks that say somebody is late, the gravest first, which counts where two cost the same."""


def of_arrivals(rows: Rows) -> Sentence | None:
    """Name the ranks that the others wait for. Rows as last-arrivals gives them by rank."""
    counted = [row for row in rows if row["collectives"]]
    if not counted:
        return None
    causes = sorted((row for row in counted if row["cause"]), key=lambda row: -(row["cause_share"] or 0))
    late = sorted((row for row in counted if row["late"]), key=lambda row: -(row["share"] or 0))
    if causes:
        return _of_causes(causes)
    if (sentence := _of_suspects(counted)) is not None:
        return sentence
    if late:
        return _of_late(late, counted)
    if all(row["cause"] is None for row in counted):
        return Sentence("The trace has too few collectives to tell whether a rank makes the others wait.", _TOO_FEW)
    first = max(counted, key=lambda row: row["share"] or 0)
    evidence = (
        f"Rank {first['rank']} is last most often, in {share(first['share'])} of its collectives (chance: "
        f"{share(first['chance'])})."
    )
    if max((row["undecided"] or 0 for row in counted), default=0) > WORTH_SAYING:
        evidence += " The clocks cannot decide part of the collectives."
    return Sentence("No rank is last often enough to blame.", evidence)


def _of_causes(causes: Rows) -> Sentence:
    first = causes[0]
    whose = "its computing" if len(causes) == 1 else f"the computing of rank {first['rank']}"
    # Some rank is always last; what that costs is the excess computing on the critical path.
    return Sentence(
        f"{named(causes)} {'is' if len(causes) == 1 else 'are'} slow: {whose} led to the last arrival in "
        f"{share(first['cause_share'])} of the collectives.",
        f"The excess computing takes {share(sum(row['cost_share'] for row in causes))} of the critical path.",
        of_ranks(causes),
    )


def _of_suspects(rows: Rows) -> Sentence | None:
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
        text = f"Rank {row['rank']} may be slow: the collectives are too few to be sure."
        return Sentence(text, evidence, of_ranks([row]))
    return Sentence("No rank's computing costs the others much.", evidence)


def _of_late(late: Rows, ranks: Rows) -> Sentence:
    """Say who enters last without blame, and whom the previous collective released last."""
    if len(late) == 1:
        text = f"Rank {late[0]['rank']} enters last in {share(late[0]['share'])} of its collectives"
    else:
        text = f"{named(late)} enter last ({each(late, 'share')} of its own collectives)"
    # A share of its own base: of all collectives, those whose last arrival goes back to this rank's late release.
    released = sorted(
        (row for row in ranks if (row.get("released_share") or 0) >= WORTH_SAYING),
        key=lambda row: -row["released_share"],
    )
    evidence = ""
    if released:
        those = f"rank {released[0]['rank']}, which" if len(released) == 1 else "ranks that"
        how_often = share(released[0]["released_share"]) if len(released) == 1 else each(released, "released_share")
        evidence = f"The last arrivals go back to {those} the previous collective released last ({how_often} of all)."
    return Sentence(f"{text}, but not through slow computing.", evidence, of_ranks(late))


def of_late_ranks(rows: Rows, path_ns: int) -> Sentence | None:
    """Name the ranks of the class of the one whose lateness adds up to most, the costliest first.

    Rows as late-ranks gives them; `path_ns` is the length of the run's critical path, 0 if there is none.
    """
    if not rows:
        return None
    if all(row["class"] is None for row in rows):
        return Sentence("The trace has too few collectives to tell how a rank is late.", _TOO_FEW)
    classes = [*_HOW]
    late = sorted(
        (row for row in rows if row["class"] in _HOW),
        key=lambda row: (-_late_altogether(row), classes.index(row["class"])),
    )
    dear = [row for row in late if _late_altogether(row) >= LEAST_COST * path_ns]
    if dear:
        costliest = [row for row in dear if row["class"] == dear[0]["class"]]
        first = costliest[0]
        who = "By" if len(costliest) == 1 else f"Most of all rank {first['rank']}: by"
        return Sentence(
            f"{named(costliest)} {'is' if len(costliest) == 1 else 'are'} {_HOW[first['class']]}.",
            f"{who} {duration(first['typical_ns'])} in {share(first['share'])} of its collectives, "
            f"{duration(first['worst_ns'])} at worst.",
            of_ranks(costliest),
        )
    if late:
        first, cost = late[0], _late_altogether(late[0])
        evidence = (
            f"Rank {first['rank']} is late most, in {share(first['share'])} of its collectives: {duration(cost)} "
            f"altogether, {share(cost / path_ns)} of the critical path."
        )
        return Sentence("No rank is late enough to matter.", evidence)
    collectives = max(row["collectives"] for row in rows)
    return Sentence(
        "No rank is late.",
        f"In none of {plural(collectives, 'collective')} did one compute {duration(rows[0]['limit_ns'])} longer than "
        "the faster members.",
    )


def _late_altogether(row: Row) -> float:
    """About how long, in ns, a rank was late in all its collectives together."""
    return float(row["share"] * row["collectives"] * row["typical_ns"])
