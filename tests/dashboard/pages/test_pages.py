"""Every page, without a browser: the trace's own numbers, and the links between pages."""

from pathlib import Path

import hopscope
import pytest
from dash import html
from drawn_page import DrawnPage, components, draw, text
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.pages.imbalance import noise_periods
from simulated_run import SimulatedRun

PATHS = ["/collective?comm=0&seq=3", *(page.path for page in PAGES)]


def test_the_critical_path_of_the_trace_is_the_command_s(trace: hopscope.Trace) -> None:
    page = draw(trace, "/critical-path")
    rows = trace.critical_path().to_pylist()
    assert [[row[0], row[2], row[3]] for row in page.table("critical-path-table")] == [
        [row["category"], quantities.duration(row["time_ns"]), quantities.share(row["share"])] for row in rows
    ]
    operations = trace.critical_path(by="operation").to_pylist()
    assert [row[0] for row in page.table("critical-path-by-operation")] == [row["operation"] for row in operations]
    bars = {bar["name"]: bar["x"][0] for bar in page.plot("critical-path-bar")}
    assert bars == {row["category"]: pytest.approx(100 * row["share"]) for row in rows if row["time_ns"]}


def test_the_summary_says_what_the_simulation_planted(trace: hopscope.Trace) -> None:
    page = draw(trace)
    # Six hops of 20 ms in every Allreduce make up nearly all of the path: three crossings in sequence where one would
    # suffice.
    verdict = text(page.part("verdict"))
    assert "crosses between clusters 3 times one after another: " in verdict
    assert trace.diagnose().to_pylist()[0]["sentence"] in verdict
    share = quantities.share(trace.diagnose().to_pylist()[0]["cost_share"])
    assert text(page.part("remedies")) == f"Rank order · Library setting · Tree (up to {share})"
    caveats = trace.caveats()
    assert caveats and all(" ".join(sentence.split()) in page.text for sentence in caveats)


def test_a_collective_s_page_has_its_critical_path_step_by_step(trace: hopscope.Trace) -> None:
    page = draw(trace, "/collective?comm=0&seq=3")
    path = trace.critical_path(collective="0:3").to_pylist()
    assert [[row[0], row[1], row[4]] for row in page.table("path-table")] == [
        [str(step["step"]), step["category"], quantities.duration(step["time_ns"])] for step in path
    ]


def test_the_algorithm_is_named_with_the_tree_and_with_the_collective(trace: hopscope.Trace) -> None:
    rows = trace.algorithms().to_pylist()
    assert [row["algorithm"] for row in rows] == ["binomial"]
    assert draw(trace, "/tree").table("algorithms-table") == [
        [row["op"], str(row["ranks"]), quantities.size(row["bytes"]), row["algorithm"], "–", "–",
         str(row["collectives"]), str(row["depth"]), str(row["messages"]), str(row["crossings"]), row["first"]]
        for row in rows
    ]  # fmt: skip
    assert "It ran as binomial." in draw(trace, "/collective?comm=0&seq=3").text


def test_the_tree_shows_the_weight_of_every_edge_up_and_down(trace: hopscope.Trace) -> None:
    edges = trace.tree_edges().to_pylist()

    def expected(role: str) -> list[list[str]]:
        return [
            [f"{row['src']} → {row['dst']}", row["link"], str(row["hops"]), quantities.duration(row["took_ns"]),
             quantities.duration(row["time_ns"]), quantities.share(row["share"])]
            for row in edges if row["role"] == role
        ]  # fmt: skip

    page = draw(trace, "/tree")
    assert page.table("tree-edges-table") == expected("up")
    drawing = next(part for part in components(page.component) if type(part).__name__ == "Drawing")
    assert drawing.markup.count('data-part="edge-') == 7
    down = page.follow("down, from the root")
    assert down.query["role"] == "down"
    assert down.table("tree-edges-table") == expected("down")


def test_last_arrivals_noise_and_wan_share_are_those_of_the_analyses(trace: hopscope.Trace) -> None:
    page = draw(trace, "/last-arrivals")
    assert [[row[0], row[1]] for row in page.table("arrivals-table")] == [
        [str(row["rank"]), quantities.share(row["share"])] for row in trace.last_arrivals().to_pylist()
    ]
    assert [row[0] for row in page.follow("host").table("arrivals-table")] == [
        row["host"] for row in trace.last_arrivals(by="host").to_pylist()
    ]
    children = trace.last_arrivals(at=4).to_pylist()
    assert [[row[0], row[1]] for row in draw(trace, "/last-arrivals?at=4").table("arrivals-at-node")] == [
        [str(row["child"]), quantities.share(row["share"])] for row in children
    ]
    page = draw(trace, "/noise")
    assert [[row[0], row[3], row[6]] for row in page.table("noise-table")] == [
        [str(row["rank"]), quantities.number(row["late_10ms"]), quantities.duration(row["noise_ns"])]
        for row in trace.noise().to_pylist()
    ]
    assert page.has("noise-heat-map")
    assert [row[1] for row in draw(trace, "/wan-share").table("wan-table")] == [
        quantities.share(row["share"]) for row in trace.wan_share().to_pylist()
    ]


def test_late_ranks_and_periods_of_noise_are_those_of_the_analyses(trace: hopscope.Trace) -> None:
    page = draw(trace, "/late-ranks?least_ms=5")
    rows = trace.late_ranks(least_ms=5.0).to_pylist()
    assert {row["class"] for row in rows} == {"never", "sometimes"}
    assert [row[:3] for row in page.table("late-ranks-table")] == [
        [str(row["rank"]), row["class"], quantities.share(row["share"])] for row in rows
    ]
    # Rank 3 computes 3 ms longer in every iteration.
    page = page.follow("1 ms")
    assert "Rank 3 is always late." in page.text
    assert {dots["name"]: dots["y"] for dots in page.plot("late-shares")}["always"] == ["3"]


def test_the_page_noise_shows_periods_where_a_rank_has_one(trace: hopscope.Trace) -> None:
    rows = trace.noise(by="period").to_pylist()
    assert not any(row["periodic"] for row in rows)
    page = draw(trace, "/noise")
    assert "No rank's noise is periodic" in page.text or "too little noise" in page.text
    assert not page.has(noise_periods.TABLE)
    period = {"periodic": True, "period_ns": 2e7, "resolution_ns": 1e5, "amplitude_ns": 1e6, "explained": 0.4}
    rows[1] |= {**period, "false_alarm": 0.001}
    parts = noise_periods.periods(TraceData(trace), {}, rows)
    section = DrawnPage(page.data, page.address, html.Div(parts))
    assert ["1", "20.0 ms", "40.0 %"] in [[row[0], row[2], row[5]] for row in section.table(noise_periods.TABLE)]
    assert section.plot(noise_periods.PERIODS)[0]["x"] == [20.0]
    assert section.has(noise_periods.FOLDED)


def test_a_former_address_leads_to_the_page_of_today(trace: hopscope.Trace) -> None:
    client = create_app(trace).server.test_client()
    for former, address in (("/noise-periods?rank=2", "/noise?rank=2"), ("/models", "/decision-map")):
        answer = client.get(former, headers={"Host": "localhost"})
        assert (answer.status_code, answer.headers["Location"]) == (302, address)


def test_a_trace_without_hops_says_so_and_which_command_makes_them(trace_without_hops: hopscope.Trace) -> None:
    page = draw(trace_without_hops, "/tree")
    assert "This trace has no hops" in text(page.part("no-hops"))
    assert "hopscope run --tree binomial" in text(page.part("no-hops"))
    worst = trace_without_hops.collectives(order="worst", limit=10).to_pylist()
    assert [row[0] for row in page.table("call-level")] == [row["collective"] for row in worst]
    for path in ("/remap", "/wan-share"):
        assert "No hops" in draw(trace_without_hops, path).text
    # With two clusters and unknown hops, the page shows neither 0 % nor a link to a better tree.
    assert "between clusters is not known without hops" in draw(trace_without_hops, "/critical-path").text


# Another test opens every page of a run with hops in a browser.
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("fixture", ["trace_without_hops", pytest.param("trace", marks=pytest.mark.statistics)])
def test_each_page_has_a_heading_and_no_failure(fixture: str, path: str, request: pytest.FixtureRequest) -> None:
    page = draw(request.getfixturevalue(fixture), path)
    assert [text(part) for part in components(page.component) if type(part).__name__ == "H1"] != []
    assert not [part for part in components(page.component) if getattr(part, "role", None) == "alert"]


def test_an_address_that_names_nothing_says_so(trace: hopscope.Trace) -> None:
    assert "Page not found" in draw(trace, "/nowhere").text
    for address, words in (
        ("/collective?comm=0&seq=4711", "4711"),
        ("/collective?comm=abc&seq=1", "comm is 'abc'"),
        ("/tree?root=99", "root=99"),
    ):
        assert words in text(draw(trace, address).part("cannot-answer"))


def test_each_tree_that_ran_has_weights_of_its_own(trace_of_many_trees: hopscope.Trace) -> None:
    assert text(draw(trace_of_many_trees, "/tree").part("tree-count")) == "Tree 1 of 8 that ran."
    page = draw(trace_of_many_trees, "/tree?root=7")
    assert text(page.part("tree-count")) == "Tree 8 of 8 that ran."
    edges = trace_of_many_trees.tree_edges(comm=0, tree="binomial", root=7).to_pylist()
    assert [[row[0], row[2], row[5]] for row in page.table("tree-edges-table")] == [
        [f"{row['src']} → {row['dst']}", str(row["hops"]), quantities.share(row["share"])]
        for row in edges
        if row["role"] == "up"
    ]


def test_whatever_goes_wrong_the_page_says_so_and_is_not_blank(tmp_path: Path) -> None:
    broken = hopscope.open(SimulatedRun(iterations=4).write(tmp_path / "broken"))

    def fail(*_: object, **__: object) -> None:
        raise ValueError("no host to compare with")

    broken.__dict__["answer"] = fail
    page = draw(broken, "/noise")
    alert = next(part for part in components(page.component) if getattr(part, "role", None) == "alert")
    assert "Something went wrong in Hopscope" in text(alert)
    assert "ValueError: no host to compare with" in text(alert)
    assert "Noise" in page.text


def test_a_late_rank_is_marked_at_the_limit_that_the_verdict_uses(trace: hopscope.Trace) -> None:
    page = draw(trace, "/last-arrivals")
    rows = trace.last_arrivals().to_pylist()
    graph = next(part for part in components(page.part("arrival-shares")) if type(part).__name__ == "Graph")
    assert [shape.x0 for shape in graph.figure.layout.shapes] == pytest.approx(
        [100 * row["chance"] for row in rows] + [100 * row["cause_chance"] for row in rows]
    )
    for row in rows:
        assert not row["late"] or row["share_low"] > row["chance"]
    assert any(row["late"] for row in rows)
