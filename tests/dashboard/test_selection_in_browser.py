"""The selected part of the run stands in the address, every page follows it, and every link keeps it."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from hopscope import quantities
from playwright.sync_api import BrowserContext, Locator, Page, expect
from reading import cell_at, click_cell, click_mark, plot, table

PART = "from=i:10&to=i:30&ranks=2,3"
FEWER = "figure => document.querySelector(`#${figure} .js-plotly-plot`)?.data[0].y.length < 8"


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_links_and_the_menu_keep_the_selection_and_one_click_clears_it(page: Page, address: str) -> None:
    page.goto(f"{address}/late-ranks?{PART}")
    page.get_by_role("link", name="Last arrivals").first.click()
    expect(page.locator("h1")).to_have_text("Last arrivals")
    assert {name: query(page)[name] for name in ("from", "to", "ranks")} == {
        "from": ["i:10"], "to": ["i:30"], "ranks": ["2,3"],
    }  # fmt: skip
    page.go_back()
    expect(page.locator("h1")).to_have_text("Late ranks")
    expect(page.locator("#selection")).to_contain_text("ranks 2,3")
    page.get_by_role("link", name="Show the whole run").click()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    assert query(page).keys() <= {"trace"}
    page.go_back()
    expect(page.locator("#selection")).to_contain_text("ranks 2,3")


def test_what_the_timeline_zooms_to_is_selected_on_the_other_pages(page: Page, address: str) -> None:
    page.goto(f"{address}/timeline")
    picture = page.locator("#run-timeline canvas")
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    expect(page.locator("#run-timeline")).to_contain_text(" s to ")
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"from=\d+"))
    expect(page.locator("#selection")).to_contain_text("; the rest is shaded")
    zoomed = query(page)
    page.get_by_role("link", name="Late ranks").first.click()
    expect(page.locator("h1")).to_have_text("Late ranks")
    assert (query(page)["from"], query(page)["to"]) == (zoomed["from"], zoomed["to"])
    begin, end = (quantities.quantity(int(zoomed[name][0]), "at") for name in ("from", "to"))
    expect(page.locator("#selection")).to_contain_text(f"from {begin}, to {end}")


def test_a_part_is_selected_by_its_form(page: Page, address: str) -> None:
    page.goto(f"{address}/late-ranks?least_ms=5")
    page.get_by_text("Select a part of the run").click()
    fields = page.locator("#selection-form input:not([type=hidden])")
    # What can be typed is seen: the fields were as wide as their labels, `to` 16 px.
    assert all(wide > 120 for wide in fields.evaluate_all("all => all.map(each => each.clientWidth)"))
    page.locator("#selection-form input[name=ranks]").fill("0-2")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 0-2")
    assert len(table(page, "late-ranks-table")) == 3
    asked = query(page)
    assert (asked["least_ms"], asked["ranks"]) == (["5"], ["0-2"])
    assert "from" not in asked


def ranks_of(page: Page, figure: str, series: int) -> list[str]:
    """The labels of a series of bars."""
    return [str(label) for label in plot(page, figure)[series]["y"]]


@pytest.mark.parametrize(
    ("path", "figure", "series"),
    [
        ("/late-ranks", "late-by-how-much", 0),
    ],
)
def test_a_click_on_a_ranks_bar_selects_the_rank_and_a_second_one_clears_it(
    page: Page, address: str, path: str, figure: str, series: int
) -> None:
    page.goto(f"{address}{path}")
    whole = ranks_of(page, figure, series)
    assert len(whole) == 8
    click_mark(page, figure, whole.index("3"), series=series)
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    assert query(page)["ranks"] == ["3"]
    assert len(query(page)["trace"][0]) == 8
    page.wait_for_function(FEWER, arg=figure)
    click_mark(page, figure, ranks_of(page, figure, series).index("3"), series=series)
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    assert "ranks" not in query(page)
    page.go_back()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    page.go_back()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    page.go_forward()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")


@pytest.mark.parametrize(
    ("path", "mark", "leads_to", "says"),
    [
        ("/", ("critical-path-bar", 0, 2), "/wan-share", "WAN share"),
        ("/last-arrivals?by=host", ("arrival-waiting", 0, 0), "/last-arrivals", "ranks 0,3,6"),
    ],
)
def test_a_bar_of_anything_else_leads_to_what_explains_it(
    page: Page, address: str, path: str, mark: tuple[str, int, int], *, leads_to: str, says: str
) -> None:
    page.goto(f"{address}{path}{'&' if '?' in path else '?'}from=i:2")
    figure, at, series = mark
    plot(page, figure)
    click_mark(page, figure, at, series=series)
    expect(page.locator("h1" if leads_to != path.partition("?")[0] else "#selection")).to_contain_text(says)
    assert urlsplit(page.url).path == leads_to
    # What was selected already stays.
    assert query(page)["from"] == ["i:2"]
    expect(page.locator("#selection")).to_contain_text("from i:2")


def test_a_figure_that_was_drawn_anew_still_leads(page: Page, address: str) -> None:
    # Plotly takes away who listens to a figure's events where it draws it anew; then no click led anywhere.
    page.goto(f"{address}/?from=i:2")
    plot(page, "critical-path-bar")
    page.locator("#critical-path-bar .js-plotly-plot").hover()
    page.eval_on_selector(
        "#critical-path-bar .js-plotly-plot",
        "plot => Plotly.newPlot(plot, plot.data, plot.layout, {displayModeBar: false})",
    )
    click_mark(page, "critical-path-bar", 0)
    expect(page.locator("h1")).to_contain_text("Noise")


def test_a_cell_of_the_heat_map_leads_to_its_collective_and_dragging_selects_iterations(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/noise")
    click_cell(page, "noise-heat-map", 12, 2)
    ends = next(row["collective_id"] for row in trace.iterations().to_pylist() if row["iteration"] == 12)
    named = trace.sql(f"select comm || ':' || seq as name from collectives where collective_id = {ends}").to_pylist()
    expect(page.locator("h1")).to_have_text(f"MPI_Allreduce {named[0]['name']}")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Noise")
    page.locator("#noise-heat-map .nsewdrag").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.locator("#noise-heat-map .nsewdrag").first.scroll_into_view_if_needed()
    (x0, y0), (x1, y1) = (cell_at(page, "noise-heat-map", across, 2) for across in (8, 35))
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move(x1, y1, steps=6)
    page.mouse.up()
    expect(page.locator("#selection")).to_contain_text("A part of the run: from i:8, to i:36")
    rows = trace.noise(from_="i:8", to="i:36").to_pylist()
    expect(page.locator("#noise-table tbody tr").first.locator("td").nth(5)).to_have_text("28")
    assert [row[6] for row in table(page, "noise-table")] == [quantities.duration(row["noise_ns"]) for row in rows]
    page.go_back()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")


@pytest.mark.browsers
def test_a_double_click_on_a_mark_clears_a_selected_time_or_shows_all_and_follows_nothing(
    page: Page, address: str
) -> None:
    # Cells and bars fill these figures: the first of two clicks led away from the page that promised another thing.
    page.goto(f"{address}/noise?from=i:8&to=i:36")
    expect(page.locator("#selection")).to_contain_text("A part of the run: from i:8, to i:36")
    twice(page, "noise-heat-map", lambda: cell_at(page, "noise-heat-map", 12, 2))
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    expect(page.locator("h1")).to_have_text("Noise")
    page.goto(f"{address}/collective?comm=0&seq=3&view=0..90000000")
    bar = page.locator("#timeline .barlayer .point path").first
    twice(page, "timeline", lambda: middle(bar))
    page.wait_for_url(lambda url: "view=" not in url)
    page.wait_for_timeout(700)
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:3")


def middle(mark: Locator) -> tuple[float, float]:
    box = mark.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def twice(page: Page, figure: str, place: Callable[[], tuple[float, float]]) -> None:
    """Clicks a mark of a figure twice, once it says that it leads somewhere."""
    page.locator(f"#{figure} .nsewdrag").first.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    page.mouse.move(*place())
    page.locator(f"#{figure} .js-plotly-plot.leads").wait_for()
    page.mouse.dblclick(*place())


def test_a_cell_of_two_ranks_selects_both_and_control_adds_a_rank(
    page: Page, address: str, context: BrowserContext
) -> None:
    page.goto(f"{address}/messages")
    click_cell(page, "messages-matrix", 4, 3)
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3,4")
    page.goto(f"{address}/tree?ranks=3")
    rank = page.locator('.tree [data-part="rank-5"] circle')
    rank.click(modifiers=["Control"])
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3,5")
    rank.click(modifiers=["Control"])
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    # Another page opens in a new tab, with what is selected.
    with context.expect_page() as opened:
        page.locator('.tree [data-part="edge-1-0"] .reach').dispatch_event("click", {"ctrlKey": True})
    opened.value.wait_for_url("**/delayed-hops?*")
    assert query(opened.value) | {"trace": []} == {"edge": ["1-0"], "ranks": ["3"], "trace": []}
    opened.value.close()
    assert urlsplit(page.url).path == "/tree"


def test_a_step_of_a_path_leads_to_its_time_and_a_zoom_is_kept_on_next(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/collective?comm=0&seq=3")
    figure = page.locator("#timeline .nsewdrag").first
    box = figure.bounding_box()
    assert box is not None
    page.wait_for_load_state("networkidle")
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 2, steps=5)
    page.mouse.up()
    page.wait_for_url("**/collective?comm=0&seq=3&view=*")
    view = query(page)["view"]
    page.get_by_role("link", name="next").click()
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:4")
    assert query(page) == {"comm": ["0"], "seq": ["4"], "view": view}
    shown = page.eval_on_selector("#timeline .js-plotly-plot", "plot => plot.layout.xaxis.range")
    assert [round(1e6 * end) for end in shown] == [int(end) for end in view[0].split("..")]
    page.go_back()
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:3")
    assert query(page)["view"] == view
    step = trace.critical_path(collective="0:3").to_pylist()[1]
    page.locator("#path-table tbody tr").nth(1).get_by_role("link").first.click()
    expect(page.locator("h1")).to_have_text("Timeline")
    assert (query(page)["from"], query(page)["to"]) == ([str(step["begin_ns"])], [str(step["end_ns"])])
    assert query(page)["view"] != view


@pytest.mark.browsers
def test_the_time_that_a_collective_is_zoomed_to_is_selected_by_a_button(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    # Dragging along that axis zooms, and nothing there selected a time.
    begin = trace.collectives(comm=0, seq=3).to_pylist()[0]["first_enter_ns"]
    page.goto(f"{address}/collective?comm=0&seq=3&view=20000000..60000000")
    plot(page, "timeline")
    page.get_by_role("button", name="Select the time in view").click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: from ")
    asked = query(page)
    assert (asked["from"], asked["to"]) == ([str(begin + 20_000_000)], [str(begin + 60_000_000)])
    assert asked["view"] == ["20000000..60000000"]
    page.go_back()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
