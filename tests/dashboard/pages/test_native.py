"""The page Tree for the MPI library's own algorithms, without a browser: a run under Open MPI with the library's
messages, and one without hops."""

import re
from pathlib import Path

import hopscope
import pytest
from drawn_page import components, draw, text
from hopscope.format import quantities
from hopscope_dashboard.palette import LINK_COLOURS
from moved_run import moved
from sample_copy import open_copy

RANKS = 4


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """A recorded run in which the library's own algorithms ran all collectives. Its ranks are placed in turn on two
    sites."""
    folder = tmp_path_factory.mktemp("native")
    return moved(open_copy("planted/every_kind_openmpi-4/trace", folder), folder / "dataset")


def collective(trace: hopscope.Trace, op: str, algorithm: str) -> str:
    """The first collective on all ranks by this algorithm."""
    rows = trace.algorithms(comm=0).to_pylist()
    return next(row["first"] for row in rows if (row["op"], row["algorithm"]) == (op, algorithm))


def test_a_tree_of_the_library_is_drawn_with_its_edges_beside_it(native: hopscope.Trace) -> None:
    name = collective(native, "MPI_Gather", "binomial")
    rows = native.algorithms(collective=name).to_pylist()
    page = draw(native, f"/tree?collective={name}")
    markup = page.markup("algorithm-graph")
    assert len(re.findall(r'data-part="rank-', markup)) == RANKS
    assert len(re.findall(r'<g class="edge [^"]*by-link', markup)) == RANKS - 1
    sentence = text(page.part("algorithm-said"))
    assert re.search(r"^Open MPI \S+ ran MPI_Gather of \d+ B on MPI_COMM_WORLD \(0\), 4 ranks", sentence)
    assert "Recognised as binomial: 3 messages, 2 in sequence, 1 of them between clusters." in sentence
    assert page.table("algorithm-edges-table") == [
        [f"{row['src']} → {row['dst']}", row["link"], str(row["hops"]), quantities.duration(row["took_ns"]),
         quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in rows
    ]  # fmt: skip
    titles = dict(re.findall(r'data-part="edge-([^"]*)"[^>]*><title>([^<]*)</title>', markup))
    for row in rows:
        assert (
            f"1 message in each of {quantities.plural(row['collectives'], 'collective')}, in round {row['rounds']}; "
            f"{quantities.size(row['bytes'])} in all."
        ) in titles[f"{row['src']}-{row['dst']}"]
    page = page.follow(name, "algorithm-said")
    assert f"MPI_Gather {name}" in page.text
    assert page.follow("binomial").markup("algorithm-graph").count('class="rank root"') == 1


def test_an_exchange_of_the_library_is_drawn_in_rounds_in_the_colours_of_its_links(native: hopscope.Trace) -> None:
    name = collective(native, "MPI_Allreduce", "recursive-doubling")
    markup = draw(native, f"/tree?collective={name}").markup("algorithm-graph")
    edges = re.findall(r'<g class="(edge[^"]*)" data-part', markup)
    assert len(edges) == 2 * RANKS
    assert re.findall(r">(round \d+)<", markup) == ["round 1", "round 2"]
    links = {row["link"] for row in native.algorithms(collective=name).to_pylist()}
    assert len(links) == 2
    assert all("by-link" in looks for looks in edges)
    assert {link for looks in edges for link in LINK_COLOURS if link in looks.split()} == links
    assert len({LINK_COLOURS[link] for link in links}) == 2
    assert all(f".by-link.{link} {{ color: {LINK_COLOURS[link]}; }}" in markup for link in links)
    # The Tab key goes to one arrow, and arrow keys go to the arrows of the next round.
    assert markup.count('tabindex="0"') == 1


def test_the_page_opens_with_a_tree_of_the_library_and_leads_to_what_ran_most_often(native: hopscope.Trace) -> None:
    # Regression: the page opened with algorithms, as if no tree had run.
    page = draw(native, "/tree")
    rows = native.trees().to_pylist()
    count = len({(row["comm"], row["tree"], row["root"]) for row in rows})
    assert text(page.part("tree-count")) == f"Tree 1 of {count} that ran."
    edges_drawn = re.findall(r'data-part="edge-(\d+)-(\d+)"', page.markup("tree-graph"))
    edges = {(row["rank"], row["parent"]) for row in rows if row["comm"] == 0 and row["parent"] is not None}
    assert edges_drawn
    assert {frozenset(map(int, edge)) for edge in edges_drawn} <= {frozenset(edge) for edge in edges}
    page = page.follow("algorithms that ran")
    assert page.has("algorithm-graph")
    assert page.follow("trees that ran").has("tree-graph")


def test_the_lists_and_the_table_lead_from_one_algorithm_to_another(native: hopscope.Trace) -> None:
    page = draw(native, "/tree").follow("algorithms that ran")
    frequent = max(native.algorithms().to_pylist(), key=lambda row: row["collectives"])
    assert f"{frequent['op']}: {frequent['algorithm']}" in page.text
    page = page.go(page.options("Operation")["MPI_Scatter"])
    assert "MPI_Scatter: " in page.text
    page = page.go(list(page.options("Communicator").values())[1])
    assert "2 ranks" in text(page.part("algorithm-said"))
    assert re.fullmatch(r"[12]:\d+", page.query["collective"])
    row = page.table("algorithms-table")[2]
    tree_links = [
        part for part in components(page.part("algorithms-table")) if "/tree?" in str(getattr(part, "href", ""))
    ]
    page = page.go(tree_links[2].href)
    assert text(tree_links[2]) == row[3]
    assert f"{row[0]}: {row[3]}" in page.text


@pytest.mark.parametrize("wrong", ["0:99999", "7", "x:y"])
def test_a_collective_whose_messages_are_unknown_is_said(native: hopscope.Trace, wrong: str) -> None:
    assert draw(native, f"/tree?collective={wrong}").has("cannot-answer")


def test_the_remap_page_of_a_native_run_leads_to_who_sent_to_whom(native: hopscope.Trace) -> None:
    assert draw(native, "/remap").follow("Algorithms and trees").has("tree-graph")


def test_a_native_run_without_hops_says_how_to_get_them(tmp_path: Path) -> None:
    page = draw(open_copy("native_collectives/trace", tmp_path), "/tree")
    assert "Hopscope records the hops of Open MPI" in text(page.part("no-hops"))
    assert len(page.table("call-level")) == 10
