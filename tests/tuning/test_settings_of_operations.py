"""Operations with a block for each rank: what a library sends by an algorithm, and that a setting makes it run one."""

import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.algorithms.open_mpi import ALGORITHMS, sent
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.laid import messages_of
from hopscope.remap.run.operations import OPERATION, OPERATIONS
from hopscope.remap.run.program import source_of
from hopscope.remap.settings.forced import Forced, setting_of
from hopscope.tuning.offered import Library, Offered, asked
from hopscope.tuning.planned import Planned, Unplanned, planned

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
OPEN_MPI_4 = [mpi for mpi in local_mpi.find() if mpi.release == "openmpi-4"]
MPICHS = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "mpich"]
RANKS, BYTES = 6, 2048
BLOCKS = {name for name in OPERATIONS if "each" in (OPERATION[name].input, OPERATION[name].output)}
LEFT_OUT = {"MPI_Alltoallv", "MPI_Alltoallw"}
"""What each rank sent to each is not in the trace."""
FORCED = [
    *(("gather", 1), ("scatter", 2), ("allgather", 2), ("allgather", 4), ("allgatherv", 3), ("alltoall", 2)),
    *(("alltoall", 3), ("reduce_scatter", 3), ("scan", 1), ("exscan", 1)),
]


def ran(
    mpi: local_mpi.LocalMpi, folder: Path, operation: str, *words: str, ranks: int = RANKS, **environment: str
) -> hopscope.Trace:
    launch = [str(Path(sys.executable).parent / "hopscope"), "run", "--dir", str(folder), "--", *mpi.launch(ranks)]
    program = [str(mpi.compile(PROGRAM)), "5", "0", operation, str(BYTES)]
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


@pytest.mark.skipif(not OPEN_MPI_4, reason="needs Open MPI 4")
@pytest.mark.parametrize(("operation", "number"), FORCED, ids=str)
def test_rules_reach_the_calls_that_were_judged(operation: str, number: int, tmp_path: Path) -> None:
    name = ALGORITHMS[operation, number].name
    offered = Offered(operation, name, number, f"coll_tuned_{operation}_algorithm")
    rule = planned(offered, RANKS)
    assert isinstance(rule, Planned)
    subject = source_of(ran(OPEN_MPI_4[0], tmp_path / "before", operation).table).subject
    assert subject.native and subject.op == f"MPI_{operation.capitalize()}"
    chosen = Forced(name, rule.rule, rule.trees or {}, (subject.op,), offered=offered)
    file = tmp_path / "rules"
    setting = setting_of([(chosen, [subject])], Library("openmpi", "4.1", "mpirun", [offered], {}), str(file))
    file.write_text(setting.text)
    (row,) = ran(OPEN_MPI_4[0], tmp_path / "after", operation, *shlex.split(setting.words)).algorithms().to_pylist()
    what = sent(operation, number, RANKS)
    assert what in (row["algorithm"], *(row["same"] or "").split(", ")), row


@pytest.mark.parametrize("ranks", [5, 8])
@pytest.mark.parametrize("mpi", MPICHS, ids=[mpi.release for mpi in MPICHS])
def test_a_rule_sends_the_blocks_that_mpich_sends(mpi: local_mpi.LocalMpi, ranks: int, tmp_path: Path) -> None:
    library = asked("mpich", mpi.launcher, "")
    alike: dict[tuple[str, str], bool] = {}
    for one in library.algorithms:
        rule = planned(one, ranks)
        if f"MPI_{one.operation.capitalize()}" not in BLOCKS - LEFT_OUT or isinstance(rule, Unplanned):
            continue
        environment = {**local_mpi.MPICH_IN_MESSAGES, one.setting: one.name, **dict([library.besides[one.operation]])}
        trace = ran(mpi, tmp_path / f"{one.operation}-{one.name}", one.operation, ranks=ranks, **environment)
        subject = source_of(trace.table).subject
        sent = messages_of(
            Candidate(one.name, rule.rule, rule.trees or {}, (subject.op,)).lay(subject, subject.calls[0])
        )
        last = trace.table("collectives")["collective_id"].to_pylist()[-1]
        seen = Counter(
            (hop["src"], hop["dst"], hop["bytes"])
            for hop in trace.table("hops").to_pylist()
            if hop["collective_id"] == last and hop["src"] != hop["dst"]  # MPICH also sends itself its own block
        )
        columns = (column.tolist() for column in (sent.src, sent.dst, sent.size))
        alike[one.operation, one.name] = seen == Counter(zip(*columns, strict=True))
    assert set(alike) >= {("gather", "binomial"), ("alltoall", "pairwise"), ("allgather", "ring")}
    assert [one for one, is_alike in alike.items() if not is_alike] == []
