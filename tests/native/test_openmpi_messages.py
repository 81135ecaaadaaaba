"""Open MPI's own messages inside collectives: each is recorded at both ends, in its collective, and nothing else is."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from messages import OPEN_MPI, Messages, facts, matches_one_to_one, messages, traced

PROGRAMS = Path(__file__).parent / "programs"
# A power of two, another number, and a half of one rank. A slice has the other numbers.
CASES = [
    pytest.param(mpi, ranks, id=f"{mpi.release}-{ranks}", marks=[] if ranks in (3, 8) else pytest.mark.statistics)
    for mpi in OPEN_MPI
    for ranks in (2, 3, 4, 6, 8, 13)
]
COLLECTIVES_OF_WORLD = 3 * (18 + 6 + 1)


def knows_all(trace: Path) -> bool:
    """Asserts that the collector assigned every message of a collective, and lost none. Returns True if the run also
    has messages that create communicators, windows or files."""
    counts = facts(trace)
    names = ("off", "unseen", "thinned", "unknown", "lost")
    assert counts and [counts[name] for name in names] == [None, 0, 0, 0, 0]
    return bool(counts["internal"])


@pytest.mark.parametrize(("mpi", "ranks"), CASES)
def test_sends_and_receives_of_all_collectives_match_one_to_one(
    mpi: local_mpi.LocalMpi, ranks: int, tmp_path: Path
) -> None:
    trace = traced([*mpi.launch(ranks), str(mpi.compile(PROGRAMS / "collectives.c"))], tmp_path)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    assert knows_all(trace)  # making the halves and the grid also takes messages
    # The world, two halves and the grid. A half of one rank has no messages.
    assert len({message.comm for message in run_messages.sent}) == (2 if ranks == 2 else 3 if ranks == 3 else 4)
    world = max(
        {message.comm for message in run_messages.sent}, key=lambda comm: sum(m.comm == comm for m in run_messages.sent)
    )
    numbers = {message.seq for message in run_messages.sent if message.comm == world}
    assert numbers == set(range(1, 1 + COLLECTIVES_OF_WORLD))  # MPI_Comm_split is number 0


@pytest.mark.parametrize(("mpi", "ranks"), CASES)
def test_messages_on_intercommunicators_match_between_groups_and_inside_them(
    mpi: local_mpi.LocalMpi, ranks: int, tmp_path: Path
) -> None:
    trace = traced([*mpi.launch(ranks), str(mpi.compile(PROGRAMS / "intercomm.c"))], tmp_path)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    assert knows_all(trace)
    inner_messages = [m for m in run_messages.sent if (m.source % 3 == 0) == (m.destination % 3 == 0)]
    outer_messages = [m for m in run_messages.sent if m not in inner_messages]
    assert outer_messages
    # MPI_Barrier on MPI_COMM_WORLD has such messages too.
    assert (len({m.comm for m in inner_messages}) > 1) == (ranks > 2)


@pytest.mark.parametrize(("mpi", "ranks"), CASES)
def test_messages_of_persistent_collectives_match_at_each_start(
    mpi: local_mpi.LocalMpi, ranks: int, tmp_path: Path
) -> None:
    """Open MPI 4 has persistent collectives only under other names. Seventeen requests of three sizes are started three
    times, on MPI_COMM_WORLD and on a half. Each start has its own number."""
    trace = traced([*mpi.launch(ranks), str(mpi.compile(PROGRAMS / "persistent.c"))], tmp_path)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    assert knows_all(trace)
    world = max(
        {message.comm for message in run_messages.sent}, key=lambda comm: sum(m.comm == comm for m in run_messages.sent)
    )
    assert len({message.seq for message in run_messages.sent if message.comm == world}) == 3 * 3 * (17 + 1) + 9


def test_messages_that_make_communicators_join_no_collective_of_a_freed_one(
    open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    """Regression: a freed communicator's collective got the messages of the communicator that has its handle now."""
    trace = traced([*open_mpi.launch(4), str(open_mpi.compile(PROGRAMS / "reused_handles.c"))], tmp_path)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    assert knows_all(trace)
    assert len({message.comm for message in run_messages.sent}) == 10


def test_messages_of_threads_match_though_other_threads_may_complete_them(
    open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    program = open_mpi.compile(PROGRAMS / "threaded.c", "-pthread")
    trace = traced([*open_mpi.launch(4), str(program)], tmp_path)
    assert matches_one_to_one(messages(trace))
    counts = facts(trace)
    assert counts and counts["unknown"] == 0 and counts["lost"] == 0


@pytest.mark.statistics
def test_messages_that_other_threads_take_in_are_not_early(open_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    program = open_mpi.compile(PROGRAMS / "threaded.c", "-pthread")
    trace = traced([*open_mpi.launch(4), str(program)], tmp_path)
    # A message that is sent long after the wait began cannot have been early. Regression: such messages counted as
    # early if another thread received them while this one looked. Between posting and waiting, a rank may sometimes
    # lose its core.
    (counts,) = (
        hopscope.open(trace)
        .sql(
            "select count(*) filter (arrived_early) as early, count(*) as hops from hops inner join collectives using "
            "(collective_id) where op in ('MPI_Allreduce', 'MPI_Bcast') and hops.bytes = 80 and "
            "send_begin_ns > recv_post_ns + 2000000"
        )
        .to_pylist()
    )
    assert counts["early"] <= max(3, 0.1 * counts["hops"]), counts


def test_messages_of_many_pending_collectives_are_known_by_their_own(
    open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    """Regression: a table with one entry for a number lost the first of two collectives with the same number."""
    trace = traced([*open_mpi.launch(4), str(open_mpi.compile(PROGRAMS / "many_pending.c"))], tmp_path)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    assert len({(message.comm, message.seq) for message in run_messages.sent}) == 200


def test_of_every_third_collective_both_ends_are_recorded_and_of_the_others_none(
    open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    words = [*open_mpi.launch(4), str(open_mpi.compile(PROGRAMS / "collectives.c"))]
    run_messages = messages(traced(words, tmp_path, HOPSCOPE_NATIVE="every:3"))
    assert matches_one_to_one(run_messages)
    by_comm: dict[str, set[int]] = {}
    for message in run_messages.sent:
        by_comm.setdefault(message.comm, set()).add(message.seq % 3)
    assert all(len(rests) == 1 for rests in by_comm.values())


def test_they_are_recorded_unless_they_are_not_wanted(open_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    words = [*open_mpi.launch(2), str(open_mpi.compile(PROGRAMS / "collectives.c"))]
    assert matches_one_to_one(messages(traced(words, tmp_path, HOPSCOPE_NATIVE="")))
    (tmp_path / "off").mkdir()
    trace = traced(words, tmp_path / "off", HOPSCOPE_NATIVE="0")
    assert messages(trace) == Messages()
    assert facts(trace) is None
