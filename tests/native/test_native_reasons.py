"""Each call without hops says why, if the MPI library's own messages are recorded."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.vocabulary.mpi_functions import FUNCTIONS
from local_mpi import MPICH_IN_MESSAGES
from messages import MPICH, OPEN_MPI, traced

pytestmark = pytest.mark.usefixtures("many_ranks_on_few_cores")

PROGRAMS = Path(__file__).parent / "programs"
LEFT_OUT = "native:left out by HOPSCOPE_NATIVE=every:N"
NONBLOCKING = "native:messages of nonblocking and persistent collectives are not recorded under MPICH"
ONLY_NONBLOCKING = "native:only messages of nonblocking collectives were seen on this rank, and these are not recorded"
FIRST = "native:the first collective to use communicators of the MPI library's own"


def recorded(mpi: local_mpi.LocalMpi, program: str, folder: Path, **environment: str) -> hopscope.Trace:
    words = [*mpi.launch(4), str(mpi.compile(PROGRAMS / program))]
    return hopscope.open(traced(words, folder, **mpi.patience(), **environment))


def said_without_hops(trace: hopscope.Trace) -> dict[str, set[str]]:
    """The engine words of calls, by operation. Counts only MPI's complete collectives of several ranks without hops."""
    with_hops = set(trace.table("hops")["collective_id"].to_pylist())
    operations = {
        row["collective_id"]: row["op"]
        for row in trace.table("collectives").to_pylist()
        if row["complete"] and row["comm_size"] > 1 and row["collective_id"] not in with_hops
        if FUNCTIONS[row["op"]].kind != "comm"
    }
    engines_by_operation: dict[str, set[str]] = {}
    for call in trace.table("calls").to_pylist():
        if call["collective_id"] in operations:
            engines_by_operation.setdefault(operations[call["collective_id"]], set()).add(call["engine"])
    return engines_by_operation


def test_under_mpich_nonblocking_persistent_and_neighbourhood_collectives_say_why_they_have_no_hops(
    mpich: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    """Regression: their engine was only `native`."""
    trace = recorded(mpich, "kinds.c", tmp_path, **MPICH_IN_MESSAGES)
    engines_by_operation = said_without_hops(trace)
    engines_by_operation.pop("MPI_Allreduce", None)  # the first Allreduce between the groups
    assert engines_by_operation == {
        "MPI_Iallreduce": {NONBLOCKING},
        "MPI_Ibcast": {"native"},  # an MPI_Ibcast of no bytes
        "MPI_Ibarrier": {NONBLOCKING},
        "MPI_Allreduce_init": {NONBLOCKING},
        "MPI_Barrier_init": {NONBLOCKING},
        "MPI_Neighbor_alltoall": {ONLY_NONBLOCKING},
    }
    caveat = f"16 calls of 4 operations stay native: {NONBLOCKING.partition(':')[2]}."
    assert caveat in trace.caveats()


@pytest.mark.parametrize("program", ["collectives.c", "kinds.c"])
@pytest.mark.parametrize("mpi", [*OPEN_MPI, *MPICH], ids=[mpi.release for mpi in [*OPEN_MPI, *MPICH]])
def test_what_every_third_leaves_out_says_so(mpi: local_mpi.LocalMpi, program: str, tmp_path: Path) -> None:
    in_messages = {**MPICH_IN_MESSAGES, "HOPSCOPE_NATIVE": "mpich:every:3"}
    environment = in_messages if mpi.flavour == "mpich" else {"HOPSCOPE_NATIVE": "every:3"}
    trace = recorded(mpi, program, tmp_path, **environment)
    engines_by_operation = said_without_hops(trace)
    engines_by_operation.pop("MPI_Ibcast" if program == "kinds.c" else "", None)  # an MPI_Ibcast of no bytes
    engines = set().union(*engines_by_operation.values())
    assert LEFT_OUT in engines
    other_engines = {FIRST, NONBLOCKING, ONLY_NONBLOCKING} if mpi.flavour == "mpich" else set()
    assert engines <= {LEFT_OUT} | other_engines
    assert sum(sentence.endswith(f"stay native: {LEFT_OUT.partition(':')[2]}.") for sentence in trace.caveats()) == 1


@pytest.mark.parametrize("mpi", OPEN_MPI, ids=[mpi.release for mpi in OPEN_MPI])
def test_a_nonblocking_collective_of_no_messages_gets_none_of_another(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """Under Open MPI 5, an MPI_Ibcast of no bytes takes no tag. Regression: it got the messages with the next tag,
    which made communicators, and 12 of them had only one end."""
    caveats = recorded(mpi, "kinds.c", tmp_path).caveats()
    assert [sentence for sentence in caveats if sentence.startswith("Missing")] == []
