"""Sentences on algorithms: how often they cross between clusters, and whether they follow the user's settings."""

from typing import Final

from hopscope.format.quantities import number, plural

from hopscope_dashboard.data.trace import UNRECOGNISED, Rows
from hopscope_dashboard.sentences.sentence import Sentence

_RUNNERS: Final = {"native": "The MPI library", "tree": "Hopscope's engine"}


def of_algorithms(rows: Rows, clusters: int) -> Sentence | None:
    """Name the algorithm that crosses most often between clusters; if none crosses, the most frequent algorithm.

    `rows` are those of `analyze algorithms`; `clusters` is the run's number of clusters.
    """
    if not rows:
        return None
    recognised_rows = [row for row in rows if row["crossings"] is not None]
    collectives = sum(row["collectives"] for row in rows)
    if not recognised_rows:
        return Sentence("The messages of the collectives fit no algorithm that Hopscope knows.")
    first = max(recognised_rows, key=lambda row: (row["crossings"] if clusters > 1 else 0, row["collectives"]))
    crossing = ""
    if clusters > 1 and first["crossings"]:
        times = plural(first["crossings"], "time")
        crossing = f", which crosses between clusters {times}{' in a row' if first['crossings'] > 1 else ''}"
    evidence = f"{number(first['collectives'])} of {plural(collectives, 'collective')}."
    unknown = collectives - sum(row["collectives"] for row in recognised_rows)
    if unknown:
        evidence += f" In {number(unknown)} the messages fit no algorithm that Hopscope knows."
    return Sentence(
        f"{_RUNNERS[first['source']]} ran {first['op']} as {first['algorithm']}{crossing}.",
        evidence,
        {"operation": first["op"]},
    )


def of_settings(rows: Rows) -> Sentence | None:
    """Name the operation that most often did not follow a setting of the user. `rows` are those of `analyze
    algorithms`. None if there is no setting."""
    requests = [row for row in rows if row["asked"] is not None]
    if not requests:
        return None
    collectives = f"{plural(sum(row['collectives'] for row in requests), 'collective')} for which they ask"
    wrong = [row for row in requests if row["obeyed"] == "no"]
    if not wrong:
        agreement_count = sum(row["collectives"] for row in requests if row["obeyed"] == "yes")
        if not agreement_count:
            reasons = "; ".join(dict.fromkeys(row["why"] for row in requests if row["why"]))
            text = "It is undecided whether the MPI library ran the algorithms that your settings ask for."
            return Sentence(text, f"{reasons[:1].upper()}{reasons[1:]}." if reasons else "")
        text = "The MPI library ran the algorithms that your settings ask for."
        return Sentence(text, f"{number(agreement_count)} of {collectives}.")
    commonest = max(wrong, key=lambda row: row["collectives"])
    violation_count = sum(row["collectives"] for row in wrong)
    manner = "otherwise" if commonest["algorithm"] == UNRECOGNISED else f"as {commonest['algorithm']}"
    first = min(wrong, key=lambda row: row["since_ns"])["first"]
    return Sentence(
        f"The MPI library did not follow your settings: {commonest['op']} ran {manner}, not as {commonest['asked']}"
        + (f", because {commonest['why']}." if commonest["why"] else "."),
        f"{number(violation_count)} of {collectives}; the first is {first}.",
        {"operation": commonest["op"]},
    )
