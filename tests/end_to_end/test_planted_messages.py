"""Planted late senders, late receivers and messages in the wrong order are found in a real job, and charged to the
right rank."""

import hopscope
import local_mpi
import pytest
from jobs import PROGRAMS, Planted, Run, by_key

ITERATIONS, SENDER_MS, RECEIVER_MS, ORDER_MS = 10, 8, 20, 5


@pytest.mark.parametrize("release", ["openmpi-4", "mpich-5"])
def test_who_was_late_is_charged_with_the_other_s_waiting(release: str, planted: Planted) -> None:
    trace = planted(f"late_ends_{release}")
    pairs = by_key(trace.messages().to_pylist(), "pair")
    assert_the_messages_of_the_program(trace, ITERATIONS)

    # Rank 1 sends 8 ms late and, in the wrong order, 5 ms late. A sleep never ends early, but rank 0 may come some time
    # after its begin, and the sleeping rank some time after its end.
    late_pair = pairs["1->0"]
    planted_ms = ITERATIONS * (SENDER_MS + ORDER_MS)
    assert 0.95 * planted_ms < late_pair["waiting_caused_ns"] / 1e6 < 1.1 * planted_ms
    assert late_pair["late_senders"] >= 2 * ITERATIONS
    assert late_pair["wrong_order"] == ITERATIONS
    assert late_pair["late_receivers"] == 0

    # Rank 0 sends at once and waits 20 ms for rank 1 to receive.
    blocked = pairs["0->1"]
    planted_ms = ITERATIONS * RECEIVER_MS
    assert 0.95 * planted_ms < blocked["waiting_suffered_ns"] / 1e6 < 1.1 * planted_ms
    assert blocked["late_receivers"] == ITERATIONS
    assert blocked["late_senders"] == blocked["wrong_order"] == 0

    ranks = by_key(trace.messages(by="rank").to_pylist(), "rank")
    waited = late_pair["waiting_caused_ns"] + blocked["waiting_suffered_ns"]
    assert (ranks[1]["waiting_caused_ns"], ranks[0]["waiting_suffered_ns"]) == (waited, waited)
    places = trace.messages(by="place").to_pylist()
    assert max(places, key=lambda row: row["waiting_suffered_ns"])["messages"] == ITERATIONS


def test_messages_have_both_ends_and_the_call_that_sent_them(mpi: local_mpi.LocalMpi, traced: Run) -> None:
    job = traced(mpi, 2, mpi.compile(PROGRAMS / "late_ends.c"), 3, 0, 0, 0)
    assert job.code == 0, job.err
    assert_the_messages_of_the_program(hopscope.open(job.trace), 3)


def assert_the_messages_of_the_program(trace: hopscope.Trace, iterations: int) -> None:
    """Checks that each message of late_ends.c is there once, with its call, and that each wait is charged to the other
    end."""
    pairs = by_key(trace.messages().to_pylist(), "pair")
    assert {pair: row["messages"] for pair, row in pairs.items()} == {"0->1": iterations, "1->0": 3 * iterations}
    places = trace.messages(by="place").to_pylist()
    assert sum(row["messages"] > 0 for row in places) == 4  # each MPI_Send of the program; the other calls receive
    assert sum(row["waiting_caused_ns"] for row in places) == sum(row["waiting_suffered_ns"] for row in places)
