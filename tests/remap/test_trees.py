"""The trees that the replay judges are the trees that the collector runs: both are asked for every shape."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hopscope.model.trees import ROOT, Shape, Tree

COLLECTOR = Path(__file__).parents[2] / "collector" / "src"
SHAPES = ("flat", "chain", "kary", "binomial-mpich", "binomial-lam", "k-chain")
"""In the order of enum tree_shape; then hierarchical and explicit."""


class Level(ctypes.Structure):
    _fields_ = (("shape", ctypes.c_int), ("fan_out", ctypes.c_int))


IntPointer = ctypes.POINTER(ctypes.c_int)


class Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 48),
        ("shape", ctypes.c_int),
        ("fan_out", ctypes.c_int),
        ("clusters", Level),
        ("hosts", Level),
        ("ranks", Level),
        ("size", ctypes.c_int),
        ("root", ctypes.c_int),
        ("parents", IntPointer),
        ("first_child", IntPointer),
        ("children", IntPointer),
    )


class Members(ctypes.Structure):
    _fields_ = (("size", ctypes.c_int), ("host_of_rank", IntPointer), ("cluster_of_rank", IntPointer))


class Place(ctypes.Structure):
    _fields_ = (("parent", ctypes.c_int), ("child_count", ctypes.c_int), ("children", IntPointer))


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ctypes.CDLL]:
    """The collector's own trees, built as a library."""
    library = tmp_path_factory.mktemp("trees") / "libtrees.so"
    source = COLLECTOR / "plan" / "tree.c"
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", "-I", COLLECTOR, source, "-o", library], check=True)
    yield ctypes.CDLL(str(library))


def ints(values: list[int]) -> Any:
    return (ctypes.c_int * max(1, len(values)))(*values)


def level(spec: dict[str, Any]) -> Level:
    shape = "kary" if spec["shape"] == "binary" else spec["shape"]
    return Level(SHAPES.index(shape), spec.get("fan_out", 2))


def collectors_tree(
    library: ctypes.CDLL, spec: dict[str, Any], root: int, broadcast: bool, places: tuple[list[int], list[int]]
) -> Tree:
    size = len(places[0])
    c = Spec()
    if spec["shape"] == "hierarchical":
        c.shape = len(SHAPES)
        c.clusters, c.hosts, c.ranks = (level(spec[name]) for name in ("clusters", "hosts", "ranks"))
    elif spec["shape"] == "explicit":
        c.shape, c.size = len(SHAPES) + 1, size
        parents = [ROOT if p is None else p for p in spec["parents"]]
        listed = spec.get("children", {})
        children = [listed.get(str(r), [i for i in range(size) if parents[i] == r]) for r in range(size)]
        starts = [sum(len(ordered) for ordered in children[:r]) for r in range(size + 1)]
        kept = ints(parents), ints(starts), ints([child for ordered in children for child in ordered])
        c.root = parents.index(ROOT)
        c.parents, c.first_child, c.children = (ctypes.cast(array, IntPointer) for array in kept)
    else:
        simple = level(spec)
        c.shape, c.fan_out = simple.shape, simple.fan_out
    hosts, clusters = ints(places[0]), ints(places[1])
    members = Members(size, ctypes.cast(hosts, IntPointer), ctypes.cast(clusters, IntPointer))
    parents_found: list[int] = []
    children_found: list[tuple[int, ...]] = []
    for rank in range(size):
        room, scratch = ints([0] * size), ints([0] * 2 * size)
        place = Place(0, 0, ctypes.cast(room, IntPointer))
        library.tree_place_of(
            ctypes.byref(c), ctypes.byref(members), rank, root, int(broadcast), scratch, ctypes.byref(place)
        )
        parents_found.append(place.parent)
        children_found.append(tuple(room[: place.child_count]))
    return Tree(tuple(parents_found), tuple(children_found))


def specs() -> list[dict[str, Any]]:
    levels = [{"shape": "flat"}, {"shape": "chain"}, {"shape": "kary", "fan_out": 3}, {"shape": "binomial-mpich"}]
    levels += [{"shape": "binary"}, {"shape": "binomial-lam"}]
    hierarchies = [
        {"shape": "hierarchical", "clusters": c, "hosts": h, "ranks": r} for c, h, r in product(levels, levels, levels)
    ]
    return levels + hierarchies


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 9, 13])
def test_every_shape_is_the_collectors(collector: ctypes.CDLL, size: int) -> None:
    chance = random.Random(size)
    for spec in specs():
        hosts = [chance.randrange(4) % size for _ in range(size)]
        first = list(dict.fromkeys(hosts))
        hosts = [first.index(h) for h in hosts]
        cluster = {h: h % 2 for h in hosts}
        places = hosts, [cluster[h] for h in hosts]
        for root, broadcast in product({0, size // 2, size - 1}, (False, True)):
            mine = Shape(spec).tree(root, broadcast=broadcast, hosts=places[0], clusters=places[1])
            assert mine == collectors_tree(collector, spec, root, broadcast, places), (spec, root, broadcast, places)


def test_explicit_trees_are_rerooted_like_the_collectors(collector: ctypes.CDLL) -> None:
    spec = {"shape": "explicit", "parents": [2, 0, None, 2, 3, 3], "children": {"2": [3, 0]}}
    places = [0] * 6, [0] * 6
    for root, broadcast in product(range(6), (False, True)):
        mine = Shape(spec).tree(root, broadcast=broadcast, hosts=places[0], clusters=places[1])
        assert mine == collectors_tree(collector, spec, root, broadcast, places)


def test_the_binomial_tree_of_eight_dealt_round_robin_crosses_three_times() -> None:
    # From the book: the parent of v clears its lowest set bit.
    tree = Shape({"shape": "binomial-mpich"}).tree(0, broadcast=True, hosts=[0] * 8, clusters=[0] * 8)
    assert tree.parents == (-1, 0, 0, 2, 0, 4, 4, 6)
    assert tree.children[0] == (4, 2, 1)
    assert tree.depths() == [0, 1, 1, 2, 1, 2, 2, 3]
