"""Texts and addresses of the parts of a drawn tree, and the hops of an edge over time, without a browser."""

import re

import hopscope
import pytest
from drawn_page import DrawnPage, draw
from hopscope.format import quantities


def parts(page: DrawnPage, drawing: str) -> dict[str, tuple[str, str]]:
    """The attributes and the text of every rank and edge of a drawing."""
    matches = re.findall(r'<g ([^>]*data-part="([^"]*)"[^>]*)><title>([^<]*)</title>', page.markup(drawing))
    return {name: (attributes, words) for attributes, name, words in matches}


def test_edges_and_ranks_say_what_they_are_and_what_a_click_does(trace: hopscope.Trace) -> None:
    marks = parts(draw(trace, "/tree"), "tree-graph")
    rows = [row for row in trace.tree_edges().to_pylist() if row["role"] == "up"]
    assert len(rows) == 7
    links = {"wan": "wan, between clusters", "lan": "lan, same cluster", "shm": "shm, same host"}
    for row in rows:
        attributes, words = marks[f"edge-{row['src']}-{row['dst']}"]
        assert words == (
            f"Rank {row['src']} to rank {row['dst']} ({links[row['link']]}): {row['hops']} hops of "
            f"{quantities.duration(row['took_ns'])} (median); {quantities.duration(row['time_ns'])} on the critical "
            f"path, {quantities.share(row['share'])} of it. Click: see its hops over time."
        )
        assert f'data-href="/delayed-hops?edge={row["src"]}-{row["dst"]}"' in attributes
    attributes, words = marks["rank-0"]
    assert words == "Rank 0 on alpha, site-a. It is the root; its children are 1, 2, 4. Click: select the rank."
    assert 'data-href="?ranks=0"' in attributes


def test_edges_of_a_tree_that_did_not_run_lead_nowhere(trace: hopscope.Trace) -> None:
    # No hop ran over the edges of the suggested tree.
    edges = {name: part for name, part in parts(draw(trace, "/remap"), "remap-after").items() if "edge" in name}
    assert len(edges) == 7
    for attributes, words in edges.values():
        assert 'role="button" aria-pressed="false"' in attributes
        assert "data-href" not in attributes
        assert "Click" not in words


def test_the_hops_of_an_edge_are_dots_over_time_that_lead_to_their_collectives(trace: hopscope.Trace) -> None:
    page = draw(trace, "/delayed-hops?edge=1-0")
    hops = trace.edge_hops(src=1, dst=0).to_pylist()
    (dots,) = page.plot("edge-over-time")
    unit = quantities.axis_unit(max(hop["begin_ns"] for hop in hops)).nanoseconds
    assert dots["x"] == [pytest.approx(hop["begin_ns"] / unit) for hop in hops]
    (marks,) = page.marks("edge-over-time")
    assert f"MPI_Allreduce {hops[3]['collective']}" in page.go(marks[3]).text
    assert len(set(marks)) == len({hop["collective"] for hop in hops})
