"""Pages in a real browser: colours, narrow windows, downloads and clicks, and no request to other hosts."""

import json
from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope_dashboard import palette
from playwright.sync_api import Page, expect
from reading import click_mark, plot
from sample_copy import open_copy


def test_a_table_fits_a_narrower_window_and_what_is_chosen_in_it_comes_into_view(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1024, "height": 800})
    page.goto(f"{serve(open_copy('demo/trace', tmp_path))}/delayed-hops?limit=10")
    expect(page.get_by_text("A wider window also shows: usually and ranks earlier.")).to_be_visible()
    content_width, frame_width = page.locator("#delayed-hops-table").evaluate(
        "table => [table.closest('.table-frame').scrollWidth, table.closest('.table-frame').clientWidth]"
    )
    assert content_width <= frame_width
    # Each has one line. Regression: "hop 4->0" was broken after its hyphen.
    heights = page.locator("#delayed-hops-table tbody tr").evaluate_all("all => all.map(row => row.offsetHeight)")
    assert max(heights) - min(heights) <= 1
    # A click on a row below shows its hop above. Regression: the hop appeared out of view.
    page.locator("#delayed-hops-table tbody tr").last.locator(".mark-link").first.click()
    page.wait_for_url("**&hop=*")
    expect(page.locator("#delayed-hop-chosen h2")).to_be_in_viewport()


def test_the_suggested_tree_is_downloaded_and_a_bar_shows_its_row(
    page: Page, address: str, trace: hopscope.Trace, tmp_path: Path
) -> None:
    page.goto(f"{address}/remap")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download tree.json").click()
    assert download.value.suggested_filename == "tree.json"
    trace.remap(tmp_path / "from-the-command.json")
    downloaded = Path(download.value.path()).read_text()
    assert json.loads(downloaded) == json.loads((tmp_path / "from-the-command.json").read_text())
    # Regression: the row had no link.
    row = page.locator("#remap-candidates tbody tr").nth(3)
    click_mark(page, "remap-chart", 3, shows=page.locator("#remap-candidates tr.chosen"))
    expect(row).to_have_class("chosen")
    expect(row).to_be_in_viewport()


def test_a_remedy_is_computed_when_asked_and_its_file_is_the_command_s(
    page: Page, address: str, trace: hopscope.Trace, tmp_path: Path
) -> None:
    page.goto(f"{address}/improve")
    tree = page.locator("#content .card", has=page.get_by_role("heading", name="Tree", exact=True))
    expect(page.get_by_role("link", name="Compute")).to_have_count(3)
    tree.get_by_role("link", name="Compute").click()
    with page.expect_download() as download:
        tree.get_by_role("button", name="Download tree.json").click()
    trace.remap(tmp_path / "from-the-command.json")
    downloaded = Path(download.value.path()).read_text()
    assert json.loads(downloaded) == json.loads((tmp_path / "from-the-command.json").read_text())
    expect(tree).to_contain_text("--tree tree.json -- mpirun -n 8 ")
    expect(page.get_by_role("link", name="Compute")).to_have_count(2)


def test_the_colours_follow_the_system(page: Page, address: str) -> None:
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)


@pytest.mark.browsers
def test_words_and_figures_take_the_colours_of_the_scheme_there_and_back(page: Page, address: str) -> None:
    heading = "getComputedStyle(document.querySelector('h1')).color"
    colour = "() => document.querySelector('#noise-late .js-plotly-plot').data.map(series => series.marker.color)"
    light, dark = (list(colours) for colours in zip(*palette.LATENESS_COLOURS.values(), strict=True))
    page.goto(f"{address}/noise")
    plot(page, "noise-late")
    assert page.evaluate(colour) == light
    words = page.evaluate(heading)
    switch = page.locator("#colour-scheme")
    switch.click()
    page.wait_for_function(f"wanted => JSON.stringify(({colour})()) === JSON.stringify(wanted)", arg=dark)
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    assert page.evaluate(heading) != words
    page.reload()
    plot(page, "noise-late")
    page.wait_for_function(f"wanted => JSON.stringify(({colour})()) === JSON.stringify(wanted)", arg=dark)
    switch.click()
    page.wait_for_function(f"wanted => JSON.stringify(({colour})()) === JSON.stringify(wanted)", arg=light)


def test_on_a_narrow_window_the_verdict_fits_its_card_and_the_menu_opens_over_it(page: Page, address: str) -> None:
    # Regression: sentences had one word in each line, and a link stuck out of the card.
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)
    expect(page.locator("#verdict")).to_be_in_viewport()
    whole = page.locator("#diagnosis").bounding_box()
    assert whole
    for item in page.locator("#verdict, #diagnosis a, #diagnosis code").all():
        box = item.bounding_box()
        assert box
        assert box["x"] + box["width"] <= whole["x"] + whole["width"] + 1
    expect(page.locator("#menu")).not_to_be_in_viewport()
    page.get_by_role("button", name="Menu").click()
    expect(page.locator("#menu")).to_be_in_viewport()
    page.get_by_role("link", name="Imbalance", exact=True).click()
    expect(page.locator("h1")).to_have_text("By rank")
    expect(page.locator("#menu")).not_to_be_in_viewport()
