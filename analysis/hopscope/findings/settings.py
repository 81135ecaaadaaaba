"""Whether the MPI library ran the algorithms that the user's settings ask for."""

from collections.abc import Sequence

from hopscope.algorithms.recognition import UNRECOGNISED
from hopscope.findings.finding import Finding, Row
from hopscope.quantities import number, plural


def of_settings(rows: Sequence[Row]) -> Finding | None:
    """Name the collectives that ran otherwise most often. Rows as algorithms gives them; None if nothing was asked
    for."""
    asked = [row for row in rows if row["asked"] is not None]
    if not asked:
        return None
    collectives = sum(row["collectives"] for row in asked)
    wrong = [row for row in asked if row["obeyed"] == "no"]
    more, unit = "algorithms", "share"
    if not wrong:
        known = sum(row["collectives"] for row in asked if row["obeyed"] == "yes")
        if not known:
            sentence = "Whether the MPI library ran the algorithms that your settings ask for cannot be told."
            evidence = "; ".join([_of(collectives), *dict.fromkeys(row["why"] for row in asked if row["why"])])
            return Finding("undecided", "undecided", sentence, f"{evidence}.", more, unit=unit)
        sentence = "The MPI library ran the algorithms that your settings ask for."
        evidence = f"{number(known)} of {_of(collectives)}."
        return Finding("followed", "fine", sentence, evidence, more, 0.0, unit)
    most = max(wrong, key=lambda row: row["collectives"])
    otherwise = sum(row["collectives"] for row in wrong)
    ran = "otherwise" if most["algorithm"] == UNRECOGNISED else f"as {most['algorithm']}"
    sentence = f"The MPI library did not follow your settings: {most['op']} ran {ran}, not as {most['asked']}"
    sentence += f", because {most['why']}." if most["why"] else "."
    first = min(wrong, key=lambda row: row["since_ns"])["first"]
    evidence = f"{number(otherwise)} of {_of(collectives)}; the first is {first}."
    part = f"--operation {most['op']}"
    return Finding("ignored", "problem", sentence, evidence, more, otherwise / collectives, unit, part=part)


def _of(collectives: int) -> str:
    return f"{plural(collectives, 'collective')} for which they ask for an algorithm"
