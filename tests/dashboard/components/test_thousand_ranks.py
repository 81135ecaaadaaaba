"""A run of 1,024 ranks on 64 hosts, without a browser. No page has more components than a browser lays out at once.
Figures that are too large rank by rank are drawn host by host, until the user opens a host."""

import json
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawn_page import DrawnPage, components, draw, text
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.pages import PAGES

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from large import program, spend

RANKS, OF_HOST = 1024, 16
HOSTS = [f"host{number}" for number in range(RANKS // OF_HOST)]
EVENTS = 30_000
MOST_PARTS = 6_000
"""In a browser, where a component of a figure has two or more elements, this means 12,000 elements at once."""
COMPUTED_LONG = ("/remap",)
"""Pages that compute for a minute; test_thousand_ranks_in_browser.py opens them."""


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> TraceData:
    """A few iterations of a run with 16 consecutive ranks on each host."""
    folder = tmp_path_factory.mktemp("thousand") / "solver"
    spend([str(program("synthetic_trace")), str(folder), str(EVENTS), "collectives", str(RANKS), str(len(HOSTS))])
    return TraceData(hopscope.open(folder))


def parts(page: DrawnPage) -> Iterator[Any]:
    """All parts that a browser makes an element for: components, elements of drawings, bars and dots of figures."""
    for part in components(page.component):
        yield part
        if type(part).__name__ == "Drawing":
            yield from re.findall(r"<[a-z]", part.markup)
        elif type(part).__name__ == "Graph":
            series = [series for series in part.figure.data if series.type != "heatmap"]
            yield from (mark for marks in series for mark in (marks.x if marks.x is not None else ()))


@pytest.mark.parametrize("path", [page.path for page in PAGES if page.in_menu and page.path not in COMPUTED_LONG])
def test_each_page_is_drawn_of_fewer_parts_than_a_browser_lays_out_at_once(thousand: TraceData, path: str) -> None:
    page = draw(thousand, path)
    assert any(type(part).__name__ == "H1" for part in components(page.component))
    assert 10 < sum(1 for _ in parts(page)) <= MOST_PARTS


def test_the_timeline_has_a_row_for_each_host_and_of_an_open_host_one_for_each_rank(thousand: TraceData) -> None:
    client = create_app(thousand.trace).server.test_client()

    def rows(query: str) -> list[dict[str, Any]]:
        body = client.get(f"/_timeline/columns{query}").data
        (length,) = struct.unpack("<I", body[:4])
        header: dict[str, list[dict[str, Any]]] = json.loads(body[4 : 4 + length])
        return header["rows"]

    assert [(row["host"], row["ranks"]) for row in rows("")] == [(host, OF_HOST) for host in HOSTS]
    assert [row["rank"] for row in rows("?host=host3")] == list(range(48, 64))


def test_hosts_of_a_tree_are_folded_and_open_one_by_one(thousand: TraceData) -> None:
    page = draw(thousand, "/tree")
    assert "1,023 of 1,024 ranks on 64 hosts are folded" in page.text
    assert folded(page) == len(HOSTS)
    attributes, words = tree_part(page, "rank-48")
    assert re.fullmatch(r"16 ranks of host3, site0: 48-63\. Among them: .* Click: open the host\.", words)
    (lead,) = re.findall('data-href="([^"]*)"', attributes)
    page = page.go(lead)
    assert page.query == {"open": "host3"}
    assert folded(page) == len(HOSTS) - 1
    assert all(tree_part(page, f"rank-{rank}")[1].startswith(f"Rank {rank} on host3") for rank in (48, 55, 63))
    assert re.match(r"Rank 49 to rank 48 \(shm.*see its hops over time", tree_part(page, "edge-49-48")[1])
    (lead,) = re.findall('data-href="([^"]*)"', tree_part(page, "rank-32")[0])
    page = page.go(lead)
    assert page.query == {"open": "host3,host2"}
    assert folded(page) == len(HOSTS) - 2
    page = page.go(open_hosts(page)["host3"])
    assert page.query == {"open": "host2"}
    # In the browser, a click on a parameter that the address has removes it.
    assert (folded(page), open_hosts(page)) == (len(HOSTS) - 1, {"host2": "?open=host2"})


def test_a_cell_of_two_hosts_leads_to_the_messages_of_their_ranks(thousand: TraceData) -> None:
    page = draw(thousand, "/messages")
    (cells,) = page.figure("messages-matrix").data
    assert len(cells.x) == len(cells.y) == len(HOSTS)
    (marks,) = page.marks("messages-matrix")
    page = page.go(marks[5 * len(HOSTS) + 4])
    assert page.query["ranks"] == ",".join(map(str, range(64, 96)))
    # There is also one neighbour on each side, to which the outermost ranks send.
    assert len(page.figure("messages-matrix").data[0].x) == 34
    assert {("79", "80"), ("80", "79")} <= {(row[0], row[1]) for row in page.table("messages-pairs")}


def tree_part(page: DrawnPage, part: str) -> tuple[str, str]:
    """The attributes and the text of a rank or an edge of the tree."""
    parts = re.findall(rf'<g ([^>]*data-part="{part}"[^>]*)><title>([^<]*)</title>', page.markup("tree-graph"))
    attributes, words = parts[0]
    return attributes, words


def folded(page: DrawnPage) -> int:
    """The number of circles of the tree that are folded hosts."""
    return len(re.findall('class="rank [^"]*folded', page.markup("tree-graph")))


def open_hosts(page: DrawnPage) -> dict[str, str]:
    """Addresses of the open hosts over the tree, by host name."""
    (sentence,) = [part for part in components(page.component) if "folding" in str(getattr(part, "className", ""))]
    marks = [part for part in components(sentence) if getattr(part, "data-href", None)]
    return {text(part): getattr(part, "data-href") for part in marks}
