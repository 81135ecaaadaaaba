"""A page's first answer, how it is drawn, and words that several sentences share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dash import html
from hopscope.format.quantities import in_words, share

from hopscope_dashboard.components import blocks
from hopscope_dashboard.components.mark import mark
from hopscope_dashboard.data.trace import Row, Rows, TraceData, shortened_list
from hopscope_dashboard.navigation.address import link

WORTH_SAYING: Final = 0.1
"""Share of the critical path, or of the collectives, below which nothing is said."""

LEAST_COST: Final = 0.01
"""Share of the run's critical path below which a rank's total lateness, or noise, does not matter."""

_RANK_LIMIT: Final = 8
"""Largest number of ranks that are named; the rest is only counted."""


@dataclass(frozen=True)
class Sentence:
    """An answer, the numbers behind it, and the part of the run that it is about, as parameters of an address."""

    text: str
    evidence: str = ""
    part: Mapping[str, str] = field(default_factory=dict[str, str])


def lead(*sentences: Sentence | None) -> list[Any]:
    """Give sentences as a page's lead, each with a link that selects its part of the run."""
    words: list[Any] = []
    for sentence in sentences:
        if sentence is not None:
            words += [html.Strong(blocks.with_code(sentence.text)), " ", *blocks.with_code(sentence.evidence)]
            words += _select(sentence.part)
    return words


def _select(part: Mapping[str, str]) -> list[Any]:
    names = {name: name if "," in value else name.removesuffix("s") for name, value in part.items()}
    target = " and ".join(f"{names[name]} {value}" for name, value in part.items())
    select = mark(f"Select {target}", link("", **part), f"select {target}")
    return [" ", html.Span(select, className="select-it"), " "] if part else []


def path_ns(data: TraceData) -> int:
    """Give the length of the run's critical path without start-up and shutdown; 0 if there is none."""
    return sum(row["time_ns"] or 0 for row in data.rows_or_none("critical-path"))


def rank_names(rows: Rows, word: str = "Rank") -> str:
    """Write ranks as `Rank 3` or `Ranks 1, 2 and 4`; of many ranks only the first are named."""
    names = [str(row["rank"]) for row in rows]
    if len(names) > _RANK_LIMIT:
        return f"{word}s {shortened_list(names, _RANK_LIMIT)}"
    return f"{word if len(names) == 1 else word + 's'} {in_words(names)}"


def of_ranks(rows: Sequence[Row]) -> dict[str, str]:
    """Give the parameters of the address that select these ranks."""
    return {"ranks": ",".join(str(rank) for rank in sorted(row["rank"] for row in rows))}


def shares_by_rank(rows: Rows, column: str) -> str:
    """Write `rank 7 in 59.0 %, rank 6 in 35.0 %` from a column of shares; of many ranks only the first are named."""
    return shortened_list([f"rank {row['rank']} in {share(row[column])}" for row in rows], _RANK_LIMIT)
