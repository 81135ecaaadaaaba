"""Large trees, in which several ranks are drawn as one: the folded ranks, the sums of their edges, and the texts."""

from collections.abc import Mapping
from typing import Any

import pytest
from hopscope_dashboard.figures.graphs.graph import CHANGED, KEPT, Graph, PlacedEdge, PlacedRank, with_changes
from hopscope_dashboard.figures.graphs.svg import svg
from hopscope_dashboard.figures.graphs.tree import Fold, folded_again, placed_tree
from hopscope_dashboard.figures.many_places import MOST_PLACES, WHOLE, largest_rows, left_out, matrix_places

HOSTS, OF_HOST = 12, 16
COUNT = HOSTS * OF_HOST


def topology(hosts: int = HOSTS) -> list[dict[str, Any]]:
    """A placement of ranks in blocks on hosts, and of hosts in blocks in two clusters."""
    ranks_per_host = COUNT // hosts
    return [
        {"rank": rank, "host": f"h{rank // ranks_per_host}", "cluster": f"c{rank // ranks_per_host * 2 // hosts}"}
        for rank in range(COUNT)
    ]


BINOMIAL: Mapping[int, int | None] = {rank: rank & (rank - 1) if rank else None for rank in range(COUNT)}
EDGES = {
    (rank, parent): {"hops": 10, "took_ns": 5, "time_ns": 100 * rank, "share": 0.001 * rank}
    for rank, parent in BINOMIAL.items()
    if parent is not None
}


def tree(fold: Fold, parents: Mapping[int, int | None] = BINOMIAL, hosts: int = HOSTS) -> Graph:
    return placed_tree(ranks=topology(hosts), parents=parents, edges=EDGES, role="up", fold=fold)


def rank(placed: Graph, number: int) -> PlacedRank:
    return next(candidate for candidate in placed.ranks if candidate.rank == number)


def edge(placed: Graph, src: int, dst: int) -> PlacedEdge:
    return next(candidate for candidate in placed.edges if (candidate.src, candidate.dst) == (src, dst))


def test_a_host_is_one_circle_but_for_the_root() -> None:
    placed = tree(Fold())
    # Rank 0 is separate. The first of its remaining ranks stands for each host.
    assert {place.rank: place.text for place in placed.ranks} == {
        0: "", 1: "×15", **{OF_HOST * host: "×16" for host in range(1, HOSTS)}
    }  # fmt: skip
    assert placed.folding is not None
    assert (placed.folding.ranks, placed.folding.hosts, placed.folding.folded_ranks) == (COUNT, HOSTS, COUNT - 1)
    host = rank(placed, 3 * OF_HOST)
    # 100 ns and 0.1 % per rank number, for the ranks 49 to 63.
    assert host.description == (
        "16 ranks of h3, c0: 48-63. Among them: 150 hops; 84.0 µs on the critical path, 84.0 % of it."
    )
    assert host.lead == ("?open=h3", "open the host")
    assert placed.largest_share == pytest.approx(
        max(sum(0.001 * r for r in range(1 + h, 16 + h)) for h in range(0, COUNT, 16))
    )


def test_edges_between_two_hosts_are_one_with_their_sums() -> None:
    # Each rank of the second host sends to the rank with the same position on the first host.
    parents = {**BINOMIAL, **{r: r - OF_HOST for r in range(OF_HOST, 2 * OF_HOST)}}
    weights = {
        (r, p): {"hops": 10, "took_ns": 5, "time_ns": 100, "share": 0.01} for r, p in parents.items() if p is not None
    }
    placed = placed_tree(ranks=topology(), parents=parents, edges=weights, role="up", fold=Fold())
    # Rank 16 sends to the root, which is separate. The other 15 send to the 15 other ranks of the first host.
    single, bundle = edge(placed, 16, 0), edge(placed, 16, 1)
    assert (single.pairs, bundle.pairs) == (((16, 0),), tuple((r, r - 16) for r in range(17, 32)))
    assert (single.share, bundle.share) == (0.01, pytest.approx(0.15))
    assert bundle.description.startswith("15 edges from h1 to h0 (lan, ")
    assert "150 hops; 1.50 µs on the critical path, 15.0 % of it." in bundle.description
    assert single.lead is None  # its data-href leads to the hops of its two ranks
    assert bundle.lead == ("?open=h1", "open h1")
    assert 'data-href="/delayed-hops?edge=16-0"' in svg(placed, 0.6)


def test_an_open_host_has_all_its_ranks_and_folds_again() -> None:
    placed = tree(Fold.from_query({"open": "h3,h5"}))
    ranks = {place.rank for place in placed.ranks}
    assert set(range(48, 64)) | set(range(80, 96)) <= ranks
    assert placed.folding is not None
    assert (folded_again(placed.folding, "h3"), folded_again(placed.folding, "h5")) == ("?open=h5", "?open=h3")
    assert rank(placed, 16).lead == ("?open=h3%2Ch5%2Ch1", "open the host")
    # A link to the same address folds the only open host.
    only = tree(Fold.from_query({"open": "h3"})).folding
    assert only is not None
    assert folded_again(only, "h3") == "?open=h3"


def test_ranks_apart_stay_by_themselves_in_a_folded_host() -> None:
    placed = tree(Fold(separate_ranks={50, 51}))
    assert {48: "×14", 50: "", 51: ""}.items() <= {place.rank: place.text for place in placed.ranks}.items()
    assert edge(placed, 51, 50).pairs == ((51, 50),)


@pytest.mark.parametrize("opened", ["", "h3", "h0,h3,h7"])
def test_what_is_drawn_lies_on_nothing_else_and_every_circle_but_one_has_a_way_up(opened: str) -> None:
    placed = tree(Fold.from_query({"open": opened}))
    hosts = [box.box for box in placed.boxes if box.kind == "host"]
    for number, host in enumerate(hosts):
        for neighbour in hosts[number + 1 :]:
            assert (
                host[0] >= neighbour[2] or neighbour[0] >= host[2] or host[1] >= neighbour[3] or neighbour[1] >= host[3]
            )
    ends = [place.centre for place in placed.ranks]
    assert len(set(ends)) == len(ends)
    children = {arrow.child for arrow in placed.edges}
    assert [place.rank for place in placed.ranks if place.rank not in children] == [0]


def test_trees_of_few_ranks_or_of_one_host_are_drawn_whole() -> None:
    small_tree = {rank: 0 if rank else None for rank in range(WHOLE)}
    assert tree(Fold(), small_tree).folding is None
    assert len(tree(Fold(), hosts=1).ranks) == COUNT


def test_a_bundle_of_edges_is_changed_if_one_of_them_is() -> None:
    parents = {**BINOMIAL, **{r: r - OF_HOST for r in range(OF_HOST, 2 * OF_HOST)}}
    placed = tree(Fold(), parents)
    pairs = {pair for bundle in placed.edges for pair in bundle.pairs}
    assert {bundle.look for bundle in with_changes(placed, pairs, "new").edges} == {KEPT}
    changed = edge(with_changes(placed, pairs - {(17, 1), (18, 2)}, "new"), 16, 1)
    assert changed.look == CHANGED
    assert changed.description.endswith("Only the new run has 2 of these edges.")


def test_rows_with_most_keep_their_order_and_the_rest_is_said() -> None:
    rows = [{"rank": rank, "ns": None if rank == 3 else rank % 7} for rank in range(10)]
    largest = largest_rows(rows, lambda row: row["ns"], 3)
    assert [row["rank"] for row in largest] == [4, 5, 6]
    assert left_out(largest, rows, "ranks with most noise") == " The 3 of 10 ranks with most noise."
    assert largest_rows(rows, lambda row: row["ns"], 10) == rows
    assert left_out(rows, rows, "ranks") == ""


def test_a_matrix_of_too_many_ranks_shows_those_that_there_are_or_hosts_or_those_with_most() -> None:
    all_ranks = [{"rank": rank, "host": f"h{rank // 4}", "cluster": "c"} for rank in range(2 * MOST_PLACES)]
    pair_places = matrix_places(all_ranks, "rank", [(3, 4, 1.0), (4, 3, 1.0)])
    assert (pair_places.grouping, dict(pair_places.places)) == ("rank", {3: [3], 4: [4]})
    ring = [(rank, (rank + 1) % len(all_ranks), float(rank)) for rank in range(len(all_ranks))]
    hosts = matrix_places(all_ranks, "rank", ring)
    assert (hosts.grouping, len(hosts.places), hosts.places["h1"]) == ("host", len(all_ranks) // 4, [4, 5, 6, 7])
    assert "too many to tell apart: they are drawn by host" in hosts.notice
    alone = [{**row, "host": f"h{row['rank']}"} for row in all_ranks]
    # The last rank sends to rank 0.
    assert list(matrix_places(alone, "rank", ring).places) == [0, *range(MOST_PLACES + 1, 2 * MOST_PLACES)]
