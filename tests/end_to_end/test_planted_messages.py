"""Late senders, late receivers and messages in the wrong order, planted in a real job, are found and charged."""

import local_mpi
import pytest
from jobs import FIRST, PROGRAMS, Run, analyze, by_key

pytestmark = pytest.mark.alone

ITERATIONS, SENDER_MS, RECEIVER_MS, ORDER_MS = 10, 8, 20, 5


def test_who_was_late_is_charged_with_the_other_s_waiting(mpi: local_mpi.LocalMpi, traced: Run) -> None:
    program = mpi.compile(PROGRAMS / "late_ends.c")
    first = FIRST if mpi.flavour == "openmpi" else ()
    job = traced(mpi, 2, *first, program, ITERATIONS, SENDER_MS, RECEIVER_MS, ORDER_MS)
    assert job.code == 0, job.err
    pairs = by_key(analyze(job.trace, "messages"), "pair")
    assert {pair: row["messages"] for pair, row in pairs.items()} == {"0->1": ITERATIONS, "1->0": 3 * ITERATIONS}

    # Rank 1 sends 8 ms and, in the wrong order, 5 ms late. A sleep never ends early, but rank 0 may come some time
    # after it, and the sleeper some time later.
    late = pairs["1->0"]
    planted_ms = ITERATIONS * (SENDER_MS + ORDER_MS)
    assert 0.8 * planted_ms < late["waiting_caused_ns"] / 1e6 < 2 * planted_ms
    assert late["late_senders"] >= 2 * ITERATIONS
    assert late["wrong_order"] == ITERATIONS
    assert late["late_receivers"] == 0

    # Rank 0 sends at once and waits 20 ms for rank 1 to receive.
    held = pairs["0->1"]
    planted_ms = ITERATIONS * RECEIVER_MS
    assert 0.8 * planted_ms < held["waiting_suffered_ns"] / 1e6 < 2 * planted_ms
    assert held["late_receivers"] == ITERATIONS
    assert held["late_senders"] == held["wrong_order"] == 0

    ranks = by_key(analyze(job.trace, "messages", "--by", "rank"), "rank")
    waited = late["waiting_caused_ns"] + held["waiting_suffered_ns"]
    assert (ranks[1]["waiting_caused_ns"], ranks[0]["waiting_suffered_ns"]) == (waited, waited)
    places = analyze(job.trace, "messages", "--by", "place")
    assert sum(row["messages"] > 0 for row in places) == 4  # each MPI_Send of the program; the other calls receive
    assert sum(row["waiting_caused_ns"] for row in places) == sum(row["waiting_suffered_ns"] for row in places)
    assert max(places, key=lambda row: row["waiting_suffered_ns"])["messages"] == ITERATIONS
