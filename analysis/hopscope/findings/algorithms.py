"""Which algorithms the collectives ran by, and how often they cross between clusters."""

from collections.abc import Sequence
from typing import Final

from hopscope.findings.finding import Finding, Row, Run
from hopscope.quantities import number, plural

_WHO: Final = {"native": "The MPI library", "tree": "Hopscope's engine"}


def of_algorithms(rows: Sequence[Row], run: Run) -> Finding | None:
    """Name the algorithm that crosses most between clusters, or else the one that ran most often.

    Rows as algorithms gives them.
    """
    if not rows:
        return None
    more, unit = "algorithms", "crossings"
    known = [row for row in rows if row["crossings"] is not None]
    collectives = sum(row["collectives"] for row in rows)
    if not known:
        sentence = "The messages of the collectives fit no algorithm that Hopscope knows."
        evidence = f"{plural(collectives, 'collective')} examined."
        return Finding("unrecognised", "undecided", sentence, evidence, more, unit=unit)
    first = max(known, key=lambda row: (row["crossings"] if run.clusters > 1 else 0, row["collectives"]))
    crosses = run.clusters > 1 and first["crossings"] > 0
    sentence = f"{_WHO[first['source']]} ran {first['op']} as {first['algorithm']}"
    if crosses:
        times = plural(first["crossings"], "time")
        sentence += f", which crosses between clusters {times}{' in a row' if first['crossings'] > 1 else ''}"
    evidence = (
        f"{number(first['collectives'])} of {plural(collectives, 'collective')}, "
        f"{plural(first['messages'], 'message')} each, {number(first['depth'])} of them in sequence."
    )
    unknown = collectives - sum(row["collectives"] for row in known)
    if unknown:
        evidence += f" In {number(unknown)} the messages fit no algorithm that Hopscope knows."
    verdict = first["algorithm"]
    value, part = first["crossings"] if run.clusters > 1 else 0, f"--operation {first['op']}"
    return Finding(verdict, "note", f"{sentence}.", evidence, more, value, unit, part=part)
