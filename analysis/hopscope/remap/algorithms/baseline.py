"""The tree that ran: from the dataset's trees or, where it has none, from the hops."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope import _plan
from hopscope.errors import InputError
from hopscope.model.trees import ROOT, Tree
from hopscope.paths.columns import Array, integers
from hopscope.remap.algorithms.algorithm import Algorithm, longest, of_trees
from hopscope.remap.run.calls import NO_ROOT, Call
from hopscope.remap.run.operations import ROOTED
from hopscope.remap.run.program import Source, Subject

TREE_KEYS = ("reduce_tree", "broadcast_tree")


@dataclass(frozen=True)
class Filed(Algorithm):
    """What ran by several rules of the run's own tree file, or by one that names no trees."""

    file: str = ""

    def schedules(self, subject: Subject, call: Call) -> _plan.Schedules:
        """See Algorithm."""
        read, places = _plan.TreeFile(self.file.encode()), (subject.hosts, subject.clusters)
        rule = read.rule(call.op, subject.members, call.size)
        if rule is None:
            raise InputError(f"the run's tree file has no rule for {call.op} with {call.size} bytes, which ran by one")
        return read.schedules(rule, call.op, *places, call.lengths, None if call.root == NO_ROOT else call.root)


def _by_file(source: Source) -> Filed | None:
    """What ran, where it was not the trees of one rule."""
    text, subject = source.tables["run"]["tree_file"].to_pylist()[0], source.subject
    if not text:
        return None
    file, read = json.loads(text), _plan.TreeFile(text.encode())
    numbers = {call: read.rule(call.op, subject.members, call.size) for call in subject.calls}
    rules = {call: file["rules"][number] for call, number in numbers.items() if number is not None}
    is_one_pair_of_trees = len(set(numbers.values())) == 1 and not any("algorithm" in rule for rule in rules.values())
    if len(rules) < len(numbers) or is_one_pair_of_trees:
        return None
    rule, trees = rules[longest(subject)], file.get("trees", {})
    own = {key: value for key, value in rule.items() if key not in ("operations", "comm_size", "members", "bytes")}
    name = str(own.get("algorithm") or own.get(TREE_KEYS[0]) or own[TREE_KEYS[1]])
    return Filed(f"baseline: {name}", own, trees, text)


def baseline_of(source: Source) -> Algorithm:
    """The tree that ran, from the dataset's trees or, where those are missing, from the hops themselves; of a run by
    another algorithm, what its tree file says."""
    filed = _by_file(source)
    if filed:
        return filed
    tables, arrays, subject = source.tables, source.arrays, source.subject
    if subject.native:
        raise InputError(f"the MPI library ran {subject.op}, so no tree of the engine can be replayed")
    position = {rank: i for i, rank in enumerate(subject.members)}
    hops = tables["hops"]
    rows = tables["trees"].to_pylist() if len(tables["trees"]) else []
    names = tables["calls"]["tree"].to_pylist()
    first_call = int(arrays["collectives.first_call"][subject.collectives[-1]])
    name = names[first_call] or "tree"
    root = subject.roots[0]
    of_root = [
        row for row in rows if row["tree"] == name and row["comm"] == subject.comm and root in (NO_ROOT, row["root"])
    ]
    trees = [_tree_from_rows([r for r in of_root if r["role"] == role], len(position)) for role in ("up", "down")]
    if None in trees:
        rows_of_root = _hops_of_root(source, root)
        drawn = [_tree_from_hops(hops, rows_of_root, position, up=up) for up in (True, False)]
        trees = [listed or from_hops for listed, from_hops in zip(trees, drawn, strict=True)]
    up, down = trees[0] or trees[1], trees[1] or trees[0]
    if up is None or down is None:
        raise InputError(f"the hops of {subject.op} do not form a tree, so the tree that ran cannot be replayed")
    mine = np.isin(arrays["hops.collective"], subject.simulated)
    segment = 0
    if (integers(hops, "segment")[mine] > 0).any():
        segment = int(arrays["hops.bytes"][mine].max())
    return of_trees(f"baseline: {name}", up, down, segment)


def is_known(source: Source) -> bool:
    """Whether it can be told what ran over trees."""
    try:
        baseline_of(source)
    except InputError:
        return False
    return True


def _hops_of_root(source: Source, root: int) -> Array:
    """The rows of the hops of the last collective with this root."""
    tables, subject = source.tables, source.subject
    roots = integers(tables["collectives"], "root", null=NO_ROOT)[subject.simulated]
    ops = np.asarray(tables["collectives"]["op"].to_pylist(), object)[subject.simulated]
    rooted = np.isin(ops, ROOTED)
    fitting = subject.simulated[rooted & (roots == root)] if root != NO_ROOT else subject.simulated[~rooted]
    return np.flatnonzero(source.arrays["hops.collective"] == fitting[-1])


def _tree_from_rows(rows: list[dict[str, Any]], size: int) -> Tree | None:
    if len(rows) != size:
        return None
    parents = [ROOT] * size
    children: list[list[tuple[int, int]]] = [[] for _ in range(size)]
    for row in rows:
        if row["parent"] is not None:
            parents[row["rank"]] = row["parent"]
            children[row["parent"]].append((row["child_order"], row["rank"]))
    return _whole(Tree(tuple(parents), tuple(tuple(rank for _, rank in sorted(c)) for c in children)))


def _tree_from_hops(hops: pa.Table, rows: Array, position: dict[int, int], *, up: bool) -> Tree | None:
    parents = [ROOT] * len(position)
    children: list[list[int]] = [[] for _ in position]
    for row in hops.take(pa.array(rows)).to_pylist():
        src, dst = position.get(row["src"]), position.get(row["dst"])
        if row["role"] != ("up" if up else "down") or row["segment"] > 0 or src is None or dst is None:
            continue
        child, parent = (src, dst) if up else (dst, src)
        if parents[child] != ROOT:
            return None
        parents[child] = parent
        children[parent].append(child)  # rows are in order of their sending
    return _whole(Tree(tuple(parents), tuple(tuple(c) for c in children)))


def _whole(tree: Tree) -> Tree | None:
    """The tree, if it is one: a single root from which every rank is reached."""
    if tree.parents.count(ROOT) != 1 or len(set(tree.from_root())) != len(tree.parents):
        return None
    return tree
