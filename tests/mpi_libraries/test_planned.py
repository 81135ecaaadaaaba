"""Algorithms of MPI libraries compared with the plan's: the same messages between the same ranks."""

import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import hopscope
import local_mpi
import numpy as np
import open_mpi
import pytest
from algorithm_rounds import rounds, variables
from forced_algorithms import needs_open_mpi_4, trace_of_forced_algorithms
from hopscope.algorithms.engine import of_schedules
from hopscope.mpi_libraries.offered import Offered, query_library
from hopscope.mpi_libraries.planned import Planned, Unplanned, planned
from hopscope.native.sequences import lay
from hopscope.replay.algorithms.schedule import longest_chain

MPICHS = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "mpich"] + local_mpi.find_intel()
HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))
WITH_ROOTS = Path(__file__).parent / "programs" / "with_roots.c"
BYTES = 4096
Edges = Counter[tuple[int, int]]


def recorded_edges(trace: Path) -> dict[tuple[str, int, int], tuple[str, int | None, Edges]]:
    """The operation's MPI name, its root and the messages on each edge, by operation, algorithm number and ranks."""
    opened = hopscope.open(trace)
    comms = {row["comm"]: row for row in opened.table("comms").to_pylist()}
    collectives = {row["collective_id"]: row for row in opened.table("collectives").to_pylist()}
    edges: dict[int, Edges] = defaultdict(Counter)
    for hop in opened.table("hops").to_pylist():
        members = comms[collectives[hop["collective_id"]]["comm"]]["members"]
        edges[hop["collective_id"]][members.index(hop["src"]), members.index(hop["dst"])] += 1
    edges_by_call: dict[tuple[str, int, int], tuple[str, int | None, Edges]] = {}
    for number, of_collective in edges.items():
        row = collectives[number]
        words = str(comms[row["comm"]]["name"]).split("/")
        if len(words) == 3 and row["op"] == f"MPI_{words[0].capitalize()}":
            edges_by_call[words[0], int(words[1]), int(words[2])] = row["op"], row["root"], of_collective
    return edges_by_call


@needs_open_mpi_4
def test_a_rule_sends_what_open_mpi_sends_or_there_is_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Some have no rule: Open MPI's binary trees have other parents than the plan's, though the name is the same."""
    recorded = recorded_edges(trace_of_forced_algorithms(tmp_path_factory))
    compared = 0
    for (operation, number, ranks), (op, root, edges) in recorded.items():
        name = open_mpi.ALGORITHMS[operation, number].name
        plan = planned(Offered(operation, name, number, ""), ranks)
        if isinstance(plan, Unplanned):
            continue
        lengths = () if op == "MPI_Barrier" else (64 * ranks,)
        schedule = lay(plan.rule, op, lengths, range(ranks), root=root, trees=plan.trees)
        planned_edges = Counter((message.src, message.dst) for message in of_schedules(schedule).messages)
        cut = (operation, number) in open_mpi.CUT or operation == "bcast"
        assert planned_edges.keys() == edges.keys(), (operation, name, ranks)
        assert cut or planned_edges == edges, (operation, name, ranks)
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
    assert isinstance(planned(Offered(operation, name, number, ""), ranks), Unplanned)


@pytest.mark.parametrize("mpi", MPICHS, ids=[mpi.release for mpi in MPICHS])
@pytest.mark.parametrize("ranks", [5, 8])
def test_a_rule_sends_what_mpich_or_intel_mpi_sends(mpi: local_mpi.LocalMpi, ranks: int, tmp_path: Path) -> None:
    is_intels = mpi in local_mpi.find_intel()
    library = query_library("intelmpi" if is_intels else "mpich", mpi.launcher, "")
    rules = {
        offered: rule
        for offered in library.algorithms
        if offered.operation in ("allreduce", "bcast", "reduce")
        and isinstance(rule := planned(offered, ranks, least_bytes=BYTES), Planned)
    }
    names = {(offered.operation, offered.name) for offered in rules}
    expected = {("allreduce", "recursive_doubling"), ("bcast", "binomial"), ("reduce", "binomial")}
    assert names >= ({("allreduce", "preset 1"), ("reduce", "preset 2")} if is_intels else expected)
    for number, algorithms in enumerate(rounds(rules)):
        directory = tmp_path / str(number)
        environment = {**local_mpi.without_hopscope(), **local_mpi.MPICH_IN_MESSAGES}
        environment |= variables(library, [*algorithms])
        words = [HOPSCOPE, "run", "--dir", str(directory), "--", *mpi.launch(ranks), str(mpi.compile(WITH_ROOTS))]
        subprocess.run([*words, str(BYTES)], env=environment, check=True, timeout=120)
        trace = hopscope.open(directory)
        last = {row["op"]: row for row in trace.table("collectives").to_pylist()}
        edges: dict[int, Edges] = defaultdict(Counter)
        for hop in trace.table("hops").to_pylist():
            edges[hop["collective_id"]][hop["src"], hop["dst"]] += 1
        for algorithm, rule in algorithms.items():
            row = last[f"MPI_{algorithm.operation.capitalize()}"]
            schedule = lay(rule.rule, row["op"], (BYTES,), range(ranks), root=row["root"], trees=rule.trees)
            planned_edges = Counter((message.src, message.dst) for message in of_schedules(schedule).messages)
            assert planned_edges == edges[row["collective_id"]], algorithm


@pytest.mark.parametrize(
    ("operation", "number", "messages"),
    [("allreduce", 1, 2), ("allreduce", 3, 1), ("barrier", 6, 2), ("barrier", 4, 1)],
)
def test_on_two_ranks_what_comes_one_after_the_other_is_planned_so(operation: str, number: int, messages: int) -> None:
    """Regression: Open MPI's linear Allreduce on two hosts was predicted to take one latency of their link, and took
    two."""
    name = open_mpi.ALGORITHMS[operation, number].name
    plan = planned(Offered(operation, name, number, ""), 2)
    assert isinstance(plan, Planned)
    op = f"MPI_{operation.capitalize()}"
    schedule = lay(plan.rule, op, () if op == "MPI_Barrier" else (8,), range(2), trees=plan.trees)
    assert longest_chain(schedule, np.ones(len(schedule["kind"]), np.int64)) == messages


def test_pieces_of_few_bytes_are_not_predicted() -> None:
    """If there are fewer elements than ranks, Open MPI runs recursive doubling instead of a ring."""
    ring = Offered("allreduce", "ring", 4, "")
    assert isinstance(planned(ring, 8, least_bytes=127), Unplanned)
    assert planned(ring, 8, least_bytes=128) == Planned({"algorithm": "ring"})
