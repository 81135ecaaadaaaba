"""Open MPI's own messages in a dataset: all of them find their collective, and paths lead through them to the cause."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from messages import OPEN_MPI, traced

PROGRAMS = Path(__file__).parent / "programs"


def recorded(mpi: local_mpi.LocalMpi, ranks: int, program: str, folder: Path, *arguments: str) -> hopscope.Trace:
    words = [*mpi.launch(ranks), str(mpi.compile(PROGRAMS / program, "-pthread")), *arguments]
    return hopscope.open(traced(words, folder))


def wherever_it_is(*what: str) -> pytest.MarkDecorator:
    """Each of these under each release; Open MPI 4 has persistent collectives under other names only."""
    cases = [(mpi, it) for mpi in OPEN_MPI for it in what if it[:10] != "persistent" or mpi.release != "openmpi-4"]
    return pytest.mark.parametrize(("mpi", "what"), cases, ids=[f"{mpi.release}-{it}" for mpi, it in cases])


@pytest.mark.parametrize("ranks", [4, 6])
@wherever_it_is("collectives.c", "intercomm.c", "persistent.c")
def test_every_collective_of_several_ranks_shows_all_its_messages(
    mpi: local_mpi.LocalMpi, what: str, ranks: int, tmp_path: Path
) -> None:
    trace = recorded(mpi, ranks, what, tmp_path)
    assert trace.table("run")["missing"].to_pylist() == [None]
    collectives = trace.table("collectives").to_pylist()
    hops = trace.table("hops").to_pylist()
    assert {c["collective_id"] for c in collectives if c["comm_size"] > 1} == {h["collective_id"] for h in hops}
    # Times alone may not tell what was waited for: mostly in nonblocking ones, and more often on a busy machine.
    undecided = [c for c in collectives if c["native_reason"] is not None]
    assert {c["native_reason"] for c in undecided} <= {"undecided"}
    assert len(undecided) < len(collectives) / 4
    paths = [s for s in trace.table("path_stretches").to_pylist() if s["path"] == "collective"]
    native = {s["path_collective_id"] for s in paths if s["category"] == "native"}
    assert native == {c["collective_id"] for c in undecided}
    assert {row["verdict"] for row in trace.check_data().to_pylist()} <= {"holds", "exempt", "nothing to check"}


def test_messages_that_other_threads_complete_are_whole(open_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    trace = recorded(open_mpi, 4, "threaded.c", tmp_path)
    assert trace.table("run")["missing"].to_pylist() == [None]
    assert set(trace.table("collectives")["native_reason"].to_pylist()) <= {None, "undecided"}


@wherever_it_is("nonblocking", "between", "persistent")
def test_the_path_through_the_librarys_messages_leads_to_the_late_rank(
    mpi: local_mpi.LocalMpi, what: str, tmp_path: Path
) -> None:
    trace = recorded(mpi, 4, "late.c", tmp_path, what)
    stretches = [s for s in trace.table("path_stretches").to_pylist() if s["path"] == "run"]
    computed = [0] * 4
    for s in stretches:
        computed[s["rank"]] += (s["end_ns"] - s["begin_ns"]) * (s["category"] == "compute")
    # A busy machine holds up others too, but that is no computing of theirs.
    assert computed[2] >= 10 * 20_000_000
    assert sum(computed) - computed[2] <= computed[2] / 10
