"""Which algorithms the collectives ran by, how often they cross between clusters, and whether they are what the user's
settings ask for."""

from typing import Final

from hopscope.format.quantities import number, plural

from hopscope_dashboard.data import UNRECOGNISED, Rows
from hopscope_dashboard.sentences.sentence import Sentence

_WHO: Final = {"native": "The MPI library", "tree": "Hopscope's engine"}


def of_algorithms(rows: Rows, clusters: int) -> Sentence | None:
    """Name the algorithm that crosses most between clusters, or else the one that ran most often.

    Rows as algorithms gives them; `clusters` is how many the run has.
    """
    if not rows:
        return None
    known = [row for row in rows if row["crossings"] is not None]
    collectives = sum(row["collectives"] for row in rows)
    if not known:
        return Sentence("The messages of the collectives fit no algorithm that Hopscope knows.")
    first = max(known, key=lambda row: (row["crossings"] if clusters > 1 else 0, row["collectives"]))
    crossing = ""
    if clusters > 1 and first["crossings"]:
        times = plural(first["crossings"], "time")
        crossing = f", which crosses between clusters {times}{' in a row' if first['crossings'] > 1 else ''}"
    evidence = f"{number(first['collectives'])} of {plural(collectives, 'collective')}."
    unknown = collectives - sum(row["collectives"] for row in known)
    if unknown:
        evidence += f" In {number(unknown)} the messages fit no algorithm that Hopscope knows."
    return Sentence(
        f"{_WHO[first['source']]} ran {first['op']} as {first['algorithm']}{crossing}.",
        evidence,
        {"operation": first["op"]},
    )


def of_settings(rows: Rows) -> Sentence | None:
    """Name the collectives that ran otherwise most often. Rows as algorithms gives them; None if nothing was asked
    for."""
    asked = [row for row in rows if row["asked"] is not None]
    if not asked:
        return None
    collectives = f"{plural(sum(row['collectives'] for row in asked), 'collective')} for which they ask"
    wrong = [row for row in asked if row["obeyed"] == "no"]
    if not wrong:
        known = sum(row["collectives"] for row in asked if row["obeyed"] == "yes")
        if not known:
            reasons = "; ".join(dict.fromkeys(row["why"] for row in asked if row["why"]))
            text = "Whether the MPI library ran the algorithms that your settings ask for cannot be told."
            return Sentence(text, f"{reasons[:1].upper()}{reasons[1:]}." if reasons else "")
        text = "The MPI library ran the algorithms that your settings ask for."
        return Sentence(text, f"{number(known)} of {collectives}.")
    most = max(wrong, key=lambda row: row["collectives"])
    otherwise = sum(row["collectives"] for row in wrong)
    ran = "otherwise" if most["algorithm"] == UNRECOGNISED else f"as {most['algorithm']}"
    first = min(wrong, key=lambda row: row["since_ns"])["first"]
    return Sentence(
        f"The MPI library did not follow your settings: {most['op']} ran {ran}, not as {most['asked']}"
        + (f", because {most['why']}." if most["why"] else "."),
        f"{number(otherwise)} of {collectives}; the first is {first}.",
        {"operation": most["op"]},
    )
