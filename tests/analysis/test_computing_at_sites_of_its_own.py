"""Ranks that send and receive at different call sites compute at different sites, but are compared all the same.

In each of 20 iterations of 60 µs, rank 1 computes 50 µs and sends. Rank 0 computes, then waits for the message until 55
µs.
"""

from pathlib import Path

import hopscope
import pytest
from drawing import draw

ITERATIONS = 20


def drawn_run(directory: Path, computing_us: int) -> hopscope.Trace:
    """The run in which rank 0 computes for `computing_us` in each iteration."""
    intervals = [
        "rank location begin_ns end_ns region kind call_site",
        "0 0 -9 -5 MPI_Init init a",
        "1 1 -9 -5 MPI_Init init a",
    ]
    messages = [
        "src dst src_location dst_location link bytes binding"
        " send_begin_ns send_wait_begin_ns send_end_ns recv_post_ns recv_wait_begin_ns recv_end_ns"
    ]
    for begin in range(0, 60_000 * ITERATIONS, 60_000):
        sent, posted, arrival = begin + 50_000, begin + 1000 * computing_us, begin + 55_000
        intervals.append(f"0 0 {posted} {begin + 60_000} MPI_Recv p2p receives")
        intervals.append(f"1 1 {sent} {begin + 60_000} MPI_Send p2p sends")
        messages.append(f"1 0 1 0 shm 8 recv {sent} {sent} {begin + 60_000} {posted} {posted} {arrival}")
    return hopscope.open(
        draw(
            directory / "d",
            ranks="rank host\n0 a\n1 a",
            comms="comm name size members\n0 world 2 0,1",
            intervals="\n".join(intervals),
            messages="\n".join(messages),
        )
    )


@pytest.mark.parametrize(
    ("computing_us", "kind", "evidence"),
    [
        # Regression: the text was that rank 1 `computes alone while the others wait`, though rank 0 computes for 30 of
        # the 50 µs.
        pytest.param(30, "imbalance", "50.0 µs there, where the others compute 30.0 µs;", id="others compute, too"),
        pytest.param(5, "serial-section", "50.0 µs there, where the others compute 0 ns;", id="alone"),
    ],
)
def test_a_rank_is_alone_only_if_no_other_computes_meanwhile(
    tmp_path: Path, computing_us: int, kind: str, evidence: str
) -> None:
    first = drawn_run(tmp_path, computing_us).diagnose().to_pylist()[0]
    assert (first["kind"], first["ranks"]) == (kind, [1])
    assert first["evidence"].startswith(evidence)
