"""Makes the table `trees`: the edges of the trees that collectives ran along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa

from hopscope.dataset.convert.columns import table_of

Places = dict[int, tuple[int | None, int]]
"""The parent of each rank of a tree, None at the root, and the rank's place among its siblings."""


class Trees:
    """The trees found so far. Of trees with the same communicator, name, root and role, the first one is kept."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, str, int, str], Places] = {}

    def add(
        self,
        comm: int,
        trees: Mapping[tuple[int, str], Places],
        *,
        tree_name: str | None,
        recognised: str | None,
        op: str,
    ) -> str | None:
        """Keep the trees of a collective, by root and role. Returns their name; None if there are none.

        tree_name: the name that a tree file gives them. Other trees are named after their algorithm. Different trees
        may have one algorithm; then the operation and a number distinguish their names.
        """
        if not trees:
            return None
        for name in [tree_name] if tree_name else _names(recognised or "unnamed", op):
            keys = {(root, role): (comm, name, root, role) for root, role in trees}
            if tree_name or all(_are_alike(self._places.get(keys[key]), places) for key, places in trees.items()):
                for key, places in trees.items():
                    self._places.setdefault(keys[key], places)
                return name
        raise AssertionError("names do not end")

    def table(self) -> pa.Table:
        """The table of all trees."""
        rows = [
            {
                "tree": tree,
                "comm": comm,
                "root": root,
                "role": role,
                "rank": rank,
                "parent": parent,
                "child_order": child_order,
            }
            for (comm, tree, root, role), places in sorted(self._places.items(), key=lambda tree: tree[0])
            for rank, (parent, child_order) in sorted(places.items())
        ]
        return table_of("trees", rows)


def _names(name: str, op: str) -> Iterator[str]:
    yield name
    yield f"{name} of {op}"
    number = 2
    while True:
        yield f"{name} of {op}, {number}"
        number += 1


def _are_alike(stored: Places | None, places: Places) -> bool:
    """Tell if a tree has the same parents as the stored tree, or if no tree is stored."""
    return stored is None or {rank: parent for rank, (parent, _) in stored.items()} == {
        rank: parent for rank, (parent, _) in places.items()
    }
