"""Sentences and files of the pages of trees and hops, and the sentence of a failed click, without a browser."""

import json
import re
from pathlib import Path

import hopscope
import pytest
from asked_app import AskedApp, components_of
from drawn_page import components, draw, text
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_app
from sample_copy import open_copy


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return open_copy("demo/trace", tmp_path_factory.mktemp("demo"))


def test_a_delayed_hop_is_chosen_by_the_address_and_drawn_on_its_tree(demo: hopscope.Trace) -> None:
    rows = demo.delayed_hops(limit=10).to_pylist()
    page = draw(demo, f"/delayed-hops?limit=10&hop={rows[1]['hop_id']}")
    assert [[row[2], row[5], row[7]] for row in page.table("delayed-hops-table")] == [
        [row["collective"], quantities.duration(row["delay_ns"]), quantities.number(row["amplification"])]
        for row in rows
    ]
    assert "behind hop 4->0" in page.text
    edges = re.findall(r'<g class="edge ([^"]*)" data-part="edge-([^"]*)"', page.markup("delayed-hop-chosen"))
    assert [edge for looks, edge in edges if "delayed" in looks.split()] == [f"{rows[1]['src']}-{rows[1]['dst']}"]
    moved, rest = page.plot("delayed-hops")
    assert [(moved_ms + rest_ms) * 1e6 for moved_ms, rest_ms in zip(moved["x"], rest["x"], strict=True)] == [
        pytest.approx(row["delay_ns"]) for row in rows
    ]
    # A click on a row shows its hop.
    rows_shown = [
        part for part in components(page.part("delayed-hops-table").children[1]) if type(part).__name__ == "Tr"
    ]
    leads = [getattr(part, "data-href", None) for part in components(rows_shown[-1])]
    assert f"?hop={rows[-1]['hop_id']}" in leads


def test_the_suggested_tree_is_the_one_of_the_command(trace: hopscope.Trace, tmp_path: Path) -> None:
    candidates = trace.remap(tmp_path / "from-the-command.json").to_pylist()
    page = draw(trace, "/remap")
    assert [row[1] for row in page.table("remap-candidates")] == [
        quantities.duration(row["predicted_ns"]) for row in candidates
    ]
    # Both trees are drawn. The text above them counts their edges between clusters.
    assert page.has("remap-before") and page.has("remap-after")
    crossings = candidates[0]["wan_messages"] // 2
    sections = [text(part) for part in components(page.component) if type(part).__name__ == "Section"]
    (suggested,) = [words for words in sections if words.startswith("Suggested: ")]
    assert f"{crossings} edge" in suggested
    # A bar leads to its numbers. Regression: it had no link.
    (marks,) = page.marks("remap-chart")
    assert [text(page.part(mark.removeprefix("#"))) for mark in marks] == [
        row[0] for row in page.table("remap-candidates")[: len(marks)]
    ]
    assert len(marks) == 12


CLICK = {"remap-download-button.n_clicks": 1}


def test_the_button_hands_over_the_suggested_tree(trace: hopscope.Trace, tmp_path: Path) -> None:
    trace.remap(tmp_path / "from-the-command.json")
    app = AskedApp(create_app(trace))
    answer = app.answer("remap-download.data", CLICK, {"address.search": ""}, changed="remap-download-button.n_clicks")
    download = answer["response"]["remap-download"]["data"]
    assert download["filename"] == "tree.json"
    assert json.loads(download["content"]) == json.loads((tmp_path / "from-the-command.json").read_text())


def test_a_click_that_fails_says_so(trace: hopscope.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    app = AskedApp(create_app(trace))
    monkeypatch.setattr("dash.dcc.send_string", fail)
    answer = app.answer("remap-download.data", CLICK, {"address.search": ""}, changed="remap-download-button.n_clicks")
    problem = components_of(answer["sideUpdate"]["problem"]["children"])
    (alert,) = [part for part in components(problem) if getattr(part, "role", None) == "alert"]
    assert "OSError: the disk is full" in text(alert)


def test_a_list_has_every_tree_that_ran(trace_of_many_trees: hopscope.Trace) -> None:
    page = draw(trace_of_many_trees, "/tree")
    roots = page.options("Root")
    assert list(roots) == [f"rank {root}" for root in range(8)]
    page = page.go(roots["rank 7"])
    assert page.query["root"] == "7"
    assert text(page.part("tree-count")) == "Tree 8 of 8 that ran."
