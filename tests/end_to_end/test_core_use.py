"""Processor time shows why a rank computes longer: it has more work, it has no core, or it sleeps."""

import hopscope
import local_mpi
import pyarrow as pa
import pytest
from hopscope.explain.diagnosis.core_use import core_use_of
from jobs import PROGRAMS, Run

RANKS = 2


@pytest.mark.parametrize("what", ["more", "sleep", "shared"])
def test_samples_tell_work_from_sleep_and_from_waiting_for_a_core(
    mpi: local_mpi.LocalMpi, traced: Run, what: str
) -> None:
    job = traced(mpi, RANKS, mpi.compile(PROGRAMS / "core_use.c"), what)
    other, late = hopscope.open(job.trace).table("ranks").to_pylist()
    for rank in (other, late):
        assert 0.05e9 < rank["computing_on_core_ns"] <= 1.05 * rank["computing_cpu_ns"]
    # A busy machine makes any rank wait for a core, so the others' waiting is not checked.
    if what == "more":
        assert late["computing_on_core_ns"] > 2 * other["computing_on_core_ns"]
    elif what == "sleep":
        asleep_ns = late["computing_ns"] - late["computing_on_core_ns"] - late["computing_queued_ns"]
        assert asleep_ns > 0.4e9
    else:
        assert late["computing_queued_ns"] > 0.25 * late["computing_ns"]


def test_the_diagnosis_says_that_a_rank_slept_and_yet_it_computes(mpi: local_mpi.LocalMpi, traced: Run) -> None:
    job = traced(mpi, RANKS, mpi.compile(PROGRAMS / "core_use.c"), "sleep")
    first = hopscope.open(job.trace).run("diagnose").to_pylist()[0]
    assert first["kind"] in ("imbalance", "serial-section")
    assert (first["ranks"], first["core_use"]) == ([1], "asleep")
    assert "it slept" in first["evidence"]


def ranks_table(*sampled: tuple[int, int, int, int] | None) -> pa.Table:
    """The table of ranks with computing time, time on a core, queued time and processor time of all threads; None for a
    rank without samples."""
    names = ("computing_ns", "computing_on_core_ns", "computing_queued_ns", "computing_cpu_ns")
    return pa.table(
        {
            "rank": pa.array(range(len(sampled)), pa.int32()),
            **{
                name: pa.array([None if row is None else row[place] for row in sampled], pa.int64())
                for place, name in enumerate(names)
            },
        }
    )


USUAL = (100, 90, 10, 90)
"""The row of a rank with one thread, which is on a core nearly all the time."""


@pytest.mark.parametrize(
    ("late", "word", "part_ns"),
    [
        ((300, 290, 10, 290), "on-core", 0),
        ((300, 100, 190, 100), "queued", 180),
        ((300, 90, 10, 90), "asleep", 200),
    ],
)
def test_what_the_others_have_too_is_no_excess(late: tuple[int, int, int, int], word: str, part_ns: int) -> None:
    use = core_use_of({1: 200.0}, ranks_table(USUAL, late, USUAL))
    assert use is not None
    assert (use.word, use.excess_ns, use.part_ns) == (word, 200, part_ns)


def test_a_rank_whose_threads_idle_keeps_fewer_cores_busy_than_the_others() -> None:
    use = core_use_of({0: 200.0}, ranks_table((300, 300, 0, 330), (100, 100, 0, 380), (100, 100, 0, 380)))
    assert use is not None
    assert (use.word, use.cores, use.other_cores) == ("idle-threads", pytest.approx(1.1), pytest.approx(3.8))


def test_without_samples_and_beside_other_causes_nothing_is_said() -> None:
    assert core_use_of({1: 200.0}, ranks_table(USUAL, None, USUAL)) is None
    assert core_use_of({1: 200.0}, ranks_table(None, USUAL)) is None
    assert core_use_of({1: 200.0}, ranks_table(USUAL).select(["rank"])) is None
    # The rank slept five times as long as it was late; it also sleeps before the first iteration.
    assert core_use_of({1: 200.0}, ranks_table(USUAL, (1300, 290, 10, 290), USUAL)) is None
