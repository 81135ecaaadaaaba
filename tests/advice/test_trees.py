"""The trees of the replay, compared with drawings: parents, and the order in which children are served."""

from __future__ import annotations

from typing import Any

import pytest
from hopscope.native import _plan
from hopscope.native.trees import Shape, Tree


def tree(spec: dict[str, Any], size: int, root: int = 0, *, broadcast: bool = True) -> Tree:
    return Shape(spec).tree(root, broadcast=broadcast, hosts=[0] * size, clusters=[0] * size)


def children_of(drawn_tree: Tree) -> dict[int, tuple[int, ...]]:
    """The children of each rank that has children."""
    return {rank: children for rank, children in enumerate(drawn_tree.children) if children}


# Trees of ten ranks: the children of each rank, in broadcast order and in reduce order (None: the same order).
DRAWINGS: dict[str, tuple[dict[str, Any], dict[int, tuple[int, ...]], dict[int, tuple[int, ...]] | None]] = {
    "flat": ({"shape": "flat"}, {0: (1, 2, 3, 4, 5, 6, 7, 8, 9)}, None),
    "chain": ({"shape": "chain"}, {rank: (rank + 1,) for rank in range(9)}, None),
    "binary": ({"shape": "binary"}, {0: (1, 2), 1: (3, 4), 2: (5, 6), 3: (7, 8), 4: (9,)}, None),
    "kary": ({"shape": "kary", "fan_out": 4}, {0: (1, 2, 3, 4), 1: (5, 6, 7, 8), 2: (9,)}, None),
    # Nine ranks below the root, in four chains: the first chain has one rank more than the others.
    "k-chain": (
        {"shape": "k-chain", "fan_out": 4},
        {0: (1, 4, 6, 8), 1: (2,), 2: (3,), 4: (5,), 6: (7,), 8: (9,)},
        None,
    ),
    # A rank's parent is the rank without its lowest set bit.
    "binomial-mpich": (
        {"shape": "binomial-mpich"},
        {0: (8, 4, 2, 1), 2: (3,), 4: (6, 5), 6: (7,), 8: (9,)},
        {0: (1, 2, 4, 8), 2: (3,), 4: (5, 6), 6: (7,), 8: (9,)},
    ),
    "binomial": (
        {"shape": "binomial"},
        {0: (8, 4, 2, 1), 2: (3,), 4: (6, 5), 6: (7,), 8: (9,)},
        {0: (1, 2, 4, 8), 2: (3,), 4: (5, 6), 6: (7,), 8: (9,)},
    ),
    # In a broadcast: the rank without its highest set bit.
    "binomial-lam": (
        {"shape": "binomial-lam"},
        {0: (1, 2, 4, 8), 1: (3, 5, 9), 2: (6,), 3: (7,)},
        {0: (1, 2, 4, 8), 2: (3,), 4: (5, 6), 6: (7,), 8: (9,)},
    ),
}


def test_every_simple_shape_is_drawn_here() -> None:
    assert set(DRAWINGS) == {shape.name for shape in _plan.shapes() if shape.is_simple}


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_shape_is_as_it_is_drawn(name: str) -> None:
    spec, down, up = DRAWINGS[name]
    assert children_of(tree(spec, 10)) == down
    assert children_of(tree(spec, 10, broadcast=False)) == (up or down)


@pytest.mark.parametrize("name", DRAWINGS)
def test_another_root_turns_the_whole_tree(name: str) -> None:
    spec, down, _ = DRAWINGS[name]
    assert children_of(tree(spec, 10, root=7)) == {
        (rank + 7) % 10: tuple((child + 7) % 10 for child in children) for rank, children in down.items()
    }


def test_each_level_of_a_hierarchy_has_its_own_shape() -> None:
    # Four hosts of three ranks each, all in one cluster: the hosts' first ranks 0, 3, 6, 9 are a chain.
    spec = {"shape": "hierarchical", "hosts": {"shape": "chain"}, "ranks": {"shape": "binary"}}
    drawn_tree = Shape(spec).tree(0, broadcast=True, hosts=[rank // 3 for rank in range(12)], clusters=[7] * 12)
    assert children_of(drawn_tree) == {0: (3, 1, 2), 3: (6, 4, 5), 6: (9, 7, 8), 9: (10, 11)}


def test_an_explicit_tree_is_rerooted_along_the_way_to_its_root() -> None:
    #     2            3
    #    / \    at 3  / | \       the old parent comes first in a broadcast, last in a reduce
    #   3   0   -->  2  4  5
    #  / \   \       |
    # 4   5   1      0 - 1
    spec = {"shape": "explicit", "parents": [2, 0, None, 2, 3, 3], "children": {"2": [3, 0]}}
    assert children_of(tree(spec, 6, root=2)) == {2: (3, 0), 3: (4, 5), 0: (1,)}
    assert children_of(tree(spec, 6, root=3)) == {3: (2, 4, 5), 2: (0,), 0: (1,)}
    assert children_of(tree(spec, 6, root=3, broadcast=False)) == {3: (4, 5, 2), 2: (0,), 0: (1,)}


def test_what_is_no_tree_for_these_ranks_is_refused() -> None:
    with pytest.raises(ValueError, match="the tree is for 2 ranks, not 3"):
        tree({"shape": "explicit", "parents": [None, 0]}, 3)
    with pytest.raises(ValueError, match="no rank 3 to be the root of 3"):
        tree({"shape": "flat"}, 3, root=3)
    with pytest.raises(ValueError, match="has no `fan_out`; give the number of chains"):
        tree({"shape": "k-chain"}, 3)
    with pytest.raises(ValueError, match="one number for each rank"):
        Shape({"shape": "flat"}).tree(0, broadcast=True, hosts=[0, 0], clusters=[0])
