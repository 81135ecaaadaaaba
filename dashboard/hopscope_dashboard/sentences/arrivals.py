"""Sentences on the ranks that others wait for, and on how ranks are late."""

from typing import Final

from hopscope.format.quantities import duration, plural, share

from hopscope_dashboard.data.trace import Row, Rows
from hopscope_dashboard.sentences.sentence import (
    LEAST_COST,
    WORTH_SAYING,
    Sentence,
    of_ranks,
    rank_names,
    shares_by_rank,
)

_TOO_FEW: Final = "At least 13 are needed for an interval."

_LATENESS: Final = {
    "always": "always late",
    "rotating": "late in turn",
    "sometimes": "sometimes late",
    "spikes": "late in single spikes",
}
"""Classes of late-ranks that mean late, the gravest first: this order breaks ties in cost."""


def of_arrivals(rows: Rows) -> Sentence | None:
    """Name the ranks that the others wait for. `rows` are those of `analyze last-arrivals` by rank."""
    ranks = [row for row in rows if row["collectives"]]
    if not ranks:
        return None
    causes = sorted((row for row in ranks if row["cause"]), key=lambda row: -(row["cause_share"] or 0))
    late_ranks = sorted((row for row in ranks if row["late"]), key=lambda row: -(row["share"] or 0))
    if causes:
        return _of_causes(causes)
    if (sentence := _of_suspects(ranks)) is not None:
        return sentence
    if late_ranks:
        return _of_last_ranks(late_ranks, ranks)
    if all(row["cause"] is None for row in ranks):
        return Sentence("The trace has too few collectives to tell whether a rank makes the others wait.", _TOO_FEW)
    first = max(ranks, key=lambda row: row["share"] or 0)
    evidence = (
        f"Rank {first['rank']} is last most often, in {share(first['share'])} of its collectives (chance: "
        f"{share(first['chance'])})."
    )
    if max((row["undecided"] or 0 for row in ranks), default=0) > WORTH_SAYING:
        evidence += " The clocks cannot decide part of the collectives."
    return Sentence("No rank is last often enough to blame.", evidence)


def _of_causes(causes: Rows) -> Sentence:
    first = causes[0]
    cause = "its computing" if len(causes) == 1 else f"the computing of rank {first['rank']}"
    # Being last costs nothing by itself, because some rank is always last. The cost is the excess computing on the
    # critical path.
    return Sentence(
        f"{rank_names(causes)} {'is' if len(causes) == 1 else 'are'} slow: {cause} led to the last arrival in "
        f"{share(first['cause_share'])} of the collectives.",
        f"The excess computing takes {share(sum(row['cost_share'] for row in causes))} of the critical path.",
        of_ranks(causes),
    )


def _of_suspects(rows: Rows) -> Sentence | None:
    """Name a rank that may be slow but has too few collectives to be sure, or a slow rank that costs the others
    little."""
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


def _of_last_ranks(last_ranks: Rows, ranks: Rows) -> Sentence:
    """Name ranks that enter last, but not because of their computing, and ranks that the previous collective released
    last."""
    if len(last_ranks) == 1:
        text = f"Rank {last_ranks[0]['rank']} enters last in {share(last_ranks[0]['share'])} of its collectives"
    else:
        text = f"{rank_names(last_ranks)} enter last ({shares_by_rank(last_ranks, 'share')} of its own collectives)"
    # A share of all collectives, not only of the rank's own: it counts every last arrival that goes back to this rank's
    # late release.
    released = sorted(
        (row for row in ranks if (row.get("released_share") or 0) >= WORTH_SAYING),
        key=lambda row: -row["released_share"],
    )
    evidence = ""
    if released:
        origin = f"rank {released[0]['rank']}, which" if len(released) == 1 else "ranks that"
        frequency = (
            share(released[0]["released_share"]) if len(released) == 1 else shares_by_rank(released, "released_share")
        )
        evidence = f"The last arrivals go back to {origin} the previous collective released last ({frequency} of all)."
    return Sentence(f"{text}, but not through slow computing.", evidence, of_ranks(last_ranks))


def of_late_ranks(rows: Rows, path_ns: int) -> Sentence | None:
    """Name the late ranks that have the class of the costliest rank, the costliest first.

    `rows` are those of `analyze late-ranks`; `path_ns` is the length of the run's critical path, 0 if there is none.
    """
    if not rows:
        return None
    if all(row["class"] is None for row in rows):
        return Sentence("The trace has too few collectives to tell how a rank is late.", _TOO_FEW)
    classes = [*_LATENESS]
    late_ranks = sorted(
        (row for row in rows if row["class"] in _LATENESS),
        key=lambda row: (-_late_altogether(row), classes.index(row["class"])),
    )
    dear = [row for row in late_ranks if _late_altogether(row) >= LEAST_COST * path_ns]
    if dear:
        costliest = [row for row in dear if row["class"] == dear[0]["class"]]
        first = costliest[0]
        opening = "By" if len(costliest) == 1 else f"Most of all rank {first['rank']}: by"
        return Sentence(
            f"{rank_names(costliest)} {'is' if len(costliest) == 1 else 'are'} {_LATENESS[first['class']]}.",
            f"{opening} {duration(first['typical_ns'])} in {share(first['share'])} of its collectives, "
            f"{duration(first['worst_ns'])} at worst.",
            of_ranks(costliest),
        )
    if late_ranks:
        first, cost = late_ranks[0], _late_altogether(late_ranks[0])
        evidence = (
            f"Rank {first['rank']} is late most, in {share(first['share'])} of its collectives: {duration(cost)} "
            f"altogether, {share(cost / path_ns)} of the critical path."
        )
        return Sentence("No rank is late enough to matter.", evidence)
    collectives = max(row["collectives"] for row in rows)
    return Sentence(
        "No rank is late.",
        f"In none of {plural(collectives, 'collective')} did a rank compute {duration(rows[0]['limit_ns'])} longer "
        "than the faster members.",
    )


def _late_altogether(row: Row) -> float:
    """Estimates the total lateness of a rank over its collectives, in ns."""
    return float(row["share"] * row["collectives"] * row["typical_ns"])
