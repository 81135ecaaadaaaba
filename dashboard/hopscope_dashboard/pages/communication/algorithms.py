"""Algorithms that ran: the rows of `analyze algorithms`, the one that the address names, and its edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hopscope.format import quantities

from hopscope_dashboard.data.trace import InputError, Row, Rows, TraceData
from hopscope_dashboard.navigation.address import Query
from hopscope_dashboard.pages.communication.trees import comm_title


@dataclass(frozen=True)
class RanAlgorithm:
    """One row of `analyze algorithms`, one of its collectives, and the edges of all collectives that are like this
    one."""

    row: Row
    collective: str
    """The collective, as COMM:SEQ."""
    edges: Rows

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """Roles that have a drawing: the trees `up` and `down`, then `exchange` for all other edges, in rounds."""
        trees = tuple(role for role in ("up", "down") if self._is_tree(role))
        return trees if all(row["role"] in trees for row in self.edges) else (*trees, "exchange")

    def edges_of(self, role: str) -> Rows:
        """Give the edges in the drawing of a role."""
        return [row for row in self.edges if role == (row["role"] if row["role"] in self.roles else "exchange")]

    def _is_tree(self, role: str) -> bool:
        """True if the edges of this role form one tree. In some algorithms they form several, each with its own
        root."""
        parents = self.parents(role)
        edges = sum(row["role"] == role for row in self.edges)
        return list(parents.values()).count(None) == 1 and len(parents) == edges + 1

    def parents(self, role: str) -> dict[int, int | None]:
        """Give the parent of each rank in the tree of this role, None at the root; both as trace-wide ranks."""
        pairs = [(row["src"], row["dst"]) for row in self.edges if row["role"] == role]
        parent_of = dict(pairs if role == "up" else ((dst, src) for src, dst in pairs))
        return {rank: parent_of.get(rank) for rank in sorted({rank for pair in pairs for rank in pair})}


def algorithm_rows(data: TraceData) -> Rows:
    """Give the rows of `analyze algorithms`, the most frequent algorithm first."""
    return sorted(data.rows("algorithms"), key=lambda row: -row["collectives"])


def choose(data: TraceData, rows: Sequence[Row], query: Query) -> RanAlgorithm | None:
    """Give the algorithm of the collective in the address, else the most frequent one; None if none is known.

    Raises InputError where the address names a collective whose messages are not known.
    """
    collective = query.get("collective")
    if collective is None:
        # On a communicator of one rank, the rank sends only to itself.
        most_frequent = [row for row in rows if row["ranks"] > 1][:1]
        algorithms = [
            RanAlgorithm(row, row["first"], data.rows("algorithms", collective=row["first"])) for row in most_frequent
        ]
        return algorithms[0] if algorithms else None
    # For a collective without edges, the analysis raises an error that says why.
    edges = data.rows("algorithms", collective=collective)
    matches = [row for row in rows if row["first"] == collective]
    if not matches:
        comm, _, seq = collective.partition(":")
        matches = data.rows("algorithms", comm=int(comm), seq=int(seq))
    if not matches:
        raise InputError(f"Nothing is known of the messages of {collective}")
    return RanAlgorithm(matches[0], collective, edges)


def comms(data: TraceData) -> dict[int, str]:
    """Give the name of each communicator."""
    return {row["comm"]: comm_title(row) for row in data.table("comms")}


def title(row: Row) -> str:
    """Name the algorithm and its segments for a reader."""
    cut = f" in segments of {quantities.size(row['segment_bytes'])}" if row["segment_bytes"] else ""
    return f"{row['algorithm']}{cut}"


def recognised(row: Row) -> str:
    """Say what was recognised, in a sentence."""
    if row["depth"] is None:
        return "Its messages fit no algorithm that Hopscope knows."
    crossings = f", {quantities.number(row['crossings'])} of them between clusters" if row["crossings"] else ""
    return (
        f"Recognised as {title(row)}: {quantities.plural(row['messages'], 'message')}, "
        f"{quantities.number(row['depth'])} in sequence{crossings}."
    )
