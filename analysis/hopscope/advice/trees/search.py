"""A local search for a tree of its own: change a tree a little, keep the change if the replay gets faster."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from hopscope.native.trees import ROOT, Shape, Tree
from hopscope.replay.algorithms.algorithm import Algorithm, of_trees
from hopscope.replay.run.calls import NO_ROOT
from hopscope.replay.run.program import Subject

BETTER = 1 - 1e-4
"""A change is kept from this factor on."""
PATIENCE = 4
"""The search stops after this many times n * 10 changes in a row without a gain."""


class Drawing:
    """A tree that can be changed: parents, and children in the order in which a broadcast serves them."""

    def __init__(self, tree: Tree) -> None:
        self.parents = list(tree.parents)
        self.children = [list(ordered) for ordered in tree.children]

    def tree(self, *, broadcast: bool) -> Tree:
        """As it stands; a reduce takes the children in the opposite order."""
        step = 1 if broadcast else -1
        return Tree(tuple(self.parents), tuple(tuple(ordered[::step]) for ordered in self.children))

    def subtree(self, rank: int) -> set[int]:
        """A rank and everything under it."""
        subtree = [rank]
        for node in subtree:
            subtree.extend(self.children[node])
        return set(subtree)

    def hang(self, rank: int, parent: int, position: int) -> None:
        """Move a rank with all below it."""
        self.children[self.parents[rank]].remove(rank)
        self.children[parent].insert(position, rank)
        self.parents[rank] = parent

    def swap(self, a: int, b: int) -> None:
        """Exchange the places of two ranks."""
        names = {a: b, b: a}
        parents = [names.get(p, p) for p in self.parents]
        children = [[names.get(c, c) for c in ordered] for ordered in self.children]
        parents[a], parents[b] = parents[b], parents[a]
        children[a], children[b] = children[b], children[a]
        self.parents, self.children = parents, children

    def change(self, chance: random.Random, *, move_root: bool) -> None:
        """One random change: hang a rank elsewhere, exchange two, serve a child at another turn, or turn the root."""
        size = len(self.parents)
        kind = chance.random()
        a = chance.randrange(size)
        if kind < 0.55:
            if self.parents[a] == ROOT:
                return
            subtree = self.subtree(a)
            parents = [rank for rank in range(size) if rank not in subtree]
            parent = chance.choice(parents)
            self.hang(a, parent, chance.randint(0, len(self.children[parent]) - (self.parents[a] == parent)))
        elif kind < 0.75:
            b = chance.randrange(size)
            if a != b and (move_root or ROOT not in (self.parents[a], self.parents[b])):
                self.swap(a, b)
        elif kind < 0.9 or not move_root:
            ordered = self.children[a]
            if len(ordered) > 1:
                child = ordered.pop(chance.randrange(len(ordered)))
                ordered.insert(chance.randint(0, len(ordered)), child)
        else:
            turned = Drawing(self.tree(broadcast=True).rerooted(a, broadcast=True))
            self.parents, self.children = turned.parents, turned.children


def search(
    subject: Subject, starts: Sequence[Algorithm], time_of: Callable[[Algorithm], float], tries: int
) -> Algorithm | None:
    """The best tree found from several starts within so many tries, or None where a search is without use.

    Repeatable: the chances are seeded.
    """
    if len(subject.hosts) < 3 or tries <= 0 or not starts:
        return None
    # Without a root in the operation, the engine runs an explicit tree from the tree's own root.
    move_root = all(root == NO_ROOT for root in subject.roots)
    chance = random.Random(1)
    best: tuple[float, Algorithm] | None = None
    for start in starts:
        drawing = Drawing(_broadcast_tree(start, subject))
        current = _algorithm(drawing, start.segment_bytes)
        current_time, without_gain = time_of(current), 0
        for _ in range(tries // len(starts)):
            changed = Drawing(drawing.tree(broadcast=True))
            for _ in range(1 if chance.random() < 0.7 else 2):
                changed.change(chance, move_root=move_root)
            algorithm = _algorithm(changed, start.segment_bytes)
            time = time_of(algorithm)
            if time < current_time * BETTER:
                drawing, current, current_time, without_gain = changed, algorithm, time, 0
            else:
                without_gain += 1
            if without_gain > PATIENCE * 10 * len(subject.hosts):
                break
        if best is None or current_time < best[0]:
            best = current_time, current
    return best[1] if best else None


def _broadcast_tree(start: Algorithm, subject: Subject) -> Tree:
    shape = Shape(start.trees[start.rule["broadcast_tree"]])
    root = max(0, subject.roots[0])
    return shape.tree(root, broadcast=True, hosts=subject.hosts, clusters=subject.clusters)


def _algorithm(drawing: Drawing, segment_bytes: int) -> Algorithm:
    return of_trees("search", drawing.tree(broadcast=False), drawing.tree(broadcast=True), segment_bytes)
