"""The run's timeline in a real browser: its pixels, and the effects of dragging, the wheel, keys and the address."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from conftest import Serve
from hopscope.format import quantities
from hopscope.vocabulary.words import ONE_TIME_CATEGORIES
from hopscope_dashboard.palette import CATEGORY_COLOURS, PATH_LINE_COLOUR
from playwright.sync_api import Page, Route, expect
from simulated_run import SimulatedRun
from whole_path import whole_path

SAMPLE = Path(__file__).parents[3] / "sample_traces" / "demo" / "trace"
DARK = "#1e2125"
"""The background of a dark page."""
READY = "#run-timeline[data-state='ready']"

COPY = """
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(canvas, 0, 0);
"""
PIXEL = (
    """(root, [row, ns]) => {
  const canvas = root.querySelector("canvas"), place = root.hopscope.place, view = root.hopscope.view;
"""
    + COPY
    + """
  const ratio = canvas.width / (place.right + 6);
  const x = place.left + (ns - view.from) / (view.to - view.from) * (place.right - place.left);
  const y = place.top + row * place.row + place.row * 0.8;
  const data = context.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
  return "#" + [...data.slice(0, 3)].map((v) => v.toString(16).padStart(2, "0")).join("");
}"""
)
COUNT = (
    """(root, colour) => {
  const canvas = root.querySelector("canvas");
"""
    + COPY
    + """
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  let found = 0;
  for (let at = 0; at < data.length; at += 4)
    found += data[at] * 65536 + data[at + 1] * 256 + data[at + 2] === colour && data[at + 3] === 255;
  return found;
}"""
)

PALE = (
    """root => {
  const canvas = root.querySelector("canvas"), {left, right, top, bottom} = root.hopscope.place;
"""
    + COPY
    + """
  const ratio = canvas.width / (right + 6);
  const {data} = context.getImageData(left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio);
  let pale = 0;
  for (let at = 0; at < data.length; at += 4) pale += data[at] > 225 && data[at + 1] > 225 && data[at + 2] > 225;
  return (4 * pale) / data.length;
}"""
)
"""The share of nearly white pixels in the rows."""


def view_of(page: Page) -> tuple[int, int]:
    """The begin and end of the view."""
    view: dict[str, int] = page.locator(READY).evaluate("root => root.hopscope.view")
    return view["from"], view["to"]


def colour_at(page: Page, row: int, ns: int, root: str = "#run-timeline") -> str:
    colour: str = page.locator(root).first.evaluate(PIXEL, [row, ns])
    return colour


def pixels(page: Page, colour: str, root: str = "#run-timeline") -> int:
    count: int = page.locator(root).first.evaluate(COUNT, int(colour[1:], 16))
    return count


def without_marks(page: Page) -> None:
    """Draws the rows of the timeline again, without the marks that lie over them."""
    page.locator("#run-timeline").first.evaluate("root => { root.hopscope.marks = null; }")
    page.locator("#run-timeline canvas").focus()
    page.keyboard.press("Escape")


def in_address(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def middle_of(trace: hopscope.Trace, rank: int, nth: int) -> dict[str, Any]:
    """Times of the nth call of a rank: its enter, its leave, and the begin of the computing before it."""
    return trace.sql(
        "select enter_ns, leave_ns, released_ns from calls where rank = $rank order by enter_ns limit 1 offset $nth",
        {"rank": rank, "nth": nth},
    ).to_pylist()[0]


def test_rows_have_the_colours_of_what_the_ranks_did(page: Page, address: str, trace: hopscope.Trace) -> None:
    """Rank 3 is the second row, because it is on host alpha, as rank 0. It waits for a hop from site B for most of its
    call."""
    call = middle_of(trace, 3, 10)
    begin, end = call["enter_ns"] - 10_000_000, call["leave_ns"] + 10_000_000
    page.goto(f"{address}/timeline?from={begin}&to={end}")
    assert view_of(page) == (begin, end)
    rows = page.locator("#run-timeline").first.evaluate("root => root.hopscope.data.rows.map(row => row.rank)")
    assert rows == [0, 3, 6, 1, 4, 7, 2, 5]
    assert pixels(page, PATH_LINE_COLOUR) > 500
    without_marks(page)
    columns = trace.timeline.columns(begin, end, 1000, waiting=True)
    assert columns.waiting_ns is not None
    hatched: set[str] = set()
    for moment in range(begin, end - (end - begin) // 40, (end - begin) // 40):
        column = (moment - columns.begin_ns) // columns.width_ns
        for row in (1, 5):
            times = columns.time_ns[:, row, column]
            if times.max() == columns.width_ns:  # at the edges of a call the column has two colours
                word = list(CATEGORY_COLOURS)[int(times.argmax())]
                if columns.waiting_ns[row, column]:
                    hatched.add(colour_at(page, row, moment))
                else:
                    assert colour_at(page, row, moment) == CATEGORY_COLOURS[word], (row, moment, word)
    assert not hatched <= {*CATEGORY_COLOURS.values()}
    assert pixels(page, CATEGORY_COLOURS["wan"]) > pixels(page, CATEGORY_COLOURS["compute"]) > 100


@pytest.mark.browsers
def test_the_path_of_many_ranks_is_seen_over_the_whole_run(page: Page, serve: Serve, tmp_path: Path) -> None:
    # Regression: the path was 2 pixels high, and as transparent as its share of a column was small. With 64 ranks it
    # was invisible.
    trace = hopscope.open(SimulatedRun(ranks=64, iterations=60).write(tmp_path / "solver"))
    page.goto(f"{serve(trace)}/timeline")
    assert view_of(page) == (0, trace.timeline.duration_ns)
    columns = trace.timeline.columns(0, trace.timeline.duration_ns, 1000)
    cells = int((columns.path_ns.sum(axis=0) > 0).sum())
    width = page.locator("#run-timeline canvas").evaluate("canvas => canvas.width") / columns.time_ns.shape[2]
    assert pixels(page, PATH_LINE_COLOUR) > 1.5 * cells * width


def table_of(page: Page) -> list[list[str]]:
    page.locator(".run-shares tbody tr").first.wait_for()
    rows: list[list[str]] = page.eval_on_selector_all(
        ".run-shares tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return rows


def test_words_are_the_analysis_numbers_and_dragging_selects_a_time_for_all_pages_until_a_double_click(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/timeline")
    whole = view_of(page)
    cells = {row[0]: row[3] for row in table_of(page)}
    assert cells.pop("waiting") == ""
    path_shares = whole_path(trace)
    assert cells == {word: path_shares[word] for word in cells}
    assert {"compute", "wan", "p2p", "mpi"} <= cells.keys()
    expect(page.locator(".run-said")).to_contain_text(quantities.moment(trace.timeline.duration_ns))
    # The legend names only the colours in the figure. Start-up and shutdown have no colours of their own.
    coloured = [word for word in cells if word not in ONE_TIME_CATEGORIES]
    assert page.locator(".run-legend .legend-entry").all_inner_texts() == [*coloured, "waiting", "critical path"]
    place = page.locator("#run-timeline").first.evaluate("root => root.hopscope.place")
    box = page.locator("#run-timeline canvas").bounding_box()
    assert box
    left, width = box["x"] + place["left"], place["right"] - place["left"]
    page.mouse.move(left + width / 4, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(left + width / 2, box["y"] + 90)
    page.mouse.up()
    page.wait_for_url("**/timeline?from=*")
    page.wait_for_function(
        "whole => (document.querySelector('#run-timeline')?.hopscope?.view?.to ?? whole) !== whole", arg=whole[1]
    )
    begin, end = view_of(page)
    assert begin == pytest.approx(whole[1] / 4, rel=0.02)
    assert end == pytest.approx(whole[1] / 2, rel=0.02)
    assert in_address(page) == {"from": str(begin), "to": str(end), "trace": trace.identity[:8]}
    expect(page.locator("#selection")).to_contain_text(
        f"from {quantities.quantity(begin, 'at')}, to {quantities.quantity(end, 'at')}; the rest is shaded"
    )
    # Another page keeps the selection.
    page.locator("#menu").get_by_role("link", name="Imbalance").click()
    expect(page.locator("h1")).to_have_text("By rank")
    assert (in_address(page)["from"], in_address(page)["to"]) == (str(begin), str(end))
    page.go_back()
    view_of(page)
    page.go_back()
    page.wait_for_function(
        "whole => document.querySelector('#run-timeline')?.hopscope?.view?.to === whole", arg=whole[1]
    )
    assert view_of(page) == whole
    page.go_forward()
    page.wait_for_function("end => document.querySelector('#run-timeline')?.hopscope?.view?.to === end", arg=end)
    view_of(page)
    page.locator("#run-timeline canvas").dblclick(position={"x": place["left"] + 50, "y": 60})
    expect(page.locator("#selection")).not_to_contain_text("A part of the run")
    assert in_address(page).keys() == {"trace"}
    assert view_of(page) == whole


def test_the_wheel_and_keys_move_and_zoom_and_the_address_follows(page: Page, address: str) -> None:
    page.goto(f"{address}/timeline?from=1000000000&to=1400000000")
    assert view_of(page) == (1_000_000_000, 1_400_000_000)
    canvas = page.locator("#run-timeline canvas")
    canvas.focus()
    page.keyboard.press("+")
    assert view_of(page) == (1_100_000_000, 1_300_000_000)
    page.keyboard.press("ArrowRight")
    assert view_of(page) == (1_150_000_000, 1_350_000_000)
    page.keyboard.press("-")
    assert view_of(page) == (1_050_000_000, 1_450_000_000)
    # Zooming does not change the selection: the address has the view as another parameter.
    page.wait_for_url("**&view=1050000000..1450000000*")
    assert (in_address(page)["from"], in_address(page)["to"]) == ("1000000000", "1400000000")
    canvas.hover(position={"x": 500, "y": 60})
    page.mouse.wheel(0, -100)
    begin, end = view_of(page)
    assert end - begin == 320_000_000
    page.keyboard.press("Home")
    page.wait_for_url("**&view=0..*")
    assert view_of(page)[0] == 0
    page.reload()
    assert view_of(page)[0] == 0
    canvas.focus()
    # The Down key chooses a rank and shows its activity.
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".run-told")).to_contain_text(re.compile(r"^Rank 3 on alpha at \d"))


@pytest.mark.browsers
def test_what_is_not_selected_is_shaded_and_clicks_lead_to_what_is_there(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    """Rank 3 is the second row. Half of its call is selected, and only that half has its colour."""
    call = middle_of(trace, 3, 10)
    begin, end = call["enter_ns"], call["leave_ns"]
    middle = (begin + end) // 2
    page.goto(f"{address}/timeline?from={begin}&to={middle}&ranks=3&view={begin}..{end}")
    assert view_of(page) == (begin, end)
    without_marks(page)
    quarter = (end - begin) // 4
    assert colour_at(page, 1, begin + quarter) == CATEGORY_COLOURS["wan"]
    assert colour_at(page, 1, end - quarter) != CATEGORY_COLOURS["wan"]
    assert colour_at(page, 3, begin + quarter) != CATEGORY_COLOURS["wan"]
    place = page.locator("#run-timeline").first.evaluate("root => root.hopscope.place")
    canvas = page.locator("#run-timeline canvas")
    third = {"x": 100, "y": place["top"] + 2.5 * place["row"]}
    canvas.hover(position=third)
    expect(page.locator(".run-told")).to_contain_text("Click: select rank 6")
    assert canvas.evaluate("canvas => canvas.style.cursor") == "pointer"
    canvas.click(position=third, modifiers=["Control"])
    expect(page.locator("#selection")).to_contain_text("ranks 3,6; the rest is shaded")
    view_of(page)
    inner_point = {"x": (place["left"] + place["right"]) / 2, "y": place["top"] + 1.5 * place["row"]}
    canvas.hover(position=inner_point)
    tooltip = page.locator(".run-told")
    expect(tooltip).to_contain_text("Rank 3 on alpha at ")
    expect(tooltip).to_contain_text(f"MPI_Allreduce 0:10, {quantities.duration(end - begin)}")
    expect(tooltip).to_contain_text("Click: see MPI_Allreduce 0:10")
    assert canvas.evaluate("canvas => canvas.style.cursor") == "pointer"
    canvas.click(position=inner_point)
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:10")
    # The other page also shades the rest: the other half, and the ranks that are not selected.
    page.locator("#timeline[data-state='ready']").wait_for()
    page.locator("#timeline").first.evaluate("root => { root.hopscope.marks = null; }")
    page.keyboard.press("Escape")
    spots = [(1, begin + quarter), (1, end - quarter), (3, begin + quarter)]
    shaded = [colour_at(page, row, ns, "#timeline") for row, ns in spots]
    page.locator("#timeline").first.evaluate("root => { root.hopscope.selected = {}; }")
    page.keyboard.press("Escape")
    whole = [colour_at(page, row, ns, "#timeline") for row, ns in spots]
    assert [colours[0] == colours[1] for colours in zip(shaded, whole, strict=True)] == [True, False, False]
    page.go_back()
    view_of(page)
    # Regression: an immediate click had no effect, because only a pointer that rested knew the call.
    page.locator("#run-timeline canvas").click(position=inner_point)
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:10")
    page.go_back()
    view_of(page)
    # The band of a collective leads to it too, and so does its tooltip.
    band = {"x": inner_point["x"], "y": 8}
    page.locator("#run-timeline canvas").hover(position=band)
    tooltip.get_by_role("link", name="MPI_Allreduce 0:10", exact=True).click()
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:10")
    page.go_back()
    view_of(page)
    page.locator("#run-timeline canvas").click(position=band)
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:10")


def test_the_first_page_shows_the_whole_run_selects_by_dragging_and_leads_to_the_timeline(
    page: Page, address: str
) -> None:
    # Regression: the page was drawn twice, once while its answers were computed, and requested the figure twice.
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "/_timeline/columns" in request.url else None)
    page.goto(address)
    page.locator("#whole-run[data-state='ready']").wait_for()
    page.locator("#menu").get_by_role("link", name="Imbalance").click()
    expect(page.locator("h1")).to_have_text("By rank")
    page.go_back()
    page.locator("#whole-run[data-state='ready']").wait_for()
    assert len(requests) == 1
    pixel_count = pixels(page, CATEGORY_COLOURS["wan"], "#whole-run")
    assert pixel_count > 1000
    canvas = page.locator("#whole-run canvas")
    box, run = canvas.bounding_box(), page.locator("#whole-run").first.evaluate("root => root.hopscope.data.duration")
    assert box
    place = page.locator("#whole-run").first.evaluate("root => root.hopscope.place")
    left, width = box["x"] + place["left"], place["right"] - place["left"]
    page.mouse.move(left + width / 4, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(left + width / 2, box["y"] + 30)
    page.mouse.up()
    page.wait_for_url("**/?from=*")
    assert int(in_address(page)["from"]) == pytest.approx(run / 4, rel=0.02)
    assert int(in_address(page)["to"]) == pytest.approx(run / 2, rel=0.02)
    expect(page.locator("#selection")).to_contain_text("A part of the run: from ")
    # The figure still shows the whole run, and the rest is shaded.
    page.wait_for_function("run => document.querySelector('#whole-run').hopscope.data?.to === run", arg=run)
    assert 0 < pixels(page, CATEGORY_COLOURS["wan"], "#whole-run") < pixel_count / 2
    page.locator("#whole-run canvas").click()
    expect(page.locator("h1")).to_have_text("Timeline")
    view_of(page)


@pytest.fixture
def held_routes(page: Page) -> Iterator[list[Route]]:
    """Requests for a timeline's columns, which are not answered."""
    routes: list[Route] = []

    def keep(route: Route) -> None:
        routes.append(route)

    page.route("**/_timeline/columns*", keep)
    yield routes
    page.unroute_all()


@pytest.mark.browsers
def test_figures_wait_until_the_picture_is_there(page: Page, address: str, held_routes: list[Route]) -> None:
    # Regression: a browser that loads plotly draws nothing else for almost a second, so the run's timeline came after
    # it.
    page.goto(address)
    page.locator("#whole-run[data-state='asking']").wait_for()
    page.locator("#call-sites").wait_for()
    assert page.locator(".dash-graph").count() == 0
    held_routes[0].continue_()
    page.locator("#whole-run[data-state='ready']").wait_for()
    page.locator("#path-bar .js-plotly-plot").wait_for()


@pytest.mark.browsers
def test_figures_come_without_a_picture_that_never_does(page: Page, address: str, held_routes: list[Route]) -> None:
    page.goto(address)
    page.locator("#whole-run[data-state='asking']").wait_for()
    page.locator("#path-bar .js-plotly-plot").wait_for()
    assert len(held_routes) == 1


@pytest.mark.browsers
def test_a_click_on_one_of_many_hosts_shows_its_ranks_and_nothing_is_cut_at_any_width(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    """131 ranks on three hosts. A click on a host's name opens it, and a button leads back."""
    trace = hopscope.open(SimulatedRun(ranks=131, iterations=2, hops=False).write(tmp_path / "large"))
    page.goto(f"{serve(trace)}/timeline")
    view_of(page)
    for width in (1600, 1280, 1024):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
    place = page.locator("#run-timeline").first.evaluate("root => root.hopscope.place")
    page.locator("#run-timeline canvas").click(position={"x": 20, "y": place["top"] + 1.5 * place["row"]})
    page.wait_for_url("**/timeline?host=beta")
    page.wait_for_function("() => document.querySelector('#run-timeline').hopscope.data?.rows.length === 44")
    view_of(page)
    page.get_by_role("button", name="All hosts").click()
    page.wait_for_function("() => document.querySelector('#run-timeline').hopscope.data?.rows.length === 3")
    assert in_address(page) == {}


@pytest.mark.browsers
def test_the_rims_of_many_messages_do_not_cover_what_the_ranks_did(page: Page, address: str) -> None:
    page.goto(f"{address}/timeline?to=i:6")
    page.locator(READY).wait_for()
    assert page.locator("#run-timeline").first.evaluate("root => root.hopscope.marks.hops.length") > 80
    # One white pixel in fifteen is the gap between rows. Regression: the rims made it one in eight.
    assert page.locator("#run-timeline").first.evaluate(PALE) < 1 / 12
    light = pixels(page, CATEGORY_COLOURS["wan"])
    without_marks(page)
    assert pixels(page, CATEGORY_COLOURS["wan"]) > light  # without marks, the arrows' rims do not cover the rows
    # The line between two rows has the background's colour.
    assert pixels(page, DARK) == 0
    page.get_by_role("button", name="Light or dark").click()
    drawn_dark = f"colour => ({COUNT})(document.querySelector('#run-timeline'), colour) > 1000"
    page.wait_for_function(drawn_dark, arg=int(DARK[1:], 16))
