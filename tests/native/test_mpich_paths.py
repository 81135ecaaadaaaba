"""The dataset says which collectives MPICH ran without messages and which messages its ranks waited for, and nothing
else."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from local_mpi import MPICH_IN_MESSAGES
from messages import recorded

pytestmark = pytest.mark.usefixtures("many_ranks_on_few_cores")

PROGRAMS = Path(__file__).parent / "programs"
RANKS, ROUNDS = 4, 20


def traced(shared: Path, mpi: local_mpi.LocalMpi, program: str, **environment: str) -> hopscope.Trace:
    words = [*mpi.launch(RANKS), str(mpi.compile(PROGRAMS / program, "-pthread"))]
    return hopscope.open(recorded(shared, words, **{**MPICH_IN_MESSAGES, **environment}))


def reasons(trace: hopscope.Trace) -> list[str | None]:
    return trace.table("collectives")["native_reason"].to_pylist()


def test_collectives_left_for_shared_memory_are_said_to_be(mpich: local_mpi.LocalMpi, shared: Path) -> None:
    trace = traced(shared, mpich, "repeated.c", MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD="5", **mpich.patience())
    with_hops = set(trace.table("hops")["collective_id"].to_pylist())
    left = {number for number, reason in enumerate(reasons(trace)) if reason == "shared"}
    # The first collectives on the library's own communicators have messages that are not in the trace.
    first = {call["collective_id"] for call in trace.table("calls").to_pylist() if "the first" in call["engine"]}
    assert with_hops and not with_hops & left
    assert with_hops | left | first == set(range(3 * ROUNDS))
    assert len(left) > ROUNDS if mpich.release == "mpich-5" else not left
    caveat = f"No message of {len(left)} of {3 * ROUNDS} collectives was seen"
    assert any(sentence.startswith(caveat) for sentence in trace.caveats()) == bool(left)


@pytest.mark.parametrize("program", ["repeated.c", "collectives.c", "intercomm.c"])
def test_what_is_sent_or_not_looked_at_is_not_said_to_pass_without_messages(
    program: str, mpich: local_mpi.LocalMpi, shared: Path
) -> None:
    """Nonblocking and neighbourhood collectives are not recorded."""
    assert "shared" not in reasons(traced(shared, mpich, program, **mpich.patience()))


def test_where_threads_keep_the_library_from_looking_no_receive_is_said_to_have_waited(
    mpich: local_mpi.LocalMpi, shared: Path
) -> None:
    """MPICH 4.0 holds its only lock inside collectives. So it is unknown if a message that it found by waiting had come
    before. Regression: all such messages counted as waited for."""
    trace = traced(shared, mpich, "threaded.c")
    bindings = {str(hop["binding"]) for hop in trace.table("hops").to_pylist()}
    assert ("recv" in bindings, "undecided" in bindings) == (mpich.release == "mpich-5", mpich.release == "mpich-4")
    assert ("undecided" in reasons(trace)) == (mpich.release == "mpich-4")


def test_a_message_that_lay_behind_others_was_early(mpich: local_mpi.LocalMpi, tmp_path: Path) -> None:
    """MPICH 5 takes one message at each look, from any rank. Nine of the application's messages are before each of
    these. Regression: a single look never reached them, so all counted as waited for."""
    trace = traced(tmp_path, mpich, "queued.c", PROGRESS_FILE=str(tmp_path / "progress"))
    bindings = [hop["binding"] for hop in trace.table("hops").to_pylist() if hop["dst"] == 3]
    assert len(bindings) >= 9  # in all collectives except the first
    # A look that another program interrupts counts as waiting. It is unlikely that this happens to each of nine,
    # because a look takes a microsecond.
    assert bindings.count("recv") < len(bindings)
