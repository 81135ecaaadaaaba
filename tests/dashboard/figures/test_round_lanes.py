"""Exchanges between peers as lanes and rounds: positions, omitted parts, and the text of each arrow."""

from itertools import pairwise
from typing import Any

import pytest
from hopscope.algorithms import exchanges
from hopscope.algorithms.messages import Pattern
from hopscope.format import rounds
from hopscope_dashboard.components import empty
from hopscope_dashboard.figures.graphs.arrow_keys import arrow_keys
from hopscope_dashboard.figures.graphs.graph import BY_LINK
from hopscope_dashboard.figures.graphs.rounds import MOST_ARROWS, MOST_COLUMNS, placed_rounds
from hopscope_dashboard.figures.graphs.svg import svg
from hopscope_dashboard.figures.graphs.tree import placed_tree
from hopscope_dashboard.report.static import Renderer

Row = dict[str, Any]


def places(ranks: int, hosts: int = 2) -> list[Row]:
    """Ranks placed in turn on hosts; each host is a cluster."""
    return [
        {"rank": rank, "world": 0, "host": f"h{rank % hosts}", "cluster": f"site-{rank % hosts}"}
        for rank in range(ranks)
    ]


def edges(pattern: Pattern, on_path: tuple[int, int] | None = None) -> list[Row]:
    """The rows of `analyze algorithms --collective` for messages of 10 µs; one edge may be on the critical path."""
    return [
        {
            "edge": f"exchange {src}->{dst}", "role": "exchange", "src": src, "dst": dst, "link": "shm",
            "collectives": 3, "rounds": rounds.spans(levels), "messages": len(levels), "hops": 3 * len(levels),
            "bytes": 24 * len(levels), "took_ns": 10_000, "on_path": int((src, dst) == on_path),
            "time_ns": 10_000 * ((src, dst) == on_path), "share": 0.25 * ((src, dst) == on_path),
        }
        for (src, dst), levels in pattern.order.items()
    ]  # fmt: skip


def pairwise_of(ranks: int) -> Pattern:
    return exchanges.pairwise(ranks, 8)


def linear(ranks: int) -> Pattern:
    return Pattern([m._replace(prerequisites=()) for m in pairwise_of(ranks).messages])


def titles(ranks: int, pattern: Pattern) -> list[str]:
    return [column.title for column in placed_rounds(ranks=places(ranks), edges=edges(pattern)).columns]


def test_an_arrow_leads_in_its_round_from_the_lane_of_its_sender_to_that_of_its_receiver() -> None:
    placed = placed_rounds(ranks=places(4), edges=edges(exchanges.doubling_barrier(4), on_path=(2, 3)))
    lanes = {label.split()[-1]: y for label, y in placed.lanes}
    # Lanes of one host are adjacent: 0 and 2 on the first, 1 and 3 on the second.
    assert [label for label, _ in placed.lanes] == ["h0   0", "2", "h1   1", "3"]
    assert [box.name for box in placed.boxes] == ["site-0", "site-1"]
    assert [column.title for column in placed.columns] == ["round 1", "round 2"]
    assert {(arrow.src, arrow.dst): arrow.column for arrow in placed.edges} == {
        (0, 1): 0, (1, 0): 0, (2, 3): 0, (3, 2): 0, (0, 2): 1, (2, 0): 1, (1, 3): 1, (3, 1): 1,
    }  # fmt: skip
    for arrow in placed.edges:
        column = placed.columns[arrow.column]
        assert arrow.begin == (column.left, lanes[str(arrow.src)])
        assert arrow.end == (column.right, lanes[str(arrow.dst)])
    assert max(placed.edges, key=lambda arrow: arrow.width).name == "edge-2-3-0"
    assert placed.left_out == ""
    left, top, right, bottom = placed.bounds
    assert left < 0 < top + 60
    assert right > placed.columns[-1].right + 6 * 8
    assert bottom > placed.lanes[-1][1]


def test_the_rounds_of_a_ring_share_a_column_and_those_of_rabenseifner_do_not() -> None:
    assert titles(8, exchanges.ring_allreduce(8, 512, 4)) == ["rounds 1 to 14"]
    # The third and the fourth round have the same edges, one to reduce and the other to gather.
    assert titles(8, exchanges.rabenseifner_allreduce(8, 512, 4)) == [f"round {number}" for number in range(1, 7)]


def test_an_arrow_says_what_its_edge_carried_and_when() -> None:
    placed = placed_rounds(ranks=places(4), edges=edges(exchanges.ring_allreduce(4, 512, 4), on_path=(0, 1)))
    assert placed.edges[0].description == (
        "Rank 0 to rank 1 (shm, same host): 18 hops of 10.0 µs (median); 10.0 µs on the critical path, 25.0 % of it. "
        "6 messages in each of 3 collectives, in rounds 1 to 6; 144 B in all."
    )


def test_many_rounds_are_cut_short_and_it_is_said() -> None:
    placed = placed_rounds(ranks=places(64), edges=edges(pairwise_of(64)))
    assert len(placed.columns) == MOST_COLUMNS
    assert placed.left_out == f"Of 63 rounds the first {MOST_COLUMNS} are drawn."


@pytest.mark.parametrize("ranks", [64, 256])
def test_where_all_send_to_all_at_once_one_rank_and_the_critical_path_are_drawn(ranks: int) -> None:
    placed = placed_rounds(ranks=places(ranks), edges=edges(linear(ranks), on_path=(9, 4)))
    assert {(arrow.src, arrow.dst) for arrow in placed.edges} == {(9, 4)} | {(0, dst) for dst in range(1, ranks)}
    assert placed.left_out.startswith(f"Of {ranks * (ranks - 1):,} arrows {ranks} are drawn: those of rank 0")
    assert len(placed_rounds(ranks=places(8), edges=edges(linear(8))).edges) == 8 * 7


def test_an_exchange_of_256_ranks_is_drawn_in_all_its_rounds_with_room_for_its_labels() -> None:
    placed = placed_rounds(ranks=places(256), edges=edges(exchanges.doubling_barrier(256)))
    assert len(placed.columns) == 8
    assert len(placed.edges) == 8 * 256 <= MOST_ARROWS
    labelled = [y for label, y in placed.lanes if label]
    assert min(end - begin for begin, end in pairwise(labelled)) >= 14


def test_arrow_keys_lead_within_a_round_and_to_the_rounds_beside_it() -> None:
    placed = placed_rounds(ranks=places(4, hosts=1), edges=edges(exchanges.doubling_barrier(4)))
    keys = arrow_keys(placed)
    assert keys["edge-0-1-0"] == {"up": None, "down": "edge-1-0-0", "left": None, "right": "edge-1-3-1"}
    assert keys["edge-3-1-1"] == {"up": "edge-2-0-1", "down": None, "left": "edge-3-2-0", "right": None}
    markup = svg(placed, 0.7)
    assert all(f'data-part="{arrow.name}"' in markup for arrow in placed.edges)
    assert markup.count('tabindex="0"') == 1


def test_names_that_are_markup_are_escaped() -> None:
    hostile = "<script>1</script>"
    rows = [row | {"host": hostile, "cluster": f"{hostile}{row['rank']}"} for row in places(2)]
    markup = svg(placed_rounds(ranks=rows, edges=edges(exchanges.doubling_barrier(2))), 0.7)
    assert "<script>" not in markup
    assert "&lt;script&gt;" in markup


def test_a_tree_can_have_the_colours_of_its_links_and_still_the_widths_of_its_shares() -> None:
    rows = [{"src": 0, "dst": 1}, {"src": 0, "dst": 2}]
    weights = {
        (row["src"], row["dst"]): row | {"hops": 1, "took_ns": 1, "time_ns": 5 * number, "share": 0.5 * number}
        for number, row in enumerate(rows)
    }
    tree = placed_tree(ranks=places(3), parents={0: None, 1: 0, 2: 0}, edges=weights, role="down", by_link=True)
    assert [(edge.link, edge.look) for edge in tree.edges] == [("wan", BY_LINK), ("shm", BY_LINK)]
    assert tree.edges[0].width < tree.edges[1].width
    assert f'class="edge wan {BY_LINK}"' in svg(tree, 0.6)


def test_the_page_without_hops_says_why_the_librarys_messages_are_not_there() -> None:
    renderer = Renderer()
    reason = "Open MPI 4.0 is not supported"
    assert f"In this run it did not record them: {reason}." in renderer.markup(empty.no_hops("Tree", [], reason))
    assert "In this run" not in renderer.markup(empty.no_hops("Tree", []))
