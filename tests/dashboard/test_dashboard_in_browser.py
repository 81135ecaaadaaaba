"""Pages in a real browser: colours, narrow windows, downloads and clicks, and no request to anybody else."""

import json
import shutil
from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope import quantities
from hopscope_dashboard import palette
from playwright.sync_api import Page, expect
from reading import click_mark, plot, table

PATHS = ["/collective?comm=0&seq=3", "/", "/noise"]
SAMPLE = Path(__file__).parents[2] / "sample_traces" / "demo" / "trace"


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


@pytest.mark.browsers
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


@pytest.mark.browsers
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
