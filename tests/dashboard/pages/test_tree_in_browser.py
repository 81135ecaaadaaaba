"""The drawing of a tree in a real browser: pointing, keys, selection, colours, sizes, and names that contain markup."""

import re
from pathlib import Path

import hopscope
import pytest
import simulated_run
from conftest import Serve
from playwright.sync_api import Page, expect
from reading import click_mark, plot, point_at_edge
from simulated_run import SimulatedRun


def part(name: str) -> str:
    """The selector of a rank or an edge."""
    return f'.tree [data-part="{name}"]'


def test_pointing_at_an_edge_or_a_rank_tells_its_words_and_a_drawing_follows_the_colour_scheme(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/tree")
    tooltip = page.locator(".told")
    expect(tooltip).to_contain_text("Point at an edge")
    edge = page.locator(part("edge-1-0"))
    point_at_edge(page, "edge-1-0")
    # The browser's own tooltip has the same words.
    expect(tooltip).to_have_text(edge.locator("title").text_content() or "")
    expect(tooltip).to_contain_text("Rank 1 to rank 0 ")
    assert edge.evaluate("edge => getComputedStyle(edge).cursor") == "pointer"
    page.locator(part("rank-0")).hover()
    expect(tooltip).to_contain_text("Rank 0 on alpha, site-a.")
    page.locator("h1").hover()
    expect(tooltip).to_contain_text("Point at an edge")
    looks = (
        "() => ['.tree .rank circle', '.tree .rank text', '.tree .edge .line'].map(s => document.querySelector(s))"
        ".map(e => getComputedStyle(e).fill + ' ' + getComputedStyle(e).stroke)"
    )
    light = page.evaluate(looks)
    assert light[0].startswith("rgb(255, 255, 255)")
    page.locator("#colour-scheme").click()
    expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", "dark")
    dark = page.evaluate(looks)
    assert all(light_look != dark_look for light_look, dark_look in zip(light, dark, strict=True)), (light, dark)
    page.locator(part("rank-4")).click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 4")


def test_a_mark_that_leads_nowhere_keeps_what_it_says_and_has_no_pointer(page: Page, address: str) -> None:
    # The suggested tree did not run: no hop ran over its edges.
    page.goto(f"{address}/remap")
    edge = page.locator("#remap-after .edge").first
    edge.wait_for()
    assert edge.evaluate("edge => getComputedStyle(edge).cursor") != "pointer"
    words = edge.locator("title").text_content() or ""
    edge.dispatch_event("click")
    expect(edge).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#remap-after .told")).to_have_text(words)
    edge.dispatch_event("click")
    expect(edge).to_have_attribute("aria-pressed", "false")


def test_keys_lead_through_the_tree_and_from_an_edge_to_its_hops(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/tree")
    root = page.locator(part("rank-0"))
    root.wait_for()
    # The Tab key stops once in the drawing, at the root, and then at the element after the drawing.
    page.get_by_role("link", name="down, from the root").focus()
    page.keyboard.press("Tab")
    expect(root).to_be_focused()
    for key, target in (
        ("ArrowDown", "edge-1-0"), ("ArrowDown", "rank-1"), ("ArrowRight", "rank-4"), ("ArrowUp", "edge-4-0"),
        ("ArrowUp", "rank-0"), ("ArrowUp", "rank-0"),
    ):  # fmt: skip
        page.keyboard.press(key)
        expect(page.locator(part(target)), key).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    expect(root).to_be_focused()
    page.keyboard.press("ArrowDown")
    edge = page.locator(part("edge-1-0"))
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(edge).to_be_focused()
    expect(page.get_by_role("link", name=re.compile("^Rank 1 to rank 0")).first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/delayed-hops?edge=1-0")
    hops = trace.edge_hops(src=1, dst=0).to_pylist()
    plot(page, "edge-over-time")
    click_mark(page, "edge-over-time", 3)
    page.wait_for_url("**/collective?*")
    expect(page.locator("h1")).to_have_text(f"MPI_Allreduce {hops[3]['collective']}")


@pytest.mark.browsers
def test_a_tree_of_64_ranks_keeps_a_readable_size_and_every_part_can_be_scrolled_to(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    trace = hopscope.open(SimulatedRun(ranks=64, iterations=4).write(tmp_path / "wide"))
    page.goto(f"{serve(trace)}/tree")
    expect(page.locator(".tree .rank")).to_have_count(64)
    expect(page.locator(".tree .edge")).to_have_count(63)
    frame = page.locator(".graph-frame")
    for rank in (0, 63, 21, 31):
        circle = page.locator(f"{part(f'rank-{rank}')} circle")
        circle.evaluate("it => it.scrollIntoView({block: 'center', inline: 'center'})")
        box, outer_box = circle.bounding_box(), frame.bounding_box()
        assert box is not None
        assert outer_box is not None
        assert box["width"] >= 0.6 * 38 - 1
        assert outer_box["x"] <= box["x"]
        assert box["x"] + box["width"] <= outer_box["x"] + outer_box["width"]
        assert outer_box["y"] <= box["y"]
        assert box["y"] + box["height"] <= outer_box["y"] + outer_box["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_names_of_a_trace_that_are_markup_are_shown_as_they_are(
    page: Page, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = "<img src=x onerror='window.broken=1'></title><script>window.broken=1</script>"
    monkeypatch.setattr(simulated_run, "HOSTS", ("alpha", hostile, "gamma"))
    monkeypatch.setattr(simulated_run, "CLUSTER", {"alpha": "site-a", hostile: hostile, "gamma": hostile})
    trace = hopscope.open(SimulatedRun(iterations=24).write(tmp_path / "hostile"))
    address = serve(trace)
    for path in ("/tree", "/remap", "/delayed-hops"):
        page.goto(f"{address}{path}")
        page.wait_for_load_state("networkidle")
        if path != "/delayed-hops":
            page.locator(".tree .rank").first.wait_for()
            titles = page.locator(".tree .box title").evaluate_all("all => all.map(title => title.textContent)")
            assert hostile in titles
        assert page.evaluate("window.broken") is None
        assert page.locator("#content script, #content img").count() == 0
