"""The two ends of a hop are matched, and a message that a rank waited for differs from one that was already there."""

from pathlib import Path
from typing import Any

import hopscope
import pytest
from archive_drawing import DOWN, EXCHANGE, UP, Drawing, Place, hop_tag


def draw_allreduce(path: Path, ranks: int = 2, *, requests_tell_waits: bool = False) -> tuple[Drawing, Any]:
    """Ranks on their own hosts, all except the first in site B, with an Allreduce from 0 to 1000 on the tree `flat`."""
    places = [Place(f"h{rank}", "A" if rank == 0 else "B") for rank in range(ranks)]
    drawing = Drawing(path, places, requests_tell_waits=requests_tell_waits)
    for rank in range(ranks):
        drawing.collective(rank, rank, 1000, "MPI_Allreduce")
    return drawing, drawing.shadow(drawing.world, "flat")


def test_a_hop_that_was_waited_for_knows_since_when(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = draw_allreduce(tmp_path)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 110), receive=(5, 300), receive_wait=50, bytes=64, request=9)
    (hop,) = rows(drawing)["hops"]
    assert hop == {
        "hop_id": 0, "collective_id": 0, "role": "up", "round": 1, "segment": 0, "src": 1, "dst": 0,
        "src_location": 1, "dst_location": 0, "bytes": 64, "send_begin_ns": 100, "send_wait_begin_ns": None,
        "send_end_ns": 110, "recv_post_ns": 5, "recv_wait_begin_ns": 50, "recv_end_ns": 300, "arrived_early": False,
        "link": "wan", "source": "tree", "clock_error_ns": 0, "binding": "recv", "pred_hop_id": None,
    }  # fmt: skip


def test_a_completion_outside_a_wait_was_there_early(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = draw_allreduce(tmp_path)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 110), receive=(5, 300), request=9)
    (hop,) = rows(drawing)["hops"]
    assert (hop["arrived_early"], hop["recv_wait_begin_ns"], hop["binding"]) == (True, None, "none")


def test_of_two_completions_in_one_wait_only_the_last_ended_it(tmp_path: Path, rows: Any) -> None:
    from otf2 import events

    drawing, shadow = draw_allreduce(tmp_path, 3)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 110), receive=(5, 200), request=1, ends="send")
    drawing.hop(shadow, 2, 0, hop_tag(UP, 0), send=(120, 130), receive=(6, 300), request=2, ends="send")
    wait = drawing.region("hop wait")
    for event in (
        events.MpiIrecvRequest(5, 1),
        events.MpiIrecvRequest(6, 2),
        events.Enter(50, wait),
        events.MpiIrecv(200, 1, shadow, hop_tag(UP, 0), 8, 1),
        events.MpiIrecv(300, 2, shadow, hop_tag(UP, 0), 8, 2),
        events.Leave(300, wait),
    ):
        drawing.add(0, event)
    hops = rows(drawing)["hops"]
    assert [(h["src"], h["arrived_early"], h["recv_wait_begin_ns"]) for h in hops] == [(1, True, None), (2, False, 50)]


def test_a_completion_that_came_before_the_waits_end_did_not_end_it(tmp_path: Path, rows: Any) -> None:
    """The wait went on after the message: the rank waited for something else (an emulated due time, a flag)."""
    from otf2 import events

    drawing, shadow = draw_allreduce(tmp_path)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 110), receive=(5, 200), request=1, ends="send")
    wait = drawing.region("hop wait")
    for event in (
        events.MpiIrecvRequest(5, 1),
        events.Enter(50, wait),
        events.MpiIrecv(200, 1, shadow, hop_tag(UP, 0), 8, 1),
        events.Leave(300, wait),
    ):
        drawing.add(0, event)
    (hop,) = rows(drawing)["hops"]
    assert (hop["arrived_early"], hop["recv_wait_begin_ns"]) == (True, None)


@pytest.mark.parametrize(("requests_tell_waits", "arrives_early"), [(True, False), (False, True)])
def test_collector_overhead_at_the_end_of_a_wait_hides_nothing_where_requests_tell(
    tmp_path: Path, rows: Any, requests_tell_waits: bool, arrives_early: bool
) -> None:
    """A new chunk of the spool began between the message and the end of the wait. In format 1 the wait is lost."""
    from otf2 import events

    drawing, shadow = draw_allreduce(tmp_path, requests_tell_waits=requests_tell_waits)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 110), receive=(5, 200), request=1, ends="send")
    wait, request = drawing.region("hop wait"), drawing.request(1, waited=True)
    drawing.add(0, events.MpiIrecvRequest(5, request))
    drawing.add(0, events.Enter(50, wait))
    drawing.add(0, events.MpiIrecv(200, 1, shadow, hop_tag(UP, 0), 8, request))
    drawing.span(0, 200, 260, "collector overhead")
    drawing.add(0, events.Leave(260, wait))
    (hop,) = rows(drawing)["hops"]
    assert (hop["arrived_early"], hop["recv_wait_begin_ns"]) == (arrives_early, None if arrives_early else 50)


def test_a_request_that_tells_of_no_wait_was_early_even_at_the_end_of_one(tmp_path: Path, rows: Any) -> None:
    from otf2 import events

    drawing, shadow = draw_allreduce(tmp_path, 3, requests_tell_waits=True)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 400), receive=(5, 300), send_wait=120, request=1)
    drawing.hop(shadow, 2, 0, hop_tag(UP, 0), send=(120, 130), receive=(6, 300), request=2, ends="send")
    early_request = drawing.request(2)
    drawing.add(0, events.MpiIrecvRequest(6, early_request))
    drawing.add(0, events.Enter(50, drawing.region("hop wait")))
    drawing.add(0, events.MpiIrecv(300, 2, shadow, hop_tag(UP, 0), 8, early_request))
    drawing.add(0, events.Leave(300, drawing.region("hop wait")))
    hops = rows(drawing)["hops"]
    assert [(h["src"], h["send_wait_begin_ns"], h["arrived_early"]) for h in hops] == [(1, 120, True), (2, None, True)]


def test_an_archive_of_a_format_to_come_is_refused(tmp_path: Path) -> None:
    drawing, _ = draw_allreduce(tmp_path)
    drawing.properties["HOPSCOPE::FORMAT"] = "3"
    drawing.write()
    with pytest.raises(hopscope.InputError, match="written in format 3 by a newer Hopscope"):
        hopscope.open(tmp_path)


def test_a_sender_that_waited_knows_since_when(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = draw_allreduce(tmp_path)
    drawing.hop(shadow, 1, 0, hop_tag(UP, 0), send=(100, 400), receive=(350, 390), send_wait=120, request=1)
    (hop,) = rows(drawing)["hops"]
    assert (hop["send_wait_begin_ns"], hop["send_end_ns"]) == (120, 400)


def test_the_tag_tells_role_and_segment_of_the_engines_hops(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = draw_allreduce(tmp_path)
    tags = [(UP, 0, 0), (DOWN, 0, 5), (EXCHANGE, 63, 255)]
    for i, (role, round_, segment) in enumerate(tags):
        tag = hop_tag(role, 0, round=round_, segment=segment)
        drawing.hop(shadow, 1, 0, tag, send=(100 + i, 110), receive=(5, 300 + i), request=i)
    hops = rows(drawing)["hops"]
    assert [(h["role"], h["segment"]) for h in hops] == [("up", 0), ("down", 5), ("exchange", 255)]


def test_segments_go_on_counting_past_the_tags_eight_bits(tmp_path: Path, rows: Any) -> None:
    drawing, shadow = draw_allreduce(tmp_path)
    for segment in range(600):
        tag = hop_tag(UP, 0, segment=segment)
        drawing.hop(shadow, 1, 0, tag, send=(100 + segment, 101 + segment), receive=(5, 800), request=segment)
    hops = rows(drawing)["hops"]
    assert [(h["segment"], h["send_begin_ns"]) for h in hops] == [(s, 100 + s) for s in range(600)]


def test_a_lost_end_costs_its_own_hop_and_no_other(tmp_path: Path, rows: Any) -> None:
    """If hops were matched only by order over the whole run, every later hop would be paired with the one before."""
    drawing = Drawing(tmp_path, [Place("h0"), Place("h0")])
    shadow = drawing.shadow(drawing.world, "flat")
    for seq in range(3):
        begin = 1000 * seq
        for rank in (0, 1):
            drawing.collective(rank, begin, begin + 500, "MPI_Barrier")
        # Here the sequence numbers of three collectives share their low bits, as if they were 65,536 apart.
        drawing.hop(
            shadow, 1, 0, hop_tag(UP, 0), send=(begin + 10, begin + 20), receive=(begin + 5, begin + 40), request=seq,
            ends="send" if seq == 1 else "both",
        )  # fmt: skip
    tables = rows(drawing)
    assert [(h["collective_id"], h["send_begin_ns"], h["recv_end_ns"]) for h in tables["hops"]] == [
        (0, 10, 40),
        (2, 2010, 2040),
    ]
    assert tables["run"][0]["missing"] == "one end of 1 hop (dropped)"


def test_the_tree_is_read_off_the_hops(tmp_path: Path, rows: Any) -> None:
    """Rank 1 is the root. Ranks 0 and 2 send up to it; it sends down to 2 before 0. It posted 2's receive first."""
    drawing, shadow = draw_allreduce(tmp_path, 3)
    drawing.hop(shadow, 0, 1, hop_tag(UP, 0), send=(100, 110), receive=(20, 200), request=1)
    drawing.hop(shadow, 2, 1, hop_tag(UP, 0), send=(50, 60), receive=(10, 90), request=2)
    drawing.hop(shadow, 1, 2, hop_tag(DOWN, 0), send=(300, 310), receive=(70, 400), request=3)
    drawing.hop(shadow, 1, 0, hop_tag(DOWN, 0), send=(320, 330), receive=(120, 410), request=4)
    tables = rows(drawing)
    edges = [(t["root"], t["role"], t["rank"], t["parent"], t["child_order"]) for t in tables["trees"]]
    assert edges == [
        (1, "down", 0, 1, 1), (1, "down", 1, None, 0), (1, "down", 2, 1, 0),
        (1, "up", 0, 1, 1), (1, "up", 1, None, 0), (1, "up", 2, 1, 0),
    ]  # fmt: skip
    assert {t["tree"] for t in tables["trees"]} == {"flat"} == {c["tree"] for c in tables["calls"]}


def test_hops_of_a_sub_communicator_have_trace_wide_ranks(tmp_path: Path, rows: Any) -> None:
    drawing = Drawing(tmp_path, [Place("h0")] * 4)
    odd = drawing.comm("odd", [3, 1], parent=drawing.world)
    shadow = drawing.shadow(odd, "flat")
    for rank in (1, 3):
        drawing.collective(rank, 0, 900, "MPI_Barrier", comm=odd)
    from otf2 import events

    tag = hop_tag(UP, 0)
    drawing.add(1, events.MpiIsend(100, 0, shadow, tag, 8, 1))  # to rank 0 of `odd`, which is rank 3
    drawing.add(1, events.MpiIsendComplete(101, 1))
    drawing.add(3, events.MpiIrecvRequest(5, 1))
    drawing.add(3, events.MpiIrecv(300, 1, shadow, tag, 8, 1))
    (hop,) = rows(drawing)["hops"]
    assert (hop["src"], hop["dst"], hop["link"]) == (1, 3, "shm")


def test_combining_and_overhead_inside_a_collective_are_steps(tmp_path: Path, rows: Any) -> None:
    drawing, _shadow = draw_allreduce(tmp_path)
    drawing.span(0, 400, 450, "combine")
    drawing.span(0, 500, 510, "copy")
    drawing.span(1, 600, 640, "collector overhead")
    drawing.span(1, 2000, 2040, "collector overhead")
    tables = rows(drawing)
    steps = [(s["collective_id"], s["rank"], s["kind"], s["begin_ns"], s["end_ns"]) for s in tables["steps"]]
    assert steps == [(0, 0, "combine", 400, 450), (0, 0, "copy", 500, 510), (0, 1, "overhead", 600, 640)]
    assert [(i["kind"], i["begin_ns"]) for i in tables["intervals"]] == [("overhead", 600), ("overhead", 2000)]
    assert tables["run"][0]["overhead_ns"] == 80
