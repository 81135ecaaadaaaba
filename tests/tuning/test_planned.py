"""Open MPI's algorithms against the plan's: the same messages between the same ranks."""

from collections import Counter, defaultdict
from pathlib import Path

import hopscope
import local_mpi
import open_mpi
import pytest
from hopscope.algorithms.engine import of_schedules
from hopscope.model.sequences import lay
from hopscope.tuning.offered import Offered
from hopscope.tuning.planned import planned

OPEN_MPI_4 = [mpi for mpi in local_mpi.find() if mpi.release == "openmpi-4"]
RANKS = (5, 6, 8, 13)
Edges = Counter[tuple[int, int]]


def ran(trace: Path) -> dict[tuple[str, int, int], tuple[str, int | None, Edges]]:
    """By operation, number and ranks: the operation's MPI name, its root, and how many messages each edge had."""
    opened = hopscope.open(trace)
    comms = {row["comm"]: row for row in opened.table("comms").to_pylist()}
    collectives = {row["collective_id"]: row for row in opened.table("collectives").to_pylist()}
    edges: dict[int, Edges] = defaultdict(Counter)
    for hop in opened.table("hops").to_pylist():
        members = comms[collectives[hop["collective_id"]]["comm"]]["members"]
        edges[hop["collective_id"]][members.index(hop["src"]), members.index(hop["dst"])] += 1
    found: dict[tuple[str, int, int], tuple[str, int | None, Edges]] = {}
    for number, of_collective in edges.items():
        row = collectives[number]
        words = str(comms[row["comm"]]["name"]).split("/")
        if len(words) == 3 and row["op"] == f"MPI_{words[0].capitalize()}":
            found[words[0], int(words[1]), int(words[2])] = row["op"], row["root"], of_collective
    return found


@pytest.mark.skipif(not OPEN_MPI_4, reason="needs Open MPI 4")
def test_a_rule_sends_what_open_mpi_sends_or_there_is_none(tmp_path: Path) -> None:
    """Open MPI's binary trees have other parents than the plan's, and only the name is the same."""
    seen = ran(open_mpi.run(OPEN_MPI_4[0], tmp_path, RANKS))
    compared = 0
    for (operation, number, ranks), (op, root, edges) in seen.items():
        name = open_mpi.ALGORITHMS[operation, number].name
        found = planned(Offered(operation, name, number, ""), ranks)
        if found is None:
            continue
        lengths = () if op == "MPI_Barrier" else (64 * ranks,)
        laid = lay(found.rule, op, lengths, range(ranks), root=root, trees=found.trees)
        ours = Counter((message.src, message.dst) for message in of_schedules(laid).messages)
        cut = (operation, number) in open_mpi.IN_SEGMENTS or operation == "bcast"
        assert ours.keys() == edges.keys(), (operation, name, ranks)
        assert cut or ours == edges, (operation, name, ranks)
        compared += 1
    assert compared >= 90


@pytest.mark.parametrize(
    ("operation", "name", "number", "ranks"),
    [
        ("bcast", "binary_tree", 5, 8),
        ("scan", "recursive_doubling", 2, 8),
        ("barrier", "recursive_doubling", 3, 13),
        ("alltoall", "linear_sync", 4, 8),
        ("allreduce", "of another release", 99, 8),
    ],
)
def test_what_the_plan_does_not_have_is_not_predicted(operation: str, name: str, number: int, ranks: int) -> None:
    assert planned(Offered(operation, name, number, ""), ranks) is None
