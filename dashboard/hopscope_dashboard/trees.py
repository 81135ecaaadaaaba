"""Which trees ran: parents by trace-wide rank, from the rows of the table trees."""

from dataclasses import dataclass

from hopscope_dashboard.data import Suggestion, TraceData
from hopscope_dashboard.findings import most_in_a_row


@dataclass(frozen=True)
class RanTree:
    """One tree that ran: its name, communicator, root (a rank of the communicator) and the parents of each phase."""

    name: str
    comm: int
    root: int
    parents: dict[str, dict[int, int | None]]
    """For `up` and `down`: the parent of each trace-wide rank; None at the root."""

    @property
    def key(self) -> str:
        """Names the tree in an address."""
        return f"{self.comm}:{self.root}:{self.name}"

    @property
    def title(self) -> str:
        """Names the tree to a reader."""
        return f"{self.name} on communicator {self.comm}, root {self.root}"


def trees(data: TraceData) -> list[RanTree]:
    """Give every tree that ran, the widest communicator first."""
    members = {row["comm"]: row["members"] for row in data.table("comms")}
    found: dict[tuple[str, int, int], dict[str, dict[int, int | None]]] = {}
    for row in data.table("trees"):
        ranks = members[row["comm"]]
        parents = found.setdefault((row["tree"], row["comm"], row["root"]), {}).setdefault(row["phase"], {})
        parents[ranks[row["rank"]]] = None if row["parent"] is None else ranks[row["parent"]]
    made = [RanTree(name, comm, root, parents) for (name, comm, root), parents in found.items()]
    return sorted(made, key=lambda tree: (-len(members[tree.comm]), tree.comm, tree.root, tree.name))


def in_a_row(data: TraceData) -> dict[str, int]:
    """Give the most crossings between clusters on any way to the root, by phase, over all trees that ran."""
    cluster_of = {row["rank"]: row["cluster"] for row in data.ranks}
    most: dict[str, int] = {}
    for tree in trees(data):
        for phase, parents in tree.parents.items():
            most[phase] = max(most.get(phase, 0), most_in_a_row(parents, cluster_of))
    return most


def suggested_parents(data: TraceData, found: Suggestion, phase: str) -> dict[int, int | None] | None:
    """Give the parent of each trace-wide rank in the suggested tree; None if the suggestion does not say."""
    if found.parents is None:
        return None
    members = next(row["members"] for row in data.table("comms") if row["comm"] == found.parents["comm"])
    parents: list[int | None] = found.parents[phase]
    return {members[rank]: None if parent is None else members[parent] for rank, parent in enumerate(parents)}
