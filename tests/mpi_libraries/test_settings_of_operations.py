"""Operations with a block for each rank: the messages of an MPI library's algorithms, and the settings that make the
library run an algorithm."""

import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest
from algorithm_rounds import rounds, variables
from forced_algorithms import OPEN_MPI_4, needs_open_mpi_4
from hopscope.advice.library import choices_of
from hopscope.mpi_libraries.offered import Library, Offered, query_library
from hopscope.mpi_libraries.open_mpi.algorithms import ALGORITHMS, sent
from hopscope.mpi_libraries.planned import Planned, planned
from hopscope.mpi_libraries.written import Choice, setting_file
from hopscope.replay.algorithms.algorithm import Algorithm
from hopscope.replay.run.operations import OPERATION, OPERATIONS
from hopscope.replay.run.subject import Subject, source_of

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
MPICHS = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "mpich"] + local_mpi.find_intel()
RANKS, BYTES = 6, 2048
BLOCKS = {name for name in OPERATIONS if "each" in (OPERATION[name].input, OPERATION[name].output)}
LEFT_OUT = {"MPI_Alltoallv", "MPI_Alltoallw"}
"""Operations for which the trace does not contain the bytes from each rank to each other rank."""
FORCED = [
    *(("gather", 1), ("scatter", 2), ("allgather", 2), ("allgather", 4), ("allgatherv", 3), ("alltoall", 2)),
    *(("alltoall", 3), ("reduce_scatter", 3), ("scan", 1), ("exscan", 1)),
]


def recorded_run(
    mpi: local_mpi.LocalMpi,
    folder: Path,
    operations: Iterable[str],
    *words: str,
    ranks: int = RANKS,
    **environment: str,
) -> hopscope.Trace:
    launch = [str(Path(sys.executable).parent / "hopscope"), "run", "--dir", str(folder), "--", *mpi.launch(ranks)]
    pairs = [word for operation in operations for word in (operation, str(BYTES))]
    program = [str(mpi.compile(PROGRAM)), "5", "0", *pairs]
    done = subprocess.run(
        [*launch, *words, *program],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**local_mpi.without_hopscope(), "HOPSCOPE_NATIVE": "1", **environment},
    )
    assert done.returncode == 0, done.stderr
    return hopscope.open(folder)


def mpi_name(operation: str) -> str:
    return f"MPI_{operation.capitalize()}"


def subject_of(trace: hopscope.Trace, operation: str) -> Subject:
    """The target of the operation's calls, which are all on one communicator."""
    (comm,) = {row["comm"] for row in trace.table("collectives").to_pylist()}
    return source_of(trace.table, (comm, mpi_name(operation))).subject


@pytest.fixture(scope="module")
def forced(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, int], dict[str, Any]]:
    """The rows of the answer for each algorithm of FORCED, from runs with rules that force it. The rules are made for
    the calls of a first run without rules."""
    folder = tmp_path_factory.mktemp("forced")
    rules: dict[Offered, Planned] = {}
    for operation, number in FORCED:
        name = ALGORITHMS[operation, number].name
        offered = Offered(operation, name, number, f"coll_tuned_{operation}_algorithm")
        rule = planned(offered, RANKS)
        assert isinstance(rule, Planned)
        rules[offered] = rule
    baseline = recorded_run(OPEN_MPI_4[0], folder / "before", dict(FORCED))
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for turn, algorithms in enumerate(rounds(rules)):
        choices: list[Choice] = []
        for offered in algorithms:
            subject = subject_of(baseline, offered.operation)
            assert subject.native and subject.op == mpi_name(offered.operation)
            choices += choices_of(Library("openmpi", "4.1", "mpirun", [*algorithms], {}), offered, [subject], 0, 0)
        file = folder / f"rules{turn}"
        setting = setting_file(choices, str(file))
        file.write_text(setting.text)
        operations = [offered.operation for offered in algorithms]
        rerun = recorded_run(OPEN_MPI_4[0], folder / f"after{turn}", operations, *shlex.split(setting.words))
        of_operation = {row["op"]: row for row in rerun.algorithms().to_pylist()}
        assert len(of_operation) == len(operations)
        for offered in algorithms:
            rows[offered.operation, offered.number or 0] = of_operation[mpi_name(offered.operation)]
    return rows


@needs_open_mpi_4
@pytest.mark.parametrize(("operation", "number"), FORCED, ids=str)
def test_rules_reach_the_calls_that_were_judged(
    operation: str, number: int, forced: dict[tuple[str, int], dict[str, Any]]
) -> None:
    row = forced[operation, number]
    expected = sent(operation, number, RANKS)
    assert expected in (row["algorithm"], *(row["same"] or "").split(", ")), row


@pytest.mark.parametrize("ranks", [5, pytest.param(8, marks=pytest.mark.statistics)])
@pytest.mark.parametrize("mpi", MPICHS, ids=[mpi.release for mpi in MPICHS])
def test_a_rule_sends_the_blocks_that_mpich_or_intel_mpi_sends(
    mpi: local_mpi.LocalMpi, ranks: int, tmp_path: Path
) -> None:
    is_intels = mpi in local_mpi.find_intel()
    library = query_library("intelmpi" if is_intels else "mpich", mpi.launcher, "")
    rules = {
        offered: rule
        for offered in library.algorithms
        if mpi_name(offered.operation) in BLOCKS - LEFT_OUT and isinstance(rule := planned(offered, ranks), Planned)
    }
    alike: dict[tuple[str, str], bool] = {}
    for turn, algorithms in enumerate(rounds(rules)):
        environment = {**local_mpi.MPICH_IN_MESSAGES, **variables(library, [*algorithms])}
        operations = [offered.operation for offered in algorithms]
        trace = recorded_run(mpi, tmp_path / str(turn), operations, ranks=ranks, **environment)
        last = {row["op"]: row["collective_id"] for row in trace.table("collectives").to_pylist()}
        edges: dict[int, Counter[tuple[int, int, int]]] = defaultdict(Counter)
        for hop in trace.table("hops").to_pylist():
            if hop["src"] != hop["dst"]:  # MPICH also sends itself its own block
                edges[hop["collective_id"]][hop["src"], hop["dst"], hop["bytes"]] += 1
        for offered, rule in algorithms.items():
            subject = subject_of(trace, offered.operation)
            (expected, *_) = Algorithm(offered.name, rule.rule, rule.trees or {}).messages(subject)
            columns = (column.tolist() for column in (expected.src, expected.dst, expected.size))
            alike[offered.operation, offered.name] = edges[last[subject.op]] == Counter(zip(*columns, strict=True))
    expected = {("gather", "binomial"), ("alltoall", "pairwise"), ("allgather", "ring")}
    assert set(alike) >= ({("gather", "preset 1"), ("alltoall", "preset 3")} if is_intels else expected)
    assert [name for name, is_alike in alike.items() if not is_alike] == []
