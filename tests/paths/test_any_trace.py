"""Properties of the walks on any trace: they end, and their stretches are contiguous."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Any

import pyarrow as pa
from derive import derive
from drawn_trace import DrawnTrace
from hypothesis import given, settings
from hypothesis import strategies as st

OPS = ("MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Scan", "MPI_Exscan", "MPI_Neighbor_allgather", "MPI_Barrier")
TIMES = st.integers(0, 40)  # few values, so that many events coincide


@st.composite
def any_traces(draw: st.DrawFn) -> dict[str, pa.Table]:
    """Calls, hops and messages at times that may contradict one another, as with wrong clocks."""
    ranks = draw(st.integers(1, 4))
    rank = st.integers(0, ranks - 1)
    t = DrawnTrace(ranks)
    clock = [0] * ranks
    for r in range(ranks):
        if draw(st.booleans()):
            t.interval(r, "init", 0, 3)
            clock[r] = 3
    for _ in range(draw(st.integers(0, 4))):
        if draw(st.booleans()):
            owner = draw(rank)
            begin = clock[owner] + draw(TIMES)
            clock[owner] = begin + draw(TIMES)
            t.interval(owner, draw(st.sampled_from(["p2p", "wait", "io", "overhead"])), begin, clock[owner])
            src, dst = draw(rank), draw(rank)
            send, post, wait = (draw(TIMES) for _ in range(3))
            size = draw(st.sampled_from([0, 8, 1 << 20]))
            t.message(src, dst, (send, send + draw(TIMES)), (post, wait, clock[owner]), size=size, error=draw(TIMES))
            continue
        members = draw(st.sets(rank, min_size=1))
        engine = draw(st.sampled_from(["tree", "native"]))
        enters = {r: clock[r] + draw(TIMES) for r in members}
        leaves: dict[int, int | None] = {}
        for r, enter in enters.items():
            clock[r] = enter + draw(TIMES)
            leaves[r] = None if draw(st.integers(0, 9)) == 0 else clock[r]
        c = t.collective(enters, leaves, draw(st.sampled_from(OPS)), draw(st.sampled_from([None, 0])), engine)
        for _ in range(draw(st.integers(0, 6)) if engine == "tree" else 0):
            begin = min(enters.values())
            sent, received, posted = (begin + draw(TIMES) for _ in range(3))
            arrived_early = draw(st.sampled_from([False, True, None]))
            send_wait = draw(st.sampled_from([None, (sent, sent + draw(TIMES))]))
            link = draw(st.sampled_from(["self", "shm", "lan", "wan"]))
            t.hop(
                c,
                draw(rank),
                draw(rank),
                sent,
                received,
                arrived_early=arrived_early,
                link=link,
                posted=posted,
                send_wait=send_wait,
            )
    for r in range(ranks):
        if draw(st.booleans()):
            t.interval(r, "finalize", clock[r] + 1, clock[r] + 2)
    return t.tables()


def paths_in(tables: dict[str, pa.Table]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    rows = tables["path_stretches"].to_pylist()
    groups = groupby(rows, key=lambda row: (row["path"], row["path_collective_id"]))
    return {key: list(stretches) for key, stretches in groups}


@settings(max_examples=100, deadline=None)
@given(any_traces())
def test_every_path_ends_and_its_stretches_add_up_to_its_length(tables: dict[str, pa.Table]) -> None:
    derived = derive(tables)
    last_leave = dict(
        zip(
            tables["collectives"]["collective_id"].to_pylist(),
            tables["collectives"]["last_leave_ns"].to_pylist(),
            strict=True,
        )
    )
    for (path, collective), stretches in paths_in(derived).items():
        assert [s["step"] for s in stretches] == list(range(len(stretches)))
        assert all(s["begin_ns"] < s["end_ns"] for s in stretches)
        assert all(a["end_ns"] == b["begin_ns"] for a, b in pairwise(stretches))
        length = stretches[-1]["end_ns"] - stretches[0]["begin_ns"]
        assert sum(s["end_ns"] - s["begin_ns"] for s in stretches) == length
        if path == "collective":
            assert stretches[-1]["end_ns"] == last_leave[collective]
            assert all(s["collective_id"] == collective for s in stretches)


@settings(max_examples=100, deadline=None)
@given(any_traces())
def test_predecessors_lead_back_in_time_and_stay_in_their_collective(tables: dict[str, pa.Table]) -> None:
    derived = derive(tables)
    hops = {row["hop_id"]: row for row in derived["hops"].to_pylist()}
    for hop in hops.values():
        predecessor = hops.get(hop["pred_hop_id"])
        if predecessor:
            # Either end may have waited for the predecessor, and this wait was over before the hop was sent.
            ends = [(predecessor["dst"], predecessor["recv_end_ns"]), (predecessor["src"], predecessor["send_end_ns"])]
            assert predecessor["collective_id"] == hop["collective_id"]
            assert predecessor["binding"] in {"recv", "send"}
            assert any(rank == hop["src"] and end <= hop["send_begin_ns"] for rank, end in ends)


@settings(max_examples=100, deadline=None)
@given(any_traces())
def test_categories_agree_with_what_a_stretch_names(tables: dict[str, pa.Table]) -> None:
    for stretch in derive(tables)["path_stretches"].to_pylist():
        is_hop, is_message = stretch["hop_id"] is not None, stretch["message_id"] is not None
        assert is_hop <= (stretch["category"] in {"local", "shm", "lan", "wan"})
        assert is_message <= (stretch["category"] == "p2p")
        assert (stretch["src"] is not None) == (is_hop or is_message)
        assert (stretch["op"] is None) == (stretch["category"] == "compute") or stretch["category"] == "local"
