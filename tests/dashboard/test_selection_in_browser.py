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


def test_a_page_shows_the_part_that_the_address_selects_and_says_so(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/late-ranks?{PART}")
    expect(page.locator("#selection")).to_contain_text("A part of the run: from i:10, to i:30, ranks 2,3")
    rows = trace.late_ranks(from_="i:10", to="i:30", ranks="2,3").to_pylist()
    shown = table(page, "late-ranks-table")
    assert [(row[0], row[2]) for row in shown] == [(str(row["rank"]), quantities.share(row["share"])) for row in rows]
    assert len(shown) == 2
    page.goto(f"{address}/late-ranks")
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    assert len(table(page, "late-ranks-table")) == 8


def test_iterations_are_shown_with_how_sure_they_are(page: Page, address: str, trace: hopscope.Trace) -> None:
    found = trace.iterations_found
    assert found is not None
    for path in ("/late-ranks", "/timeline"):
        page.goto(f"{address}{path}?{PART}")
        expect(page.locator("#selection")).to_contain_text(found)
    page.goto(f"{address}/late-ranks?ranks=2")
    expect(page.locator("#selection")).to_contain_text("ranks 2")
    expect(page.locator("#selection")).not_to_contain_text(found)
    page.goto(f"{address}/noise")
    expect(page.locator("#content")).to_contain_text(f"The run has {found}.")


def test_a_part_that_holds_nothing_is_said_on_the_page(page: Page, address: str) -> None:
    # Pages once drew zeros for times after the end of the run.
    page.goto(f"{address}/last-arrivals?from=100s")
    expect(page.locator("#cannot-answer")).to_contain_text("--from 100s is after the end of the run")
    page.goto(f"{address}/last-arrivals?operation=MPI_Finalize&to=1ms")
    expect(page.locator("#cannot-answer")).to_contain_text("selects nothing")


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
        ("/messages", "messages-cost", 0),
        ("/efficiency", "efficiency-useful", 0),
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
        ("/", ("critical-path-bar", 0, 0), "/noise", "Noise"),
        ("/", ("critical-path-bar", 0, 2), "/wan-share", "WAN share"),
        ("/efficiency", ("efficiency-factors", 1, 0), "/late-ranks", "Late ranks"),
        ("/last-arrivals?by=host", ("arrival-waiting", 0, 0), "/last-arrivals", "ranks 0,3,6"),
        ("/wan-share", ("wan-shares", 1, 0), "/wan-share", "ranks 0,3,6"),
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


def test_words_and_numbers_of_tables_lead_as_the_marks_do(page: Page, address: str, trace: hopscope.Trace) -> None:
    page.goto(f"{address}/late-ranks")
    mark = page.locator("#late-ranks-table").get_by_role("link", name="3", exact=True)
    mark.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")
    page.goto(f"{address}/")
    page.locator("#critical-path-by-operation").get_by_role("link", name="MPI_Sendrecv").click()
    expect(page.locator("h1")).to_have_text("Messages")
    expect(page.locator("#selection")).to_contain_text("operation MPI_Sendrecv")
    page.goto(f"{address}/tree")
    page.locator("#tree-edges-table").get_by_role("link").first.click()
    row = trace.tree_edges().to_pylist()[0]
    expect(page.locator("#content")).to_contain_text(f"Hops from rank {row['src']} to rank {row['dst']} over time")


def test_a_finding_leads_to_its_page_with_what_it_is_about_selected(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    found = {row["key"]: row for row in trace.findings().to_pylist()}
    assert (found["last-arrivals"]["part"], found["late-ranks"]["part"]) == ("--ranks 6", "--ranks 3")
    page.goto(f"{address}/?from=i:1")
    page.locator("#findings").get_by_role("link", name="See last arrivals").click()
    expect(page.locator("h1")).to_have_text("Last arrivals")
    expect(page.locator("#selection")).to_contain_text("A part of the run: from i:1, ranks 6")
    page.goto(f"{address}/late-ranks")
    page.locator(".note").get_by_role("link", name="Select ranks 3").click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 3")


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


def test_a_selection_that_means_nothing_is_said_and_can_be_cleared(page: Page, address: str) -> None:
    page.goto(f"{address}/last-arrivals?ranks=99")
    expect(page.locator("#cannot-answer")).to_contain_text("the trace has no rank 99; its ranks are 0 to 7")
    page.get_by_role("link", name="Show the whole run").click()
    expect(page.locator("h1")).to_have_text("Last arrivals")
    expect(page.locator("#cannot-answer")).to_have_count(0)


def test_the_bar_says_what_of_an_address_was_not_understood_and_the_page_leaves_it_out(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    # Such a page once showed something else, or nothing.
    page.goto(f"{address}/late-ranks?ranks=3-1&from=1.5&to=i:30&comm=x")
    bar = page.locator("#selection")
    expect(bar).to_contain_text("ranks=3-1 was not understood and is left out: --ranks 3-1: 3-1 runs backwards")
    expect(bar).to_contain_text("from=1.5 was not understood and is left out: --from 1.5 has no unit; write 1.5s")
    expect(bar).to_contain_text("comm=x was not understood and is left out")
    expect(bar).to_contain_text("A part of the run: to i:30")
    rows = trace.late_ranks(to="i:30").to_pylist()
    shown = table(page, "late-ranks-table")
    assert [(row[0], row[2]) for row in shown] == [(str(row["rank"]), quantities.share(row["share"])) for row in rows]
    page.get_by_role("link", name="Show the whole run").click()
    expect(bar).not_to_contain_text("not understood")


def test_a_part_that_holds_nothing_says_nothing_of_the_whole_trace(page: Page, address: str) -> None:
    # Its pages said that "this trace" had no collectives, that the program sent no messages, and nobody communicated.
    said = {
        "/": "This part of the run has no collective operation of MPI",
        "/collectives": "This part of the run has no MPI collective",
        "/collective": "This part of the run has no MPI collective",
        "/messages": "No message of the program's own lies in this part of the run.",
        "/efficiency": "This part of the run has no communication",
    }
    for path, words in said.items():
        page.goto(f"{address}{path}?from=1000000010&to=1000000020")
        expect(page.locator("#content")).to_contain_text(words)
        expect(page.locator("#content")).not_to_contain_text("This trace has no")
    # Both ends had been 1.000000 s.
    expect(page.locator("#selection")).to_contain_text("from 1.000000010 s, to 1.000000020 s")


def test_a_link_made_for_another_trace_says_so(page: Page, address: str) -> None:
    page.goto(f"{address}/late-ranks?{PART}&trace=00000000")
    expect(page.locator("#selection")).to_contain_text("The link was made for another trace")
    page.goto(f"{address}/late-ranks?{PART}")
    link = page.get_by_role("link", name="Noise", exact=True)
    made_for = parse_qs(urlsplit(link.get_attribute("href") or "").query)["trace"]
    page.goto(f"{address}/late-ranks?{PART}&trace={made_for[0]}")
    expect(page.locator("#selection")).not_to_contain_text("another trace")
