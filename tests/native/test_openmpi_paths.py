"""Open MPI's own messages in a dataset: all are assigned to their collectives, and paths lead through them to the
cause."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.vocabulary.mpi_functions import FUNCTIONS
from messages import OPEN_MPI, recorded
from recorded_jobs import sample_trace

PROGRAMS = Path(__file__).parent / "programs"
LATE_RANK, LATE_NS, COLLECTIVES = 2, 20_000_000, 20
"""Parameters of late.c in the recorded runs."""


def traced(shared: Path, mpi: local_mpi.LocalMpi, ranks: int, program: str, **environment: str) -> hopscope.Trace:
    words = [*mpi.launch(ranks), str(mpi.compile(PROGRAMS / program, "-pthread"))]
    return hopscope.open(recorded(shared, words, **environment))


def wherever_it_is(*programs: str) -> pytest.MarkDecorator:
    """Parameters of a test that runs each of these programs under each release."""
    cases = [(mpi, program) for mpi in OPEN_MPI for program in programs]
    return pytest.mark.parametrize(
        ("mpi", "program"), cases, ids=[f"{mpi.release}-{program}" for mpi, program in cases]
    )


@pytest.mark.parametrize("ranks", [4, 6])
@wherever_it_is("collectives.c", "intercomm.c", "persistent.c")
def test_every_collective_of_several_ranks_shows_all_its_messages(
    mpi: local_mpi.LocalMpi, program: str, ranks: int, shared: Path
) -> None:
    trace = traced(shared, mpi, ranks, program)
    assert trace.table("run")["missing"].to_pylist() == [None]
    collectives = trace.table("collectives").to_pylist()
    hops = trace.table("hops").to_pylist()
    with_messages = [c for c in collectives if c["comm_size"] > 1 and FUNCTIONS[c["op"]].kind != "comm"]
    assert {c["collective_id"] for c in with_messages} == {h["collective_id"] for h in hops}
    # Times alone may not decide which message a rank waited for, mostly in nonblocking collectives, and more often on a
    # busy machine.
    undecided = [c for c in collectives if c["native_reason"] is not None]
    assert {c["native_reason"] for c in undecided} <= {"undecided"}
    paths = [s for s in trace.table("path_stretches").to_pylist() if s["path"] == "collective"]
    native = {s["path_collective_id"] for s in paths if s["category"] == "native"}
    assert native == {c["collective_id"] for c in undecided}
    assert {row["verdict"] for row in trace.check_data().to_pylist()} <= {"holds", "exempt", "nothing to check"}


@pytest.mark.parametrize("name", ["every_kind_openmpi-4", "every_kind_openmpi-5", "late_between_openmpi-4"])
def test_of_few_collectives_the_times_do_not_tell_what_was_waited_for(name: str, shared: Path) -> None:
    reasons = sample_trace(shared, f"planted/{name}/trace").table("collectives")["native_reason"].to_pylist()
    assert set(reasons) <= {None, "undecided"}
    assert reasons.count("undecided") < len(reasons) / 10


def test_messages_that_other_threads_complete_are_whole(open_mpi: local_mpi.LocalMpi, shared: Path) -> None:
    trace = traced(shared, open_mpi, 4, "threaded.c")
    assert trace.table("run")["missing"].to_pylist() == [None]
    assert set(trace.table("collectives")["native_reason"].to_pylist()) <= {None, "undecided"}


def test_a_message_that_came_before_its_receiver_was_early(open_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # The receiver comes to each broadcast after all others have left it.
    trace = traced(tmp_path, open_mpi, 4, "queued.c", PROGRESS_FILE=str(tmp_path / "progress"))
    bindings = [hop["binding"] for hop in trace.table("hops").to_pylist() if hop["dst"] == 3]
    assert len(bindings) >= 9
    assert set(bindings) == {"none"}


@pytest.mark.parametrize(
    "name",
    [*(f"{kind}_{release}" for release in ("openmpi-4", "openmpi-5") for kind in ("nonblocking", "between")),
     "persistent_openmpi-5"],
)  # fmt: skip
def test_the_path_through_the_librarys_messages_leads_to_the_late_rank(name: str, shared: Path) -> None:
    trace = sample_trace(shared, f"planted/late_{name}/trace")
    computed = [0] * 4
    for stretch in trace.table("path_stretches").to_pylist():
        if stretch["path"] == "run" and stretch["category"] == "compute":
            computed[stretch["rank"]] += stretch["end_ns"] - stretch["begin_ns"]
    assert computed[LATE_RANK] >= COLLECTIVES * LATE_NS
    assert sum(computed) - computed[LATE_RANK] <= computed[LATE_RANK] / 100
