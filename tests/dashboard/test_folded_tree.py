"""Which ranks of a large tree are drawn as one, what the edges between them carried together, and what is said."""

from collections.abc import Mapping
from typing import Any

import pytest
from hopscope_dashboard.figures.changed_edges import tree_with_changes
from hopscope_dashboard.figures.folded_tree import Fold, drawn_tree, folded_again
from hopscope_dashboard.figures.many_places import MOST_PLACES, WHOLE, largest_rows, left_out, matrix_places
from hopscope_dashboard.figures.svg_parts import CHANGED, KEPT_EDGE
from hopscope_dashboard.figures.topology_tree import PlacedEdge, PlacedRank, PlacedTree
from hopscope_dashboard.figures.tree_svg import tree_svg

HOSTS, OF_HOST = 12, 16
COUNT = HOSTS * OF_HOST


def topology(hosts: int = HOSTS) -> list[dict[str, Any]]:
    """Ranks in blocks on hosts, hosts in blocks in two clusters."""
    each = COUNT // hosts
    return [
        {"rank": rank, "host": f"h{rank // each}", "cluster": f"c{rank // each * 2 // hosts}"} for rank in range(COUNT)
    ]


BINOMIAL: Mapping[int, int | None] = {rank: rank & (rank - 1) if rank else None for rank in range(COUNT)}
EDGES = {
    (rank, parent): {"hops": 10, "took_ns": 5, "time_ns": 100 * rank, "share": 0.001 * rank}
    for rank, parent in BINOMIAL.items()
    if parent is not None
}


def tree(fold: Fold, parents: Mapping[int, int | None] = BINOMIAL, hosts: int = HOSTS) -> PlacedTree:
    return drawn_tree(ranks=topology(hosts), parents=parents, edges=EDGES, role="up", fold=fold)


def rank(drawn: PlacedTree, number: int) -> PlacedRank:
    return next(each for each in drawn.ranks if each.rank == number)


def edge(drawn: PlacedTree, src: int, dst: int) -> PlacedEdge:
    return next(each for each in drawn.edges if (each.src, each.dst) == (src, dst))


def test_a_host_is_one_circle_but_for_the_root() -> None:
    drawn = tree(Fold())
    # Rank 0 by itself, and the first rank of what is left of each host in its stead.
    assert {each.rank: each.text for each in drawn.ranks} == {
        0: "", 1: "×15", **{OF_HOST * host: "×16" for host in range(1, HOSTS)}
    }  # fmt: skip
    assert drawn.folding is not None
    assert (drawn.folding.ranks, drawn.folding.hosts, drawn.folding.folded_ranks) == (COUNT, HOSTS, COUNT - 1)
    host = rank(drawn, 3 * OF_HOST)
    # 100 ns and 0.1 % for each of the ranks 49 to 63.
    assert host.description == (
        "16 ranks of h3, c0: 48-63. Among them: 150 hops; 84.0 µs on the critical path, 84.0 % of it."
    )
    assert host.lead == ("?open=h3", "open the host")
    assert drawn.largest_share == pytest.approx(
        max(sum(0.001 * r for r in range(1 + h, 16 + h)) for h in range(0, COUNT, 16))
    )


def test_edges_between_two_hosts_are_one_with_their_sums() -> None:
    # Every rank of the second host sends to the rank of the first that is a host's length before it.
    parents = {**BINOMIAL, **{r: r - OF_HOST for r in range(OF_HOST, 2 * OF_HOST)}}
    weights = {
        (r, p): {"hops": 10, "took_ns": 5, "time_ns": 100, "share": 0.01} for r, p in parents.items() if p is not None
    }
    drawn = drawn_tree(ranks=topology(), parents=parents, edges=weights, role="up", fold=Fold())
    # Rank 16 sends to the root, which is by itself; the other 15 to the 15 other ranks of the first host.
    single, together = edge(drawn, 16, 0), edge(drawn, 16, 1)
    assert (single.pairs, together.pairs) == (((16, 0),), tuple((r, r - 16) for r in range(17, 32)))
    assert (single.share, together.share) == (0.01, pytest.approx(0.15))
    assert together.description.startswith("15 edges from h1 to h0 (lan, ")
    assert "150 hops; 1.50 µs on the critical path, 15.0 % of it." in together.description
    assert single.lead is None  # to the hops of its two ranks
    assert together.lead == ("?open=h1", "open h1")
    assert 'data-href="/delayed-hops?edge=16-0"' in tree_svg(drawn, 0.6)


def test_an_open_host_has_all_its_ranks_and_folds_again() -> None:
    drawn = tree(Fold.from_query({"open": "h3,h5"}))
    there = {each.rank for each in drawn.ranks}
    assert set(range(48, 64)) | set(range(80, 96)) <= there
    assert drawn.folding is not None
    assert (folded_again(drawn.folding, "h3"), folded_again(drawn.folding, "h5")) == ("?open=h5", "?open=h3")
    assert rank(drawn, 16).lead == ("?open=h3%2Ch5%2Ch1", "open the host")
    # The last that is open is folded by following what the address says already.
    only = tree(Fold.from_query({"open": "h3"})).folding
    assert only is not None
    assert folded_again(only, "h3") == "?open=h3"


def test_ranks_apart_stay_by_themselves_in_a_folded_host() -> None:
    drawn = tree(Fold(separate_ranks={50, 51}))
    assert {48: "×14", 50: "", 51: ""}.items() <= {each.rank: each.text for each in drawn.ranks}.items()
    assert edge(drawn, 51, 50).pairs == ((51, 50),)


@pytest.mark.parametrize("opened", ["", "h3", "h0,h3,h7"])
def test_what_is_drawn_lies_on_nothing_else_and_every_circle_but_one_has_a_way_up(opened: str) -> None:
    drawn = tree(Fold.from_query({"open": opened}))
    hosts = [box.box for box in drawn.boxes if box.kind == "host"]
    for at, one in enumerate(hosts):
        for other in hosts[at + 1 :]:
            assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
    ends = [each.centre for each in drawn.ranks]
    assert len(set(ends)) == len(ends)
    above = {each.child for each in drawn.edges}
    assert [each.rank for each in drawn.ranks if each.rank not in above] == [0]


def test_trees_of_few_ranks_or_of_one_host_are_drawn_whole() -> None:
    few = {rank: 0 if rank else None for rank in range(WHOLE)}
    assert tree(Fold(), few).folding is None
    assert len(tree(Fold(), hosts=1).ranks) == COUNT


def test_a_bundle_of_edges_is_changed_if_one_of_them_is() -> None:
    parents = {**BINOMIAL, **{r: r - OF_HOST for r in range(OF_HOST, 2 * OF_HOST)}}
    drawn = tree(Fold(), parents)
    every = {pair for each in drawn.edges for pair in each.pairs}
    assert {each.look for each in tree_with_changes(drawn, every, "new").edges} == {KEPT_EDGE}
    changed = edge(tree_with_changes(drawn, every - {(17, 1), (18, 2)}, "new"), 16, 1)
    assert changed.look == CHANGED
    assert changed.description.endswith("Only the new run has 2 of these edges.")


def test_rows_with_most_keep_their_order_and_the_rest_is_said() -> None:
    rows = [{"rank": rank, "ns": None if rank == 3 else rank % 7} for rank in range(10)]
    most = largest_rows(rows, lambda row: row["ns"], 3)
    assert [row["rank"] for row in most] == [4, 5, 6]
    assert left_out(most, rows, "ranks with most noise") == " The 3 of 10 ranks with most noise."
    assert largest_rows(rows, lambda row: row["ns"], 10) == rows
    assert left_out(rows, rows, "ranks") == ""


def test_a_matrix_of_too_many_ranks_shows_those_that_there_are_or_hosts_or_those_with_most() -> None:
    many = [{"rank": rank, "host": f"h{rank // 4}", "cluster": "c"} for rank in range(2 * MOST_PLACES)]
    few = matrix_places(many, "rank", [(3, 4, 1.0), (4, 3, 1.0)])
    assert (few.grouping, dict(few.places)) == ("rank", {3: [3], 4: [4]})
    ring = [(rank, (rank + 1) % len(many), float(rank)) for rank in range(len(many))]
    hosts = matrix_places(many, "rank", ring)
    assert (hosts.grouping, len(hosts.places), hosts.places["h1"]) == ("host", len(many) // 4, [4, 5, 6, 7])
    assert "too many to be told apart: they are drawn by host" in hosts.notice
    alone = [{**row, "host": f"h{row['rank']}"} for row in many]
    # The last sends to rank 0.
    assert list(matrix_places(alone, "rank", ring).places) == [0, *range(MOST_PLACES + 1, 2 * MOST_PLACES)]
