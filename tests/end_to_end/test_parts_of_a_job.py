"""A job with two collectives of different sizes gets one tree file with a rule for each."""

import json
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
from hopscope.native.trees import Shape
from jobs import Planted, Run, two_sites

MIX = local_mpi.ROOT / "benchmarks" / "programs" / "mix.c"
MIX_WORDS = ("12", "500", "allreduce", "8", "bcast", "1048576")
PLACES = [0, 1] * 4
"""The host, and so the site, of each rank."""
SITES = two_sites(10) | {"placement": "round-robin"}


def edges_of(trace: hopscope.Trace, operation: str) -> set[tuple[str, int, int]]:
    """Role, child and parent of the hops of an operation."""
    collectives = {row["collective_id"] for row in trace.table("collectives").to_pylist() if row["op"] == operation}
    hops = [row for row in trace.table("hops").to_pylist() if row["collective_id"] in collectives]
    ends = {"up": ("src", "dst"), "down": ("dst", "src")}
    return {(row["role"], *(row[end] for end in ends[row["role"]])) for row in hops}


def edges_by(file: dict[str, Any], operation: str) -> set[tuple[str, int, int]]:
    """Role, child and parent of the edges in the trees of the first rule for an operation."""
    rule = next(rule for rule in file["rules"] if operation in rule["operations"])
    ways = (
        {"up": "reduce_tree", "down": "broadcast_tree"} if operation == "MPI_Allreduce" else {"down": "broadcast_tree"}
    )
    edges: set[tuple[str, int, int]] = set()
    for role, key in ways.items():
        spec = file["trees"][rule[key]]
        tree = Shape(spec).tree(0, broadcast=role == "down", hosts=PLACES, clusters=PLACES)
        edges |= {(role, child, parent) for child, parent in enumerate(tree.parents) if parent >= 0}
    return edges


def test_one_tree_file_improves_both_parts(
    first_mpi: local_mpi.LocalMpi, planted: Planted, traced: Run, tmp_path: Path
) -> None:
    recorded = planted("slow_parts")
    tree = tmp_path / "tree.json"
    rows = recorded.remap(tree, algorithms="tree").to_pylist()
    (best,), (baseline,) = ([row for row in rows if row[kind]] for kind in ("chosen", "baseline"))
    assert best["operation"] == "MPI_Allreduce, MPI_Bcast"
    # A chain crosses seven times each way, a good tree once.
    assert best["predicted_ns"] < baseline["predicted_ns"] / 5
    file = json.loads(tree.read_text())
    suggested = {rule["operations"][0]: rule for rule in file["rules"][:2]}
    assert {operation: rule["bytes"]["max"] for operation, rule in suggested.items()} == {
        "MPI_Allreduce": 8,
        "MPI_Bcast": 1_048_576,
    }
    # The engine's messages do not depend on their times.
    sites = {key: value for key, value in SITES.items() if key != "emulate"}
    job = traced(first_mpi, len(PLACES), first_mpi.compile(MIX), *MIX_WORDS, tree=tree, topology=sites)
    assert job.code == 0, job.err
    rerun = hopscope.open(job.trace)
    for operation in suggested:
        assert edges_of(rerun, operation) == edges_by(file, operation)
        assert edges_of(rerun, operation) != edges_of(recorded, operation)
