"""Trees over the ranks of a communicator, built as the collector builds them (collector/src/plan).

Parents and the order of children are those that the engine executes, so that a predicted tree is the tree that runs.
Ranks are those of the communicator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

ROOT = -1
"""The parent of the root."""


@dataclass(frozen=True)
class Tree:
    """One direction of a collective: the parent of each rank (ROOT at the root) and each rank's children in order."""

    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]

    @property
    def root(self) -> int:
        """The rank without a parent."""
        return self.parents.index(ROOT)

    def depths(self) -> list[int]:
        """Hops from each rank to the root."""
        depths = [0] * len(self.parents)
        for rank in self.from_root():
            if self.parents[rank] != ROOT:
                depths[rank] = depths[self.parents[rank]] + 1
        return depths

    def from_root(self) -> list[int]:
        """Every rank, parents before their children."""
        order = [self.root]
        for rank in order:
            order.extend(self.children[rank])
        return order

    def rerooted(self, root: int, *, broadcast: bool) -> Tree:
        """The same edges from another root; the old parent comes first in a broadcast and last in a reduce."""
        parents, children = list(self.parents), [list(c) for c in self.children]
        at, below = root, ROOT
        while at != ROOT:
            parent = self.parents[at]
            if below != ROOT:
                children[at].remove(below)
            if parent != ROOT:
                children[at].insert(0 if broadcast else len(children[at]), parent)
            parents[at] = below
            at, below = parent, at
        return Tree(tuple(parents), tuple(tuple(c) for c in children))


@dataclass(frozen=True)
class Shape:
    """A tree as the tree file writes it: a simple shape, a hierarchy, or explicit parents."""

    spec: dict[str, Any]

    @property
    def name(self) -> str:
        """A short name, such as kary:4; of a hierarchy with the levels that are not flat."""
        kind = self.spec["shape"]
        if kind == "hierarchical":
            levels = {
                level: _level_name(self.spec[level]) for level in ("clusters", "hosts", "ranks") if level in self.spec
            }
            return " ".join(["hierarchical", *(f"{level}={name}" for level, name in levels.items() if name != "flat")])
        return _level_name(self.spec)

    def tree(self, root: int, *, broadcast: bool, hosts: Sequence[int], clusters: Sequence[int]) -> Tree:
        """The tree over len(hosts) ranks for this root and direction; hosts and clusters number each rank's own."""
        kind, size = self.spec["shape"], len(hosts)
        if kind == "explicit":
            parents = [ROOT if p is None else int(p) for p in self.spec["parents"]]
            listed = self.spec.get("children", {})
            children = [tuple(listed.get(str(r), [c for c in range(size) if parents[c] == r])) for r in range(size)]
            drawn = Tree(tuple(parents), tuple(children))
            return drawn if drawn.root == root else drawn.rerooted(root, broadcast=broadcast)
        if kind == "hierarchical":
            return _hierarchical(self.spec, root, broadcast=broadcast, hosts=hosts, clusters=clusters)
        return _tree_of([(self.spec, [(root + v) % size for v in range(size)])], size, broadcast=broadcast)


def explicit(tree: Tree) -> Shape:
    """A tree as parents and, where it is not ascending, the order of children."""
    children = {
        str(rank): list(ordered) for rank, ordered in enumerate(tree.children) if list(ordered) != sorted(ordered)
    }
    spec: dict[str, Any] = {"shape": "explicit", "parents": [None if p == ROOT else p for p in tree.parents]}
    return Shape({**spec, "children": children} if children else spec)


def _level_name(level: dict[str, Any]) -> str:
    shape = str(level["shape"])
    return f"{shape}:{level['fan_out']}" if shape in {"kary", "k-chain"} else shape


def _chain_heads(chains: int, size: int) -> list[int]:
    """The first virtual rank of each chain: the first chains are longer by one where they cannot all be equal."""
    short, longer = divmod(size - 1, chains)
    return [1 + chain * short + min(chain, longer) for chain in range(min(chains, size - 1))]


def _simple_parent(level: dict[str, Any], v: int, size: int, *, broadcast: bool) -> int:
    """The parent of virtual rank v > 0 of so many, virtual rank 0 being the root."""
    parents: dict[str, Callable[[], int]] = {
        "flat": lambda: 0,
        "chain": lambda: v - 1,
        "binary": lambda: (v - 1) // 2,
        "kary": lambda: (v - 1) // int(level.get("fan_out", 2)),
        "binomial": lambda: v & (v - 1),
        "binomial-mpich": lambda: v & (v - 1),
        "binomial-lam": lambda: v - (1 << (v.bit_length() - 1)) if broadcast else v & (v - 1),
        "k-chain": lambda: 0 if v in _chain_heads(int(level["fan_out"]), size) else v - 1,
    }
    return parents[str(level["shape"])]()


def _tree_of(levels: list[tuple[dict[str, Any], list[int]]], size: int, *, broadcast: bool) -> Tree:
    """Hangs the members of each level (the level's head first) below one another; earlier levels' children first."""
    parents = [ROOT] * size
    children: list[list[int]] = [[] for _ in range(size)]
    for level, members in levels:
        added: dict[int, list[int]] = {}
        for v in range(1, len(members)):
            parent = _simple_parent(level, v, len(members), broadcast=broadcast)
            parents[members[v]] = members[parent]
            added.setdefault(parent, []).append(members[v])
        # A binomial broadcast serves the largest subtree first; LAM's numbering has it ascending already.
        largest_last = broadcast and level["shape"] in {"binomial", "binomial-mpich"}
        for parent, ordered in added.items():
            children[members[parent]] += reversed(ordered) if largest_last else ordered
    return Tree(tuple(parents), tuple(tuple(c) for c in children))


def _hierarchical(
    spec: dict[str, Any], root: int, *, broadcast: bool, hosts: Sequence[int], clusters: Sequence[int]
) -> Tree:
    """One representative per cluster (the root in its own, else the lowest rank), per host, then the host's ranks."""
    size = len(hosts)
    cluster_head = {kind: root if clusters[root] == kind else list(clusters).index(kind) for kind in set(clusters)}
    host_head = {kind: list(hosts).index(kind) for kind in set(hosts)}
    for head in (*cluster_head.values(), root):
        host_head[hosts[head]] = head
    groups: list[tuple[str, list[int], int]] = [("clusters", sorted(cluster_head.values()), root)]
    for kind, head in sorted(cluster_head.items()):
        groups.append(("hosts", sorted(h for h in host_head.values() if clusters[h] == kind), head))
    for kind, head in sorted(host_head.items()):
        groups.append(("ranks", [r for r in range(size) if hosts[r] == kind], head))
    levels: list[tuple[dict[str, Any], list[int]]] = []
    for name, members, head in groups if broadcast else reversed(groups):
        turn = members.index(head)
        levels.append((spec.get(name, {"shape": "flat"}), members[turn:] + members[:turn]))
    return _tree_of(levels, size, broadcast=broadcast)
