"""Texts of a drawing: tooltips of edges and ranks, and names as they are drawn."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hopscope.format import quantities
from hopscope.format.rounds import spans

from hopscope_dashboard.palette import LINK_MEANINGS

_CHARACTER: Final = 8.6
"""Width of a character of a name, in pixels."""
_LONGEST_NAME: Final = 40
_CHILDREN_NAMED: Final = 12
_SPANS_NAMED: Final = 60
"""Largest number of characters that name a host's ranks."""


def of_edge(src: int, dst: int, link: str, row: Mapping[str, Any] | None) -> str:
    """Describe an edge and what it carried. `row` is its row of tree-edges, or of the edges of one collective, which
    has rounds. A row without `hops` means that the edge carried none; None means that the tree did not run."""
    text = f"Rank {src} to rank {dst} ({link}, {LINK_MEANINGS[link]})"
    if row is None:
        return f"{text}."
    if "hops" not in row:
        return f"{text}: carried no hop."
    return (
        f"{text}: {quantities.plural(row['hops'], 'hop')} of {quantities.duration(row['took_ns'])} (median); "
        f"{quantities.duration(row['time_ns'])} on the critical path, {quantities.share(row['share'])} of it."
    ) + (_in_rounds(row) if "rounds" in row else "")


def of_edges(count: int, src: str, dst: str, link: str, row: Mapping[str, Any] | None) -> str:
    """Say what all edges between the ranks of two hosts carried together. `row` has the sums over these edges."""
    text = f"{quantities.plural(count, 'edge')} from {src} to {dst} ({link}, {LINK_MEANINGS[link]})"
    return f"{text}." if row is None else f"{text}: {_carried(row)}."


def _carried(row: Mapping[str, Any]) -> str:
    if not row.get("hops"):
        return "carried no hop"
    return (
        f"{quantities.plural(row['hops'], 'hop')}; {quantities.duration(row['time_ns'])} on the critical path, "
        f"{quantities.share(row['share'])} of it"
    )


def _in_rounds(row: Mapping[str, Any]) -> str:
    rounds = row["rounds"].replace("-", " to ")
    is_plural = not row["rounds"].isdigit()
    return (
        f" {quantities.plural(row['messages'], 'message')} in each of "
        f"{quantities.plural(row['collectives'], 'collective')}, in {'rounds' if is_plural else 'round'} {rounds}; "
        f"{quantities.size(row['bytes'])} in all."
    )


def of_rank(row: Mapping[str, Any], parent: int | None, children: Sequence[int]) -> str:
    """Say where a rank is, and name its parent and children in the tree. `row` is its row of the table ranks."""
    parent_phrase = "It is the root" if parent is None else f"Its parent is rank {parent}"
    child_names = ", ".join(map(str, children[:_CHILDREN_NAMED]))
    remainder = f" and {len(children) - _CHILDREN_NAMED} more" if len(children) > _CHILDREN_NAMED else ""
    children_phrase = (
        f"its children are {child_names}{remainder}"
        if len(children) > 1
        else f"its child is {child_names}"
        if children
        else ""
    )
    family = "; ".join(filter(None, (parent_phrase, children_phrase)))
    return f"Rank {row['rank']} on {row['host']}, {row['cluster']}. {family}."


def of_folded(row: Mapping[str, Any], ranks: Sequence[int], inner_row: Mapping[str, Any] | None) -> str:
    """Say which ranks of a host are drawn as one circle; `inner_row` has the sums over the edges among them."""
    rank_names = spans(ranks)
    if len(rank_names) > _SPANS_NAMED:
        rank_names = f"{ranks[0]} to {ranks[-1]}"
    inner_phrase = "" if inner_row is None else f" Among them: {_carried(inner_row)}."
    return f"{quantities.plural(len(ranks), 'rank')} of {row['host']}, {row['cluster']}: {rank_names}.{inner_phrase}"


def shown_name(name: str) -> str:
    """Give the name of a host or a cluster as it is drawn: a very long name without its middle."""
    half = _LONGEST_NAME // 2 - 1
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]} … {name[-half:]}"


def name_width(name: str) -> float:
    """Give the largest width of a drawn name, in pixels."""
    return len(shown_name(name)) * _CHARACTER
