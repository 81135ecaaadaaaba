"""Collectives that are called one after another, as one schedule: it takes what they take as a sequence."""

from __future__ import annotations

import numpy as np
import pytest
from hopscope import _plan
from hopscope.model.composed import Called, composed
from hopscope.model.sequences import lay, leaves
from test_sequences import OVERHEAD, over, slow_link

HOSTS = [0, 0, 0, 1, 1, 1]
ALL = range(len(HOSTS))
KINDS = {
    "tree": over("binomial", "MPI_Reduce", 64, HOSTS),
    "segments": lay({"algorithm": "pipeline", "segment_bytes": 100}, "MPI_Bcast", [1000], HOSTS, root=5),
    "exchange": lay({"algorithm": "recursive-doubling"}, "MPI_Allreduce", [300], HOSTS),
    "signals": lay({"algorithm": "dissemination"}, "MPI_Barrier", [], HOSTS),
}


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_two_calls_take_what_they_take_one_after_the_other(first: str, second: str) -> None:
    machine, calls = slow_link(2, combine_ns=5), [KINDS[first], KINDS[second]]
    apart = leaves(calls, HOSTS, machine, [0, 1])[1]
    together = leaves([composed(len(HOSTS), [Called(ALL, one) for one in calls])], HOSTS, machine)[0]
    assert together == pytest.approx(apart, abs=OVERHEAD)  # of what happens at one time, either may go first


def test_calls_on_parts_of_the_ranks_are_the_leaders_of_groups() -> None:
    inside, between = [[0, 1, 2], [3, 4, 5]], [0, 3]
    up, down = over("flat", "MPI_Reduce", 64, [0] * 3), over("flat", "MPI_Bcast", 64, [0] * 3)
    exchange = lay({"algorithm": "recursive-doubling"}, "MPI_Allreduce", [64], [0, 0])
    calls = [*(Called(ranks, up) for ranks in inside), Called(between, exchange)]
    made = composed(6, [*calls, *(Called(ranks, down) for ranks in inside)])
    rule = {"algorithm": "leaders", "level": "host", "inside": "t", "between": "recursive-doubling"}
    drawn = lay(rule, "MPI_Allreduce", [64], HOSTS, trees={"t": {"shape": "flat"}})
    machine = slow_link(2, combine_ns=5)
    assert leaves([made], HOSTS, machine) == pytest.approx(leaves([drawn], HOSTS, machine))


def test_members_are_renamed_and_messages_keep_their_ends() -> None:
    pair = lay({"algorithm": "recursive-doubling"}, "MPI_Barrier", [], [0, 0])
    made = composed(6, [Called([4, 1], pair), Called([1, 5], pair)])
    rank_of = np.repeat(np.arange(6), np.diff(made["first_step"]))
    sends = np.flatnonzero(made["kind"] == _plan.SEND)
    ends = [(int(rank_of[row]), int(made["peer"][row])) for row in sends]
    assert ends == [(1, 4), (1, 5), (4, 1), (5, 1)]
    assert [int(rank_of[made["other_end"][row]]) for row in sends] == [peer for _, peer in ends]
    # Rank 1 takes part in both, and posts the second receive when the first call is done.
    assert [len(made["ready"][a:b]) for a, b in zip(made["first_ready"], made["first_ready"][1:], strict=False)] == [
        *(0, 2, 0, 0, 2, 2)
    ]
