"""Selecting a part of the run in a browser, by form, click and drag. The address has the selection, and Back undoes
it."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from playwright.sync_api import BrowserContext, Page, expect
from reading import cell_at, click_cell, click_mark, plot, table

PART = "from=i:10&to=i:30&ranks=2,3"
COLLECTIVE = "#timeline[data-state='ready']"
FEWER_ROWS = "figure => document.querySelector(`#${figure} .js-plotly-plot`)?.data[0].y.length < 8"


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_part_is_selected_by_its_form(page: Page, address: str) -> None:
    page.goto(f"{address}/late-ranks?least_ms=5")
    page.get_by_text("Select a part of the run").click()
    fields = page.locator("#selection-form input:not([type=hidden])")
    # Typed values are visible. Regression: the fields were as wide as their labels; `to` had 16 px.
    assert all(wide > 120 for wide in fields.evaluate_all("all => all.map(each => each.clientWidth)"))
    page.locator("#selection-form input[name=ranks]").fill("0-2")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 0-2")
    assert len(table(page, "late-ranks-table")) == 3
    parameters = query(page)
    assert (parameters["least_ms"], parameters["ranks"]) == (["5"], ["0-2"])
    assert "from" not in parameters


def ranks_of(page: Page, figure: str, series: int) -> list[str]:
    """The labels of a series of bars."""
    return [str(label) for label in plot(page, figure)[series]["y"]]


def test_a_click_on_a_ranks_bar_selects_the_rank_and_a_second_one_clears_it(page: Page, address: str) -> None:
    figure, series = "late-by-how-much", 0
    page.goto(f"{address}/late-ranks?least_ms=1")
    whole = ranks_of(page, figure, series)
    assert len(whole) == 8
    click_mark(page, figure, whole.index("3"), series=series)
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    assert query(page)["ranks"] == ["3"]
    assert len(query(page)["trace"][0]) == 8
    page.wait_for_function(FEWER_ROWS, arg=figure)
    click_mark(page, figure, ranks_of(page, figure, series).index("3"), series=series)
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    assert "ranks" not in query(page)
    page.go_back()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    page.go_back()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    page.go_forward()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")


@pytest.mark.browsers
def test_a_figure_that_was_drawn_anew_still_leads(page: Page, address: str) -> None:
    # Regression: when Plotly draws a figure anew, it removes the listeners to its events, so clicks led nowhere.
    page.goto(f"{address}/critical-path?from=i:2")
    plot(page, "critical-path-bar")
    page.locator("#critical-path-bar .js-plotly-plot").hover()
    page.locator("#critical-path-bar .js-plotly-plot").first.evaluate(
        "plot => Plotly.newPlot(plot, plot.data, plot.layout, {displayModeBar: false})",
    )
    click_mark(page, "critical-path-bar", 0)
    expect(page.locator("h1")).to_contain_text("Call sites")
    # The selection in the address is unchanged.
    assert query(page)["from"] == ["i:2"]
    expect(page.locator("#selection")).to_contain_text("from i:2")


@pytest.mark.browsers
def test_a_cell_of_the_heat_map_leads_to_its_collective_and_dragging_selects_iterations(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/noise")
    click_cell(page, "noise-heat-map", 12, 2)
    ends = next(row["collective_id"] for row in trace.iterations().to_pylist() if row["iteration"] == 12)
    names = trace.sql(f"select comm || ':' || seq as name from collectives where collective_id = {ends}").to_pylist()
    expect(page.locator("h1")).to_have_text(f"MPI_Allreduce {names[0]['name']}")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Noise")
    page.locator("#noise-heat-map .nsewdrag").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.locator("#noise-heat-map .nsewdrag").first.scroll_into_view_if_needed()
    (x0, y0), (x1, y1) = (cell_at(page, "noise-heat-map", column, 2) for column in (8, 35))
    page.mouse.move(x0, y0)
    page.mouse.down()
    page.mouse.move(x1, y1, steps=6)
    page.mouse.up()
    expect(page.locator("#selection")).to_contain_text("A part of the run: from i:8, to i:36")
    page.go_back()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")


@pytest.mark.browsers
def test_a_double_click_on_a_mark_clears_a_selected_time_or_shows_all_and_follows_nothing(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    # Regression: cells and bars fill these figures, so the first of two clicks already led to another page.
    page.goto(f"{address}/noise?from=i:8&to=i:36")
    expect(page.locator("#selection")).to_contain_text("A part of the run: from i:8, to i:36")
    twice(page, "noise-heat-map", lambda: cell_at(page, "noise-heat-map", 12, 2))
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    expect(page.locator("h1")).to_have_text("Noise")
    page.goto(f"{address}/collective?comm=0&seq=3&view=0..90000000")
    page.locator(f"{COLLECTIVE} canvas").dblclick(position={"x": 400, "y": 100})
    page.wait_for_url(lambda url: "view=" not in url)
    page.wait_for_timeout(700)  # after this time, the first of the two clicks would have led to another page
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:3")
    fact = trace.collectives(comm=0, seq=3).to_pylist()[0]
    assert view(page) == (0, fact["duration_ns"])


def view(page: Page) -> tuple[int, int]:
    """The view of a collective's timeline, since the first enter."""
    ends: list[int] = page.locator(COLLECTIVE).evaluate(
        "({hopscope: {view, only}}) => [view.from - only.from, view.to - only.from]"
    )
    return ends[0], ends[1]


def twice(page: Page, figure: str, place: Callable[[], tuple[float, float]]) -> None:
    """Double-clicks a mark of a figure, as soon as the figure shows that the mark has a link."""
    page.locator(f"#{figure} .nsewdrag").first.scroll_into_view_if_needed()
    page.wait_for_load_state("networkidle")
    page.mouse.move(*place())
    page.locator(f"#{figure} .js-plotly-plot.leads").wait_for()
    page.mouse.dblclick(*place())


@pytest.mark.browsers
def test_control_adds_a_rank_and_opens_another_page_in_a_new_tab(
    page: Page, address: str, context: BrowserContext
) -> None:
    page.goto(f"{address}/tree?ranks=3")
    rank = page.locator('.tree [data-part="rank-5"] circle')
    rank.click(modifiers=["Control"])
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3,5")
    rank.click(modifiers=["Control"])
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    # Another page opens in a new tab, with the selection.
    with context.expect_page() as opened:
        page.locator('.tree [data-part="edge-1-0"] .reach').dispatch_event("click", {"ctrlKey": True})
    opened.value.wait_for_url("**/delayed-hops?*")
    assert query(opened.value) | {"trace": []} == {"edge": ["1-0"], "ranks": ["3"], "trace": []}
    opened.value.close()
    assert urlsplit(page.url).path == "/tree"


def test_a_zoom_is_kept_on_next_and_a_button_selects_its_time(page: Page, address: str, trace: hopscope.Trace) -> None:
    # Regression: dragging along this axis zooms, and nothing there could select a time.
    page.goto(f"{address}/collective?comm=0&seq=3")
    box = page.locator(f"{COLLECTIVE} canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 90, steps=5)
    page.mouse.up()
    page.wait_for_url("**/collective?comm=0&seq=3&view=*")
    ends = view(page)
    parameter = [f"{ends[0]}..{ends[1]}"]
    assert query(page)["view"] == parameter
    page.keyboard.press("n")
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:4")
    assert query(page) == {"comm": ["0"], "seq": ["4"], "view": parameter}
    assert view(page) == ends
    page.go_back()
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:3")
    assert query(page)["view"] == parameter
    page.locator(COLLECTIVE).wait_for()
    page.get_by_role("button", name="Select this time").click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: from ")
    begin = trace.collectives(comm=0, seq=3).to_pylist()[0]["first_enter_ns"]
    parameters = query(page)
    assert (parameters["from"], parameters["to"]) == ([str(begin + ends[0])], [str(begin + ends[1])])
    assert parameters["view"] == parameter
    page.go_back()
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")


@pytest.mark.browsers
def test_an_arrow_of_a_collective_says_which_hop_it_is_and_leads_to_the_hops_of_its_edge(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/collective?comm=0&seq=3")
    x, y, text, href = page.locator(COLLECTIVE).evaluate(
        """({hopscope: {place, view, data, marks}}) => {
            const [src, dst, begin, end,, text, href] = marks.hops[0];
            const rows = [src, dst].map(rank => data.rows.findIndex(row => row.rank === rank));
            const along = ((begin + end) / 2 - view.from) / (view.to - view.from);
            return [place.left + along * (place.right - place.left),
                    place.top + ((rows[0] + rows[1] + 1) / 2) * place.row, text, href];
        }"""
    )
    canvas = page.locator(f"{COLLECTIVE} canvas")
    canvas.hover(position={"x": x, "y": y})
    expect(page.locator(".run-told")).to_have_text(text)
    canvas.click(position={"x": x, "y": y})
    page.wait_for_url(f"**{href}*")
