"""Figures and addresses as pure functions on rows written by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hopscope.errors import InputError
from hopscope_dashboard import palette
from hopscope_dashboard.components import selection_bar
from hopscope_dashboard.figures.bars import share_bars
from hopscope_dashboard.figures.critical_path import stacked_bar
from hopscope_dashboard.figures.delayed_hops import delays
from hopscope_dashboard.figures.graphs import edge_labels
from hopscope_dashboard.figures.graphs.graph import with_delay
from hopscope_dashboard.figures.graphs.svg import svg
from hopscope_dashboard.figures.graphs.tidy_tree import positions
from hopscope_dashboard.figures.graphs.tree import placed_tree
from hopscope_dashboard.figures.heat_map import heat_map
from hopscope_dashboard.figures.lanes import lanes
from hopscope_dashboard.figures.late_ranks import shares_by_class
from hopscope_dashboard.figures.noise_periods import folded_noise, periods_by_rank
from hopscope_dashboard.navigation import address
from hopscope_dashboard.pages.communication.collectives import grid_texts
from hopscope_dashboard.pages.communication.tree import choose
from hopscope_dashboard.pages.communication.trees import RanTree, between_clusters, crossings, most_in_a_row

RANKS = [
    {"rank": 0, "world": 0, "host": "a", "cluster": "A"},
    {"rank": 1, "world": 0, "host": "b", "cluster": "B"},
    {"rank": 2, "world": 0, "host": "a", "cluster": "A"},
    {"rank": 3, "world": 0, "host": "c", "cluster": "B"},
]
PARENTS = {0: None, 1: 0, 2: 1, 3: 1}


@pytest.mark.parametrize("colour", [*palette.CATEGORY_COLOURS.values(), *palette.LINK_COLOURS.values()])
def test_every_colour_stands_out_on_both_backgrounds_and_carries_white_text(colour: str) -> None:
    assert palette.contrast(colour, palette.LIGHT_BACKGROUND) >= 3
    assert palette.contrast(colour, palette.DARK_BACKGROUND) >= 3
    assert palette.contrast(colour, "#ffffff") >= 4.5


def test_every_category_and_link_class_has_a_colour_and_a_meaning() -> None:
    assert set(palette.CATEGORY_COLOURS) == set(palette.CATEGORY_MEANINGS)
    assert set(palette.LINK_COLOURS) == set(palette.LINK_MEANINGS) == set(palette.LINKS)
    assert len(set(palette.CATEGORY_COLOURS.values())) == len(palette.CATEGORY_MEANINGS)


def test_a_grid_cell_has_the_text_that_the_command_prints() -> None:
    numbers = {"bytes": 1536, "first_enter_ns": 1_234_567_890, "duration_ns": 20_440_000, "spread_ns": 0,
               "after_last_enter_ns": None, "last_rank": 3, "path_ns": 1000, "local_ns": 456, "shm_ns": 0, "lan_ns": 0,
               "wan_ns": 544, "native_ns": 0}  # fmt: skip
    texts = grid_texts(numbers)
    assert [texts[name] for name in ("bytes", "first_enter_ns", "duration_ns", "spread_ns", "after_last_enter_ns")] == [
        "1.5 KiB", "1.234568 s", "20.4 ms", "0 ns", "–",
    ]  # fmt: skip
    assert [texts[name] for name in ("last_rank", "local_ns", "wan_ns")] == ["3", "45.6 %", "54.4 %"]


def test_ranks_of_a_host_and_of_a_cluster_have_neighbouring_lanes_with_rank_0_on_top() -> None:
    placement = lanes(RANKS, [0, 1, 2, 3])
    assert sorted(placement.of_rank, key=placement.of_rank.__getitem__, reverse=True) == [0, 2, 1, 3]
    assert placement.labels[::-1] == ("a   0", "2", "b   1", "c   3")
    assert placement.clusters == (("B", 0, 1), ("A", 2, 3))


def test_where_there_are_several_worlds_the_first_lane_of_each_says_which() -> None:
    places = [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("b", 1)]
    rows = [{"rank": i, "world": world, "host": host, "cluster": "A"} for i, (host, world) in enumerate(places)]
    placement = lanes(rows, range(5))
    assert placement.labels[::-1] == ("a   world 0   0", "world 1   2", "b   world 0   1", "world 1   3", "4")
    assert placement.title == "host, world and rank"


def test_a_bar_of_the_critical_path_leaves_out_what_is_not_on_it() -> None:
    rows = [
        {"category": "wan", "time_ns": 75, "share": 0.75, "share_low": None, "share_high": None},
        {"category": "compute", "time_ns": 25, "share": 0.25, "share_low": 0.2, "share_high": 0.3},
        {"category": "lan", "time_ns": 0, "share": 0.0, "share_low": 0.0, "share_high": 0.0},
    ]
    figure = stacked_bar(rows)
    assert [(bar.name, list(bar.x)) for bar in figure.data] == [("compute", [25.0]), ("wan", [75.0])]
    assert "20.0 to 30.0 %" in figure.data[0].hovertext[0]


def test_a_heat_map_tells_the_unknown_from_the_usual() -> None:
    rows = [
        {"rank": 0, "iteration": 4, "from_iteration": 4, "collective_id": 8, "noise_ns": 2_000_000},
        {"rank": 0, "iteration": 5, "from_iteration": 5, "collective_id": 9, "noise_ns": None},
        {"rank": 1, "iteration": 4, "from_iteration": 4, "collective_id": 8, "noise_ns": 0},
    ]
    figure = heat_map(ranks=RANKS, rows=rows, value="noise_ns", title="noise", names={8: "0:4", 9: "0:5"})
    assert list(figure.data[0].x) == [4, 5]
    np.testing.assert_array_equal(figure.data[0].z, [[0, np.nan], [2, np.nan]])


def test_a_column_of_several_iterations_shows_and_leads_to_the_one_that_its_row_names() -> None:
    rows = [
        {"rank": 0, "iteration": 2, "from_iteration": 0, "collective_id": 6, "noise_ns": 2_000_000},
        {"rank": 1, "iteration": 1, "from_iteration": 0, "collective_id": 5, "noise_ns": 1_000_000},
        {"rank": 0, "iteration": 3, "from_iteration": 3, "collective_id": 7, "noise_ns": 0},
    ]
    names = {5: "0:1", 6: "0:2", 7: "0:3"}
    figure = heat_map(ranks=RANKS, rows=rows, value="noise_ns", title="noise", names=names)
    assert list(figure.data[0].x) == [1, 4]
    np.testing.assert_array_equal(figure.data[0].z, [[1, np.nan], [2, 0]])
    begin = figure.layout.meta["leads"]
    assert [begin + row[0] for row in figure.data[0].customdata] == [f"/collective?comm=0&seq={seq}" for seq in (1, 2)]
    assert figure.data[0].text[1][0] == "0, iteration 2: 2.00 ms"


def test_a_heat_map_of_many_ranks_needs_few_bytes_for_a_cell() -> None:
    # Regression: the page Noise of a long run had 1.9 MB, most of it here, with more than a hundred bytes for a cell.
    ranks = [{"rank": rank, "world": 0, "host": "a", "cluster": "A"} for rank in range(64)]
    rows = [
        {"rank": rank, "noise_ns": 1_234_567 + rank * iteration}
        | dict.fromkeys(("iteration", "from_iteration", "collective_id"), iteration)
        for rank in range(64)
        for iteration in range(1000, 1300)
    ]
    names = {iteration: f"0:{iteration + 17}" for iteration in range(1000, 1300)}
    figure = heat_map(ranks=ranks, rows=rows, value="noise_ns", title="noise", names=names)
    assert len(figure.to_json()) < 50 * len(rows)


def test_a_rank_is_drawn_at_its_depth_in_the_column_of_its_host() -> None:
    places = positions(RANKS, {0: 0, 1: 1, 2: 2, 3: 2})
    assert places[0][1] < places[1][1] < places[2][1] == places[3][1]
    assert places[0][0] < places[1][0] < places[3][0]
    assert abs(places[0][0] - places[2][0]) < places[1][0] - places[0][0]


CARRIED = {"hops": 40, "took_ns": 20_000_000, "time_ns": 800_000_000}


def test_an_edge_goes_up_or_down_in_the_colour_and_width_of_its_share_and_the_line_of_its_link() -> None:
    edges = {(1, 0): {**CARRIED, "share": 0.4}, (2, 1): {**CARRIED, "share": 0.0}}
    tree = placed_tree(ranks=RANKS, parents=PARENTS, edges=edges, role="up")
    drawn_edges = {(edge.src, edge.dst): edge for edge in tree.edges}
    last = len(palette.LIGHT_SHARES) - 1
    assert (drawn_edges[1, 0].link, drawn_edges[1, 0].look) == ("wan", f"share-{last}")
    assert (drawn_edges[3, 1].link, drawn_edges[3, 1].look) == ("lan", "share-0")
    assert drawn_edges[1, 0].width > 3 * drawn_edges[2, 1].width
    assert drawn_edges[1, 0].text == "40.0 %"
    assert not drawn_edges[2, 1].text
    assert drawn_edges[1, 0].description == (
        "Rank 1 to rank 0 (wan, between clusters): 40 hops of 20.0 ms (median); "
        "800 ms on the critical path, 40.0 % of it."
    )
    assert drawn_edges[3, 1].description == "Rank 3 to rank 1 (lan, same cluster): carried no hop."
    down = placed_tree(ranks=RANKS, parents=PARENTS, edges={}, role="down")
    # A tree that did not run has no weights, so its edges do not count as off the path.
    assert {edge.look for edge in down.edges} == {"unweighted"}
    assert {(edge.src, edge.dst) for edge in down.edges} == {(0, 1), (1, 2), (1, 3)}
    assert crossings(RANKS, PARENTS) == 2
    assert most_in_a_row(PARENTS, {row["rank"]: row["cluster"] for row in RANKS}) == 2


def test_every_rank_is_in_the_box_of_its_host_and_that_in_its_clusters_and_no_name_lies_on_another() -> None:
    ranks = [{**row, "host": f"{row['host'] * 30}.example", "cluster": row["cluster"] * 60} for row in RANKS]
    tree = placed_tree(ranks=ranks, parents=PARENTS, edges={}, role="up")
    boxes = {part.name: part.box for part in tree.boxes}
    of_rank = {row["rank"]: row for row in ranks}
    for part in tree.ranks:
        host, cluster = boxes[of_rank[part.rank]["host"]], boxes[of_rank[part.rank]["cluster"]]
        assert cluster[0] < host[0] < part.centre[0] < host[2] < cluster[2]
        assert cluster[1] < host[1] < part.centre[1] < host[3] < cluster[3]
    for kind in ("host", "cluster"):
        # A name is as wide as its characters, and centred on its box.
        middles = sorted(sum(part.box[::2]) / 2 for part in tree.boxes if part.kind == kind)
        assert all(right - left > 250 for left, right in pairwise(middles))


def test_no_name_of_a_trace_becomes_markup_in_a_drawing() -> None:
    hostile = "</text><script>alert(1)</script>\"'&"
    ranks = [{**row, "host": hostile, "cluster": hostile} for row in RANKS]
    markup = svg(placed_tree(ranks=ranks, parents=PARENTS, edges={}, role="up"), 0.6)
    assert "<script" not in markup
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#x27;&amp;" in markup


def test_a_drawing_shrinks_with_its_frame_and_no_further_than_can_be_read() -> None:
    ranks = [{"rank": rank, "host": f"n{rank % 4}", "cluster": "A"} for rank in range(64)]
    tree = placed_tree(ranks=ranks, parents={r: 0 if r else None for r in range(64)}, edges={}, role="up")
    left, _, right, _ = tree.bounds
    width = right - left
    assert width > 64 * 60
    assert f"max-width: {width:.0f}px; min-width: {0.6 * width:.0f}px" in svg(tree, 0.6)


def test_an_address_chooses_one_of_many_trees_and_a_wrong_one_is_said() -> None:
    trees = [
        RanTree(name, comm, f"comm {comm}", root, root, {"up": {0: None}})
        for comm, name, root in ((0, "flat", 0), (0, "flat", 5), (0, "chain", 5), (3, "flat", 1))
    ]
    assert choose(trees, {}) is trees[0]
    assert choose(trees, {"root": "5"}) is trees[1]
    assert choose(trees, {"comm": "0", "tree": "chain"}) is trees[2]
    assert choose(trees, {"comm": "3"}) is trees[3]
    with pytest.raises(InputError, match="comm=3, root=5"):
        choose(trees, {"comm": "3", "root": "5"})


@pytest.mark.parametrize(
    ("parents", "sentence"),
    [
        ({0: None, 2: 0}, "All ranks are in one cluster, so no edge runs between clusters."),
        ({0: None, 1: 0, 3: 1}, "1 edge runs between clusters."),
        ({0: None, 1: 0, 3: 0}, "2 edges run between clusters, never two in a row on the way to the root."),
        (PARENTS, "2 edges run between clusters, up to 2 in a row on the way to the root."),
    ],
)
def test_how_a_tree_crosses_between_clusters_is_a_sentence(parents: dict[int, int | None], sentence: str) -> None:
    assert between_clusters(RANKS, parents) == sentence


def test_no_text_on_an_edge_lies_on_another_or_on_a_rank() -> None:
    # Fifteen children of one rank in three rows: far more texts than fit at one height.
    parent = (0.0, 0.0)
    children = [(40.0 * (column - 2), 92.0 * row) for row in (1, 2, 3) for column in range(5)]
    lines = [(child, parent) for child in children]
    texts = ["12 %" for _ in lines]
    positions = edge_labels.place(lines, texts, [parent, *children])
    boxes = [
        edge_labels.box(position, text) for position, text in zip(positions, texts, strict=True) if position is not None
    ]
    assert len(boxes) > 3
    circles = [(x - 19, y - 19, x + 19, y + 19) for x, y in (parent, *children)]
    for number, box in enumerate(boxes):
        assert not any(edge_labels.overlap(box, obstacle) for obstacle in (*boxes[number + 1 :], *circles))


def test_more_severe_lateness_is_further_from_the_ground_in_both_colour_schemes() -> None:
    # Regression: on dark ground the mildest step was the brightest.
    steps = palette.LATENESS_COLOURS.values()
    for side, ground in ((0, palette.LIGHT_BACKGROUND), (1, palette.DARK_BACKGROUND)):
        contrasts = [palette.contrast(step[side], ground) for step in steps]
        assert contrasts == sorted(contrasts)
        assert contrasts[0] >= 3


def test_no_text_on_an_edge_lies_on_another_edge() -> None:
    # Regression: two edges leave one rank at a small angle, and the text of each edge lay on both, beside the rank.
    rank, far = (0.0, 0.0), [(1000.0, 60.0), (1000.0, -60.0)]
    lines = [(rank, far[0]), (far[1], rank)]
    positions = edge_labels.place(lines, ["8.2 %", "8.2 %"], [rank, *far])
    for number, (line, position) in enumerate(zip(lines, positions, strict=True)):
        assert position is not None
        text = edge_labels.box(position, "8.2 %")
        assert edge_labels.crosses(line, text)
        assert not edge_labels.crosses(lines[1 - number], text)
    # If edges are closer than the height of a text, no text fits.
    close_lines = [((0.0, 0.0), (1000.0, 0.0)), ((0.0, 8.0), (1000.0, 8.0))]
    assert edge_labels.place(close_lines, ["8.2 %", "8.2 %"], []) == [None, None]


def test_a_heavier_share_is_further_from_the_ground_in_both_colour_schemes() -> None:
    for scale, ground in (
        (palette.LIGHT_SHARES, palette.LIGHT_BACKGROUND),
        (palette.DARK_SHARES, palette.DARK_BACKGROUND),
    ):
        contrasts = [palette.contrast(colour, ground) for colour in scale]
        assert contrasts == sorted(contrasts)
        assert contrasts[0] >= 3


def test_the_mark_of_a_bar_stands_at_its_own_limit_beside_its_own_series() -> None:
    rows = [{"share": 0.5, "share_low": 0.4, "share_high": 0.6, "cause_share": 0.1}, {"share": 0.2, "cause_share": 0.3}]
    figure = share_bars(
        ["0", "1"],
        [("last", "#000000", rows, "share"), ("cause", "#000000", rows, "cause_share")],
        title="share",
        heading="rank",
        limits={"last": [0.25, 0.5], "cause": [None, 0.4]},
        limit="limit",
    )
    # Two bars of 0.325 each around the label's position: the first series above, the second below.
    marks = [(mark.x0, round(mark.y0, 3), round(mark.y1, 3)) for mark in figure.layout.shapes]
    assert marks == [(25.0, -0.325, 0.0), (50.0, 0.675, 1.0), (40.0, 1.0, 1.325)]


def test_the_axis_of_small_shares_ends_behind_the_longest_whisker_and_the_last_mark() -> None:
    def end(rows: list[dict[str, float]], limit: float) -> float:
        figure = share_bars(
            ["0"], [("last", "#000000", rows, "share")], title="share", heading="rank", limits={"last": [limit]}
        )
        return figure.layout.xaxis.range[1]

    # One of 64 ranks is last in 13 % of the collectives. On an axis up to 100 % the bars would be dots.
    assert 20 < end([{"share": 0.13, "share_low": 0.1, "share_high": 0.2}], 0.03) < 30
    assert 40 < end([{"share": 0.13}], 0.4) < 50
    assert end([{"share": 1.0, "share_low": 0.99, "share_high": 1.0}], 0.25) == 103
    assert end([{"share": 0.0}], 0.0) == 10


def test_a_late_rank_stands_at_its_share_in_the_series_of_its_class() -> None:
    rows = [
        {"rank": 0, "class": "always", "share": 0.9, "share_low": 0.8, "share_high": 0.95, "collectives": 40},
        {"rank": 1, "class": None, "share": 0.0, "share_low": None, "share_high": None, "collectives": 5},
    ]
    figure = shares_by_class(rows, rare=0.1, frequent=0.5)
    series_by_name = {series.name: (list(series.x), list(series.y)) for series in figure.data}
    assert series_by_name == {"always": ([90.0], ["0"]), "no class": ([0.0], ["1"])}
    assert figure.data[0].error_x.arrayminus[0] == pytest.approx(10)
    assert [shape.x0 for shape in figure.layout.shapes] == [10, 50]


def test_noise_that_comes_with_a_period_stands_at_one_place_of_it() -> None:
    # Every second iteration of 10 ms has noise. With a period of 20 ms, all noise is 5 ms after a multiple of the
    # period.
    rows = [
        {
            "iteration": n,
            "collective_id": n,
            "enter_ns": 5_000_000 + 10_000_000 * n,
            "noise_ns": (n + 1) % 2 * 3_000_000,
        }
        for n in range(8)
    ]
    rows.append({"iteration": 8, "collective_id": 8, "enter_ns": 85_000_000, "noise_ns": None})
    dots = folded_noise(rows, 20_000_000, {n: f"0:{n}" for n in range(9)}).data[0]
    assert {x for x, y in zip(dots.x, dots.y, strict=True) if y} == {5.0}
    assert {x for x, y in zip(dots.x, dots.y, strict=True) if not y} == {15.0}
    period = {"periodic": True, "period_ns": 20e6, "resolution_ns": 1e6, "explained": 0.9, "amplitude_ns": 2e6}
    figure = periods_by_rank(ranks=RANKS, rows=[{"rank": 1, **period}, {"rank": 2, "periodic": False}])
    # The first rank is on top; the lane below, of rank 2, is empty.
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([20.0], [1])
    assert figure.layout.yaxis.ticktext == ("b   1", "a   2")


DELAYED = {
    "hop_id": 7, "collective": "0:3", "role": "up", "src": 2, "dst": 1, "link": "wan", "took_ns": 30_000_000,
    "usual_ns": 20_000_000, "delay_ns": 10_000_000, "moved_ns": 4_000_000, "amplification": 0.4, "ranks": 4,
    "absorbed_at": 0, "absorbed_ns": 6_000_000, "behind": "hop 1->0",
}  # fmt: skip


def test_a_delay_is_cut_into_what_moved_the_end_and_what_did_not() -> None:
    # Two hops of one edge in one collective are two bars.
    figure = delays([DELAYED, {**DELAYED, "hop_id": 8, "moved_ns": 0, "amplification": 0.0}])
    assert [(bar.name, list(bar.x)) for bar in figure.data] == [("moved the end", [4.0, 0.0]), ("did not", [6.0, 10.0])]
    assert len(set(figure.data[0].y)) == 2


def test_the_delayed_edge_and_what_absorbed_it_are_marked_on_the_tree() -> None:
    plain_tree = placed_tree(ranks=RANKS, parents=PARENTS, edges={}, role="up")
    tree = with_delay(plain_tree, delayed=(2, 1), absorber=0, delaying_edge=(1, 0))
    looks = {(edge.src, edge.dst): edge.look for edge in tree.edges}
    assert looks == {(2, 1): "delayed", (1, 0): "behind", (3, 1): "unweighted"}
    assert {circle.rank: circle.marks for circle in tree.ranks if circle.marks} == {0: ("absorber",)}


def test_the_heaviest_edge_of_a_tree_that_weighs_nothing_does_not_look_heavy() -> None:
    edges = {(1, 0): {**CARRIED, "share": 0.0004}}
    edges_by_src = {e.src: e for e in placed_tree(ranks=RANKS, parents=PARENTS, edges=edges, role="up").edges}
    assert (edges_by_src[1].link, edges_by_src[1].look) == ("wan", "share-0")


def test_of_a_long_selection_the_bar_shows_the_beginning() -> None:
    # Regression: hundreds of ranks, which a click on a host's row selects, filled the window.
    ranks = ",".join(map(str, range(300)))
    words: str = selection_bar.bar("/", {"ranks": ranks}, shows="", trace="1").children[1]
    assert words.startswith("ranks 0,1,2") and words.endswith("…") and len(words) < 100


def test_an_address_carries_the_selection_and_survives_nonsense() -> None:
    assert address.link("/collective", comm=0, seq=3, empty=None) == "/collective?comm=0&seq=3"
    assert address.parse("?comm=0&seq=3") == {"comm": "0", "seq": "3"}
    assert address.number({"seq": "-1"}, "seq") is None
    assert address.number({"seq": "9" * 30}, "seq") is None
    assert address.allowed_word({"order": "drop table"}, "order", ("worst", "median")) == "worst"
