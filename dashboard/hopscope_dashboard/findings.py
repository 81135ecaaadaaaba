"""What the numbers of a trace mean, in sentences.

From the rows of analyses to findings, each with the page that shows more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopscope_dashboard import units
from hopscope_dashboard.palette import CATEGORY_COLOURS, UNDECIDED_COLOUR

Row = dict[str, Any]

_WORDS = {
    "compute": "on computing, outside all MPI",
    "local": "inside collectives but on ranks, combining and in software",
    "shm": "on hops within a host",
    "lan": "on hops between hosts of one cluster",
    "wan": "on hops between clusters",
    "native": "in collectives that the MPI library ran, of which no hops are known",
    "p2p": "on the application's own messages and the waits for them",
    "mpi": "in other MPI, such as starting and finishing",
    "unrecorded": "where the program had stopped the recording, so that nothing is known",
}
"""Ends the sentence `the critical path spends 41 % ...`."""

_SHORT = {
    "compute": "computing",
    "local": "work on ranks inside collectives",
    "shm": "hops within a host",
    "lan": "hops between hosts of one cluster",
    "wan": "hops between clusters",
    "native": "collectives that the MPI library ran",
    "p2p": "the application's own messages",
    "mpi": "other MPI",
    "unrecorded": "time that is not recorded",
}
"""Names a category in an enumeration."""

_PAGES = {
    "compute": ("/noise?show=computing", "See computing by rank and iteration"),
    "local": ("/collectives?order=worst", "See the slowest collectives"),
    "shm": ("/tree", "See which edges weigh"),
    "lan": ("/tree", "See which edges weigh"),
    "wan": ("/wan-share", "See the WAN share"),
    "native": ("/collectives?order=worst", "See the slowest collectives"),
}
"""The page that shows more of a category; none does of what is outside collectives and computing."""

_WORTH_SAYING = 0.1
"""Share of the critical path from which on a second category is mentioned."""

_NAMED = 8
"""So many ranks are named before the rest is counted."""


@dataclass(frozen=True)
class Finding:
    """One finding: a sentence, the numbers behind it, and where it is shown."""

    text: str
    why: str
    colour: str
    path: str
    """Address of the page that shows more; empty if none does."""
    link: str


def of_critical_path(rows: Sequence[Row]) -> Finding | None:
    """Say where most of the run's critical path goes. Rows as critical-path gives them by category."""
    known = sorted((row for row in rows if row["share"]), key=lambda row: -row["share"])
    if not known:
        return None
    first, rest = known[0], [row for row in known[1:] if row["share"] >= _WORTH_SAYING]
    text = f"{units.share(first['share'])} of the critical path goes {_WORDS[first['category']]}."
    total = sum(row["time_ns"] for row in known)
    why = f"{units.duration(first['time_ns'])} of {units.duration(total)}"
    if first.get("share_low") is not None and first.get("share_high") is not None:
        why += f", 95 % interval {units.interval(first['share_low'], first['share_high'])}"
    if rest:
        why += "; then " + ", ".join(f"{_SHORT[row['category']]} {units.share(row['share'])}" for row in rest)
    page = _PAGES.get(first["category"], ("", ""))
    return Finding(text, why + ".", CATEGORY_COLOURS[first["category"]], *page)


def of_arrivals(rows: Sequence[Row], compute_share: float | None) -> Finding | None:
    """Name the ranks that the others wait for.

    Rows as last-arrivals gives them by rank; the share of computing on the run's critical path.
    """
    counted = [row for row in rows if row["collectives"]]
    if not counted:
        return None
    causes = sorted((row for row in counted if row["cause"]), key=lambda row: -(row["cause_share"] or 0))
    late = sorted((row for row in counted if row["late"]), key=lambda row: -(row["share"] or 0))
    page = ("/last-arrivals", "See last arrivals")
    if causes:
        return Finding(*_of_causes(causes, late, compute_share), CATEGORY_COLOURS["compute"], *page)
    if late:
        return Finding("No rank's computing makes the others wait.", _of_late(late, counted), UNDECIDED_COLOUR, *page)
    if all(row["cause"] is None for row in counted):
        return Finding(
            "Whether a rank makes the others wait cannot be told: there are too few collectives.",
            "At least 13 are needed for an interval.",
            UNDECIDED_COLOUR,
            *page,
        )
    undecided = max((row["undecided"] or 0 for row in counted), default=0)
    why = "Nobody's interval lies wholly above twice what chance would give."
    if undecided > _WORTH_SAYING:
        why += " The clocks cannot decide part of the collectives."
    return Finding("No rank is last clearly more often than chance would have it.", why, UNDECIDED_COLOUR, *page)


def _of_causes(causes: Sequence[Row], late: Sequence[Row], compute_share: float | None) -> tuple[str, str]:
    first = causes[0]
    text = (
        f"{named(causes)} {'is' if len(causes) == 1 else 'are'} slow: the computing of rank "
        f"{first['rank']} led to the "
        f"last arrival in {units.share(first['cause_share'])} of the collectives."
    )
    if late:
        why = f"{_entering(late)}, more often than by chance"
        waiting = sum(row["waiting_ns"] or 0 for row in late)
        why += (
            f"; the others spent {units.duration(waiting)} waiting for {'it' if len(late) == 1 else 'them'}."
            if waiting
            else "."
        )
    else:
        why = "Nobody enters last clearly more often than chance: others wait for it first and enter late themselves."
    # Somebody is always last; what it costs is what of the critical path is computing.
    if compute_share is not None and compute_share < _WORTH_SAYING:
        why += f" It costs little: computing is {units.share(compute_share)} of the critical path."
    return text, why


def _of_late(late: Sequence[Row], ranks: Sequence[Row]) -> str:
    """Say who enters last, which is no blame, and whom the tree lets go last."""
    said = f"{_entering(late)}, more often than by chance, but not through slow computing."
    # A share of its own base: of all collectives, those whose last arrival goes back to this rank's late release.
    released = sorted(
        (row for row in ranks if (row.get("released_share") or 0) >= _WORTH_SAYING),
        key=lambda row: -row["released_share"],
    )
    if not released:
        return said
    if len(released) == 1:
        first = released[0]
        return (
            f"{said} In {units.share(first['released_share'])} of all collectives, the last arrival goes back to rank "
            f"{first['rank']}, which the collective before let go last: the tree's doing, not the rank's."
        )
    return (
        f"{said} The last arrivals go back to ranks that the collective before let go last "
        f"({_each(released, 'released_share')} of all collectives): the tree's doing, not the ranks'."
    )


def _entering(late: Sequence[Row]) -> str:
    """Begin a sentence on those that enter last, each with its share of the collectives that it takes part in."""
    if len(late) == 1:
        return f"Rank {late[0]['rank']} enters last in {units.share(late[0]['share'])} of its collectives"
    return f"{named(late)} enter last ({_each(late, 'share')} of its own collectives)"


def _each(rows: Sequence[Row], column: str) -> str:
    shares = [f"rank {row['rank']} in {units.share(row[column])}" for row in rows[:_NAMED]]
    return ", ".join(shares) + (f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else "")


def of_noise(rows: Sequence[Row], path_ns: int) -> Finding | None:
    """Say how much computing took longer than usual.

    Rows as noise gives them, the last for any rank; `path_ns` is the length of the run's critical path.
    """
    anyone = next((row for row in rows if not str(row["rank"]).isdigit()), None)
    page = ("/noise", "See noise")
    if anyone is None or anyone["noise_ns"] is None:
        return Finding(
            "Noise cannot be told apart from varying work.",
            "No place in the program is reached often enough (20 times).",
            UNDECIDED_COLOUR,
            *page,
        )
    paid = anyone["paid_ns"] or 0
    late = anyone["late_1ms"] or 0
    if not late:
        return Finding(
            "Computing is steady: no iteration is 1 ms late through noise.",
            f"{units.plural(anyone['iterations'], 'iteration')} looked at.",
            UNDECIDED_COLOUR,
            *page,
        )
    text = (
        f"Noise makes some rank 1 ms late or more in {units.count(late)} of "
        f"{units.plural(anyone['iterations'], 'iteration')}."
    )
    why = f"{units.duration(paid)} of it were paid for on the critical path"
    why += f", {units.share(paid / path_ns)} of its length." if path_ns else "."
    return Finding(text, why, CATEGORY_COLOURS["compute"], *page)


def of_tree(
    edges: Sequence[Row], in_a_row: Mapping[str, int], clusters: int, wan_share: float | None
) -> Finding | None:
    """Say whether a better tree is likely, from its structure.

    `in_a_row` is the most crossings between clusters on any way to the root, by phase.
    """
    if not edges:
        return None
    most = max(in_a_row.values(), default=0)
    if clusters > 1 and most > 1 and (wan_share or 0) >= _WORTH_SAYING:
        text = (
            f"A better tree is likely: today's crosses between clusters up to {most} times in a row each "
            "way, where one crossing would do."
        )
        why = (
            f"Hops between clusters take {units.share(wan_share)} of the critical path; a tree that "
            "gathers each cluster first crosses once."
        )
        return Finding(text, why, CATEGORY_COLOURS["wan"], "/remap", "See what remapping gives")
    hops = sum(row["share"] or 0 for row in edges)
    text = "A much better tree is not to be expected from the structure alone."
    why = f"Hops take {units.share(hops)} of the critical path" + (
        f", and no way to the root crosses between clusters more than {'once' if most == 1 else 'never'}."
        if clusters > 1 and most <= 1
        else "."
    )
    if clusters > 1 and most == 0:
        why = f"Hops take {units.share(hops)} of the critical path, and none crosses between clusters."
    return Finding(text, why, UNDECIDED_COLOUR, "/remap", "See what remapping gives")


def without_collectives() -> Finding:
    """Say that the trace has nothing of what these pages are about."""
    return Finding(
        "This trace has no collective operation of MPI, so there are no arrivals and no trees to speak of.",
        "The pages about collectives have nothing to show; where its ranks' time went is below.",
        UNDECIDED_COLOUR,
        "",
        "",
    )


def without_hops() -> Finding:
    """Say that the trace knows whole calls only."""
    return Finding(
        "Nothing is known of what went on inside the collectives: this trace has no hops.",
        "Arrivals and noise are known; the way through a collective is not.",
        CATEGORY_COLOURS["native"],
        "/tree",
        "See how to get hops",
    )


def most_in_a_row(parents: Mapping[int, int | None], cluster_of: Mapping[int, str]) -> int:
    """Count the crossings between clusters on the way from each rank to the root; the most of them."""
    most = 0
    for rank in parents:
        at, crossed, steps = rank, 0, 0
        while (parent := parents.get(at)) is not None and steps <= len(parents):
            crossed += cluster_of.get(at) != cluster_of.get(parent)
            at, steps = parent, steps + 1
        most = max(most, crossed)
    return most


def named(rows: Sequence[Row], word: str = "Rank") -> str:
    """Write `Rank 3`, `Ranks 1, 2 and 4`; of many only the first."""
    names = [str(row["rank"]) for row in rows[:_NAMED]]
    more = len(rows) - len(names)
    if more:
        return f"{word}s {', '.join(names)} and {more} more"
    return f"{word} {names[0]}" if len(names) == 1 else f"{word}s {', '.join(names[:-1])} and {names[-1]}"
