"""Every page in a real browser: the trace's own numbers, the ways between pages, and no request to anybody else."""

import json
import shutil
from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope import quantities
from hopscope_dashboard import palette
from hopscope_dashboard.pages import PAGES
from playwright.sync_api import Page, expect
from reading import click_mark, plot, table
from simulated_run import SimulatedRun

PATHS = ["/collective?comm=0&seq=3", *(page.path for page in PAGES)]
SAMPLE = Path(__file__).parents[2] / "sample_traces" / "demo" / "trace"


def test_the_overview_shows_the_critical_path_of_the_trace(page: Page, address: str, trace: hopscope.Trace) -> None:
    page.goto(address)
    rows = trace.critical_path().to_pylist()
    shown = table(page, "critical-path-table")
    assert [[row[0], row[2], row[3]] for row in shown] == [
        [row["category"], quantities.duration(row["time_ns"]), quantities.share(row["share"])] for row in rows
    ]
    operations = trace.critical_path(by="operation").to_pylist()
    assert [row[0] for row in table(page, "critical-path-by-operation")] == [row["operation"] for row in operations]
    bars = {bar["name"]: bar["x"][0] for bar in plot(page, "critical-path-bar")}
    assert bars == {row["category"]: pytest.approx(100 * row["share"]) for row in rows if row["time_ns"]}


def test_the_overview_says_what_the_simulation_planted(page: Page, address: str, trace: hopscope.Trace) -> None:
    page.goto(address)
    # Six hops of 20 ms in every Allreduce: nearly all of the path; three crossings in a row where one would do.
    expect(page.locator("#findings")).to_contain_text("of the critical path goes on hops between clusters")
    expect(page.locator("#findings")).to_contain_text("A better tree is likely")
    expect(page.locator("#findings")).to_contain_text("up to 3 times in a row")
    for sentence in trace.caveats():
        expect(page.locator("#content")).to_contain_text(sentence)
    assert page.title() == "Overview · solver · Hopscope"


def test_a_timeline_draws_every_call_and_hop_and_its_critical_path(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/collective?comm=0&seq=3")
    path = trace.critical_path(collective="0:3").to_pylist()
    shown = table(page, "path-table")
    assert [[row[0], row[1], row[4]] for row in shown] == [
        [str(step["step"]), step["category"], quantities.duration(step["time_ns"])] for step in path
    ]
    drawn = plot(page, "timeline")
    calls = next(each for each in drawn if each["name"] == "in the collective")
    times = {
        row["rank"]: (row["leave_ns"] - row["enter_ns"]) / 1e6
        for row in trace.collective_calls(collective="0:3").to_pylist()
    }
    assert sorted(calls["x"]) == pytest.approx(sorted(times.values()))
    hops = trace.collective_hops(collective="0:3").to_pylist()
    for link in ("lan", "wan"):
        lines = next(each for each in drawn if str(each["name"]).startswith(link))
        assert len(lines["x"]) == 3 * sum(hop["link"] == link for hop in hops)
    lane = next(each for each in drawn if each["name"] == "critical path")
    assert (lane["x"][-1] - lane["x"][0]) * 1e6 == pytest.approx(sum(step["time_ns"] for step in path))


def test_the_algorithm_is_named_with_the_tree_and_with_the_collective(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    ran = trace.algorithms().to_pylist()
    assert [row["algorithm"] for row in ran] == ["binomial"]
    page.goto(f"{address}/tree")
    assert table(page, "algorithms-table") == [
        [row["op"], str(row["ranks"]), quantities.size(row["bytes"]), row["algorithm"], "–", "–",
         str(row["collectives"]), str(row["depth"]), str(row["messages"]), str(row["crossings"]), row["first"]]
        for row in ran
    ]  # fmt: skip
    page.goto(f"{address}/collective?comm=0&seq=3")
    expect(page.locator(".page-head")).to_contain_text(
        "Recognised as binomial: 14 messages, 6 in sequence, 6 of them between clusters."
    )


def test_the_tree_shows_the_weight_of_every_edge_up_and_down(page: Page, address: str, trace: hopscope.Trace) -> None:
    edges = trace.tree_edges().to_pylist()

    def expected(phase: str) -> list[list[str]]:
        return [
            [f"{row['src']} → {row['dst']}", row["link"], str(row["hops"]), quantities.duration(row["took_ns"]),
             quantities.duration(row["time_ns"]), quantities.share(row["share"])]
            for row in edges if row["phase"] == phase
        ]  # fmt: skip

    page.goto(f"{address}/tree")
    assert table(page, "tree-edges-table") == expected("up")
    expect(page.locator(".tree .edge")).to_have_count(7)
    page.get_by_role("link", name="down, from the root").click()
    page.wait_for_url("**/tree?phase=down")
    expect(page.locator("#tree-edges-table tbody tr").first).to_contain_text("0 → 4")
    assert table(page, "tree-edges-table") == expected("down")


def test_last_arrivals_noise_and_wan_share_are_those_of_the_analyses(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/last-arrivals")
    arrivals = trace.last_arrivals().to_pylist()
    assert [[row[0], row[1]] for row in table(page, "arrivals-table")] == [
        [str(row["rank"]), quantities.share(row["share"])] for row in arrivals
    ]
    page.get_by_role("link", name="host", exact=True).click()
    expect(page.locator("#arrivals-table thead th").first).to_have_text("host")
    assert [row[0] for row in table(page, "arrivals-table")] == [
        row["host"] for row in trace.last_arrivals(by="host").to_pylist()
    ]
    page.goto(f"{address}/last-arrivals?at=4")
    children = trace.last_arrivals(at=4).to_pylist()
    assert [[row[0], row[1]] for row in table(page, "arrivals-at-node")] == [
        [str(row["child"]), quantities.share(row["share"])] for row in children
    ]
    page.goto(f"{address}/noise")
    assert [[row[0], row[3], row[6]] for row in table(page, "noise-table")] == [
        [row["rank"], quantities.number(row["late_10ms"]), quantities.duration(row["noise_ns"])]
        for row in trace.noise().to_pylist()
    ]
    plot(page, "noise-heat-map")
    page.goto(f"{address}/wan-share")
    assert [row[1] for row in table(page, "wan-table")] == [
        quantities.share(row["share"]) for row in trace.wan_share().to_pylist()
    ]


def test_late_ranks_and_periods_of_noise_are_those_of_the_analyses(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/late-ranks?least_ms=5")
    rows = trace.late_ranks(least_ms=5.0).to_pylist()
    assert {row["class"] for row in rows} == {"never", "sometimes"}
    assert [row[:3] for row in table(page, "late-ranks-table")] == [
        [str(row["rank"]), row["class"], quantities.share(row["share"])] for row in rows
    ]
    page.get_by_role("link", name="1 ms", exact=True).click()
    # Rank 3 computes 3 ms longer every time.
    expect(page.locator("#content .note")).to_contain_text("Rank 3 is always late.")
    dots = {each["name"]: each["y"] for each in plot(page, "late-shares")}
    assert dots["always"] == ["3"]
    page.goto(f"{address}/noise-periods")
    periods = trace.noise_periods().to_pylist()
    assert [[row[0], row[2], row[5]] for row in table(page, "noise-periods-table")] == [
        [str(row["rank"]), quantities.duration(row["period_ns"]), quantities.share(row["explained"])] for row in periods
    ]


def test_a_delayed_hop_is_chosen_by_the_address_and_drawn_on_its_tree(page: Page, serve: Serve, tmp_path: Path) -> None:
    copy = shutil.copytree(SAMPLE, tmp_path / "trace", ignore=shutil.ignore_patterns("dataset"))
    trace = hopscope.open(copy)
    rows = trace.delayed_hops(limit=10).to_pylist()
    absorbed = rows[1]
    page.goto(f"{serve(trace)}/delayed-hops?limit=10&hop={absorbed['hop_id']}")
    assert [[row[2], row[5], row[7]] for row in table(page, "delayed-hops-table")] == [
        [row["collective"], quantities.duration(row["delay_ns"]), quantities.number(row["amplification"])]
        for row in rows
    ]
    expect(page.locator("#content")).to_contain_text("was absorbed at rank 0 behind hop 4->0")
    page.set_viewport_size({"width": 1024, "height": 800})
    expect(page.get_by_text("A wider window also shows: usually and ranks earlier.")).to_be_visible()
    wide, shown = page.locator("#delayed-hops-table").evaluate(
        "table => [table.closest('.table-frame').scrollWidth, table.closest('.table-frame').clientWidth]"
    )
    assert wide <= shown
    # One line for each: "hop 4->0" was broken after its hyphen.
    heights = page.locator("#delayed-hops-table tbody tr").evaluate_all("all => all.map(row => row.offsetHeight)")
    assert max(heights) - min(heights) <= 1
    expect(page.locator(".tree .edge.delayed")).to_have_count(1)
    moved, rest = plot(page, "delayed-hops")
    assert [(one + other) * 1e6 for one, other in zip(moved["x"], rest["x"], strict=True)] == [
        pytest.approx(row["delay_ns"]) for row in rows
    ]
    # A row below shows its hop above: it came without being seen.
    page.locator("#delayed-hops-table tbody tr").last.locator(".mark-link").first.click()
    page.wait_for_url(f"**&hop={rows[-1]['hop_id']}")
    expect(page.locator("#delayed-hop-chosen h2")).to_be_in_viewport()


def test_the_suggested_tree_can_be_downloaded_and_is_the_one_of_the_command(
    page: Page, address: str, trace: hopscope.Trace, tmp_path: Path
) -> None:
    page.goto(f"{address}/remap")
    found = trace.remap(tmp_path / "from-the-command.json")
    shown = table(page, "remap-candidates")
    assert [row[1] for row in shown] == [quantities.duration(row["predicted_ns"]) for row in found.to_pylist()]
    with page.expect_download() as download:
        page.get_by_role("button", name="Download tree.json").click()
    assert download.value.suggested_filename == "tree.json"
    downloaded = Path(download.value.path()).read_text()
    assert json.loads(downloaded) == json.loads((tmp_path / "from-the-command.json").read_text())
    # Both trees are drawn, and what stands over them counts their edges between clusters.
    expect(page.locator(".graph-frame")).to_have_count(2)
    across = found.to_pylist()[0]["wan_messages"] // 2
    expect(page.locator("section", has_text="Suggested: ")).to_contain_text(f"{across} edge")
    # A bar leads to its numbers; it led nowhere.
    row = page.locator("#remap-candidates tbody tr").nth(3)
    click_mark(page, "remap-chart", 3, shows=page.locator("#remap-candidates tr.chosen"))
    expect(row).to_have_class("chosen")
    expect(row).to_be_in_viewport()


def test_a_trace_without_hops_says_so_and_which_command_makes_them(
    page: Page, address_without_hops: str, trace_without_hops: hopscope.Trace
) -> None:
    page.goto(f"{address_without_hops}/tree")
    expect(page.locator("#no-hops")).to_contain_text("This trace has no hops")
    expect(page.locator("#no-hops code").last).to_contain_text("hopscope run --tree binomial")
    worst = trace_without_hops.collectives(order="worst", limit=10).to_pylist()
    assert [row[0] for row in table(page, "call-level")] == [row["collective"] for row in worst]
    for path in PATHS:
        page.goto(f"{address_without_hops}{path}")
        expect(page.locator("#content h1")).to_be_visible()
    for path in ("/remap", "/wan-share"):
        page.goto(f"{address_without_hops}{path}")
        expect(page.locator("#content")).to_contain_text("No hops")
    # Two clusters, and nobody knows what ran between them: neither 0 % nor a way to a better tree.
    page.goto(address_without_hops)
    expect(page.locator("#key-figures")).to_contain_text("Between clusters–not known without hops")
    expect(page.locator("#content")).not_to_contain_text("A better tree")


@pytest.mark.parametrize("path", PATHS)
def test_a_page_draws_in_both_colour_schemes_and_fits_its_window(page: Page, address: str, path: str) -> None:
    page.goto(f"{address}{path}")
    expect(page.locator("#content h1")).to_be_visible()
    page.wait_for_load_state("networkidle")
    light = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    page.locator("#colour-scheme").click()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") != light
    # Nothing makes the page wider than the window.
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_how_late_takes_the_colours_of_the_scheme_there_and_back(page: Page, address: str) -> None:
    colour = "() => document.querySelector('#noise-late .js-plotly-plot').data.map(series => series.marker.color)"
    light, dark = (list(each) for each in zip(*palette.LATENESS_COLOURS.values(), strict=True))
    page.goto(f"{address}/noise")
    plot(page, "noise-late")
    assert page.evaluate(colour) == light
    switch = page.locator("#colour-scheme")
    switch.click()
    page.wait_for_function(f"wanted => JSON.stringify(({colour})()) === JSON.stringify(wanted)", arg=dark)
    page.reload()
    plot(page, "noise-late")
    page.wait_for_function(f"wanted => JSON.stringify(({colour})()) === JSON.stringify(wanted)", arg=dark)
    switch.click()
    page.wait_for_function(f"wanted => JSON.stringify(({colour})()) === JSON.stringify(wanted)", arg=light)


def test_an_address_that_names_nothing_says_so(page: Page, address: str) -> None:
    page.goto(f"{address}/nowhere")
    expect(page.locator("h1")).to_have_text("Page not found")
    page.goto(f"{address}/collective?comm=0&seq=4711")
    expect(page.locator("#cannot-answer")).to_contain_text("4711")
    page.goto(f"{address}/collective?comm=abc&seq=1")
    expect(page.locator("#cannot-answer")).to_contain_text("comm is 'abc'")
    page.goto(f"{address}/tree?root=99")
    expect(page.locator("#cannot-answer")).to_contain_text("root=99")


def test_every_tree_that_ran_can_be_chosen_and_has_weights_of_its_own(
    page: Page, serve: Serve, trace_of_many_trees: hopscope.Trace
) -> None:
    page.goto(f"{serve(trace_of_many_trees)}/tree")
    expect(page.locator("#tree-count")).to_have_text("Tree 1 of 8 that ran.")
    page.get_by_role("textbox", name="Root").click()
    expect(page.get_by_role("option")).to_have_count(8)
    page.get_by_role("option", name="rank 7").click()
    expect(page.locator("#tree-count")).to_have_text("Tree 8 of 8 that ran.")
    assert "root=7" in page.url
    edges = trace_of_many_trees.tree_edges(comm=0, tree="binomial", root=7).to_pylist()
    assert [[row[0], row[2], row[5]] for row in table(page, "tree-edges-table")] == [
        [f"{row['src']} → {row['dst']}", str(row["hops"]), quantities.share(row["share"])]
        for row in edges
        if row["phase"] == "up"
    ]


def test_whatever_goes_wrong_the_page_says_so_and_is_not_blank(page: Page, serve: Serve, tmp_path: Path) -> None:
    broken = hopscope.open(SimulatedRun(iterations=4).write(tmp_path / "broken"))

    def fail(*_: object, **__: object) -> None:
        raise ValueError("no host to compare with")

    broken.__dict__["remap"] = fail
    address = serve(broken)
    page.goto(f"{address}/remap")
    expect(page.get_by_role("alert")).to_contain_text("Something went wrong in Hopscope")
    expect(page.get_by_role("alert")).to_contain_text("ValueError: no host to compare with")
    broken.__dict__["answer"] = fail
    page.goto(f"{address}/noise")
    expect(page.get_by_role("alert")).to_contain_text("ValueError: no host to compare with")
    expect(page.locator("h1")).to_have_text("Noise")


def test_a_click_that_fails_says_so(page: Page, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr("dash.dcc.send_string", fail)
    page.goto(f"{address}/remap")
    page.get_by_role("button", name="Download tree.json").click()
    expect(page.get_by_role("alert")).to_contain_text("OSError: the disk is full")


def test_on_a_narrow_window_the_menu_opens_over_the_page_and_closes_again(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 420, "height": 800})
    page.goto(f"{address}/noise")
    expect(page.locator("h1")).to_have_text("Noise")
    expect(page.locator("#menu")).not_to_be_in_viewport()
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("#menu")).to_be_in_viewport()
    page.get_by_role("link", name="Collectives", exact=True).click()
    expect(page.locator("h1")).to_have_text("Collectives")
    expect(page.locator("#menu")).not_to_be_in_viewport()


def test_on_a_narrow_window_findings_fit_their_card(page: Page, address: str) -> None:
    # Sentences had one word a line, and a link left the card.
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)
    expect(page.locator(".findings li").first).to_be_visible()
    for item in page.locator(".findings li").all():
        whole, words = item.bounding_box(), item.locator("div").bounding_box()
        assert whole
        assert words
        assert words["width"] > whole["width"] / 2
        for link in item.locator("a").all():
            box = link.bounding_box()
            assert box
            assert box["x"] + box["width"] <= whole["x"] + whole["width"] + 1


def test_a_late_rank_is_marked_at_the_limit_that_the_verdict_uses(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/last-arrivals")
    plot(page, "arrival-shares")
    rows = trace.last_arrivals().to_pylist()
    marks = page.eval_on_selector(
        "#arrival-shares .js-plotly-plot", "plot => plot.layout.shapes.map(shape => shape.x0)"
    )
    assert marks == pytest.approx(
        [100 * row["late_above"] for row in rows] + [100 * row["cause_above"] for row in rows]
    )
    for row in rows:
        assert row["late"] == (row["share_low"] > row["late_above"])
        assert row["late_above"] == pytest.approx(2 * row["chance"])
