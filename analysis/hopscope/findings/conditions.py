"""What spoils every other number: a run that did not finish, cores that ranks share. It comes before all findings."""

from collections.abc import Sequence
from typing import Final

from hopscope.findings.finding import Finding, Row, Severity

CONDITIONS: Final = ("unfinished", "cores")
"""Kinds of caveats, in the order in which they are said."""

_SEVERITIES: Final[dict[str, Severity]] = {"unfinished": "problem", "cores": "note"}


def of_condition(kind: str, caveats: Sequence[Row]) -> Finding | None:
    """Give a condition as a finding. Rows as caveats gives them; the first sentence is the finding's."""
    text = next((str(row["sentence"]) for row in caveats if row["kind"] == kind), None)
    if text is None:
        return None
    sentence, period, rest = text.partition(". ")
    return Finding(kind, _SEVERITIES[kind], sentence + ("." if period else ""), rest, "caveats")
