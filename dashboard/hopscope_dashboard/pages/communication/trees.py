"""Trees that ran: parents by trace-wide rank, from the rows of the table trees."""

from collections.abc import Mapping
from dataclasses import dataclass

from hopscope.format import quantities

from hopscope_dashboard.data.trace import Row, Rows, Suggestion, TraceData


@dataclass(frozen=True)
class RanTree:
    """One tree that ran: its name, communicator, root (a rank of the communicator), and each rank's parent on the way
    up and on the way down."""

    name: str
    comm: int
    comm_name: str
    root: int
    root_rank: int
    """The root as a trace-wide rank, as analyses take it."""
    parents: dict[str, dict[int, int | None]]
    """For `up` and `down`: the parent of each trace-wide rank; None at the root."""
    is_native: bool = False
    """True if the MPI library ran it, False if Hopscope's engine did."""

    @property
    def title(self) -> str:
        """Name of the tree for a reader."""
        return f"{self.name} on {self.comm_name}, root {self.root}"


def trees(data: TraceData) -> list[RanTree]:
    """Give every tree that ran: the engine's trees first, and within each kind the largest communicator first."""
    comms = {row["comm"]: row for row in data.table("comms")}
    members = {comm: row["members"] for comm, row in comms.items()}
    native = {(row["comm"], row["tree"]) for row in data.table("kinds") if row["source"] == "native"}
    parents_of: dict[tuple[str, int, int], dict[str, dict[int, int | None]]] = {}
    for row in data.table("trees"):
        ranks = members[row["comm"]]
        parents = parents_of.setdefault((row["tree"], row["comm"], row["root"]), {}).setdefault(row["role"], {})
        parents[ranks[row["rank"]]] = None if row["parent"] is None else ranks[row["parent"]]
    ran_trees = [
        RanTree(name, comm, comm_title(comms[comm]), root, members[comm][root], parents, (comm, name) in native)
        for (name, comm, root), parents in parents_of.items()
    ]
    return sorted(
        ran_trees, key=lambda tree: (tree.is_native, -len(members[tree.comm]), tree.comm, tree.name, tree.root)
    )


def weights(data: TraceData, tree: RanTree, role: str) -> Rows:
    """Give the rows of tree-edges for one tree and role: what each edge carried, the heaviest edge first."""
    rows = data.rows_or_none("tree-edges", tree=tree.name, comm=tree.comm, root=tree.root_rank)
    return [row for row in rows if row["role"] == role]


def comm_title(row: Row) -> str:
    """Name a communicator by its number and, if it has one, its own name."""
    return f"{row['name']} ({row['comm']})" if row["name"] else f"communicator {row['comm']}"


def between_clusters(ranks: Rows, parents: dict[int, int | None]) -> str:
    """Say how a tree crosses between clusters, in a sentence; `ranks` has rank, host and cluster."""
    cluster_of = {row["rank"]: row["cluster"] for row in ranks}
    if len({cluster_of.get(rank) for rank in parents}) < 2:
        return "All ranks are in one cluster, so no edge runs between clusters."
    crossing_edges = crossings(ranks, parents)
    longest = most_in_a_row(parents, cluster_of)
    verb = "runs" if crossing_edges == 1 else "run"
    row = f"up to {longest} in a row" if longest > 1 else "never two in a row"
    return f"{quantities.plural(crossing_edges, 'edge')} {verb} between clusters" + (
        f", {row} on the way to the root." if crossing_edges > 1 else "."
    )


def crossings(ranks: Rows, parents: Mapping[int, int | None]) -> int:
    """Give the number of edges of a tree that run between clusters."""
    cluster_of = {row["rank"]: row["cluster"] for row in ranks}
    return sum(cluster_of.get(rank) != cluster_of.get(parent) for rank, parent in parents.items() if parent is not None)


def most_in_a_row(parents: Mapping[int, int | None], cluster_of: Mapping[int, str]) -> int:
    """Give the largest number of crossings between clusters on the way from a rank to the root."""
    peak = 0
    for rank in parents:
        current, crossed, steps = rank, 0, 0
        while (parent := parents.get(current)) is not None and steps <= len(parents):
            crossed += cluster_of.get(current) != cluster_of.get(parent)
            current, steps = parent, steps + 1
        peak = max(peak, crossed)
    return peak


def suggested_parents(data: TraceData, suggestion: Suggestion, role: str) -> dict[int, int | None] | None:
    """Give the parent of each trace-wide rank in the suggested tree; None if the suggestion is not a tree."""
    if suggestion.parents is None:
        return None
    members = next(row["members"] for row in data.table("comms") if row["comm"] == suggestion.parents["comm"])
    parents: list[int | None] = suggestion.parents[role]
    return {members[rank]: None if parent is None else members[parent] for rank, parent in enumerate(parents)}
