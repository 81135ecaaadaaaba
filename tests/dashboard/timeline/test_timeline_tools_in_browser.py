"""The timeline's keys, search, ruler, names, tables and rows in a real browser."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import hopscope
from conftest import Serve
from hopscope.format import quantities
from hopscope_dashboard.timeline.run_rows import ORDERS
from playwright.sync_api import Page, expect
from test_timeline_tools import SolverWithRegions

READY = "#run-timeline[data-state='ready']"
VIEW = "/timeline?view=1000000000..1400000000"


def state(page: Page, name: str) -> Any:
    return page.locator(READY).evaluate(f"root => root.hopscope.{name}")


def view(page: Page) -> tuple[int, int]:
    bounds = state(page, "view")
    return bounds["from"], bounds["to"]


def opened(page: Page, address: str) -> tuple[int, int]:
    """Opens the address. Returns the begin and end of the view."""
    page.goto(address)
    return view(page)


def parameters(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def texts(page: Page) -> list[str]:
    """The texts in the figure."""
    words: list[str] = page.locator(READY).evaluate(
        "root => [...new DOMParser().parseFromString(root.hopscope.svg(), 'image/svg+xml').querySelectorAll('text')]"
        ".map(text => text.textContent)"
    )
    return words


def drag(page: Page, begin: float, end: float) -> None:
    """Drags the mouse over a part of the figure; 0 is its left end, 1 its right end."""
    place = state(page, "place")
    box = page.locator("#run-timeline canvas").bounding_box()
    assert box
    left, width = box["x"] + place["left"], place["right"] - place["left"]
    page.mouse.move(left + begin * width, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(left + end * width, box["y"] + 90, steps=3)


def test_keys_zoom_and_move_without_a_click_into_the_picture_and_write_in_the_search(page: Page, address: str) -> None:
    assert opened(page, address + VIEW) == (1_000_000_000, 1_400_000_000)
    page.keyboard.press("w")
    assert view(page) == (1_040_000_000, 1_360_000_000)
    page.keyboard.press("s")
    assert view(page) == (1_000_000_000, 1_400_000_000)
    page.keyboard.press("d")
    assert view(page) == (1_040_000_000, 1_440_000_000)
    page.keyboard.press("a")
    page.keyboard.press("ArrowRight")
    assert view(page) == (1_100_000_000, 1_500_000_000)
    page.keyboard.press("ArrowLeft")
    assert view(page) == (1_000_000_000, 1_400_000_000)
    page.keyboard.press("/")
    page.keyboard.type("wasd?")
    expect(page.get_by_role("searchbox")).to_have_value("wasd?")
    expect(page.locator(".run-hits")).to_have_text("No hits")
    assert view(page) == (1_000_000_000, 1_400_000_000)
    page.keyboard.press("Escape")
    expect(page.locator(".run-keys")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.locator(".run-keys")).to_contain_text("zoom in and out")
    # The rows still fit the window: they get lower.
    page.keyboard.press("Escape")
    expect(page.locator(".run-keys")).to_be_hidden()


def test_a_search_pans_to_the_next_hit_marks_it_and_says_how_many_there_are(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    calls = trace.sql("select first_enter_ns, last_leave_ns from collectives order by seq").to_pylist()
    begin, end = calls[2]["first_enter_ns"] + 1, calls[3]["first_enter_ns"] + 1
    opened(page, f"{address}/timeline?view={begin}..{end}")
    hits = page.locator(".run-hits")
    page.keyboard.press("/")
    page.keyboard.type("allred")
    expect(hits).to_have_text("4 of 40")

    def is_marked(number: int) -> None:
        expect(hits).to_have_text(f"{number} of 40")
        first, last = view(page)
        call = calls[number - 1]
        assert (state(page, "hit.begin"), state(page, "hit.end")) == (call["first_enter_ns"], call["last_leave_ns"])
        assert first <= call["first_enter_ns"] < call["last_leave_ns"] <= last

    is_marked(4)
    page.keyboard.press("Enter")
    is_marked(5)
    page.get_by_role("button", name="Next hit").click()
    is_marked(6)
    # The box no longer has the focus, so keys continue the search.
    page.keyboard.press("n")
    is_marked(7)
    page.keyboard.press("Shift+N")
    is_marked(6)
    picture = page.locator("#run-timeline canvas")
    marked = picture.evaluate("canvas => canvas.toDataURL()")
    page.keyboard.press("Escape")
    assert picture.evaluate("canvas => canvas.toDataURL()") != marked
    page.wait_for_url("**view=*")


def test_a_drag_measures_and_then_selects_what_the_tables_sum_up_and_with_shift_only_measures(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    begin, end = opened(page, address + VIEW)
    expect(page.locator(".run-about")).to_have_text("In view: 1.000000 s to 1.400000 s, 400 ms")

    def measures(part: float) -> None:
        page.wait_for_function(
            "wanted => (document.querySelector('#run-timeline')?.hopscope?.ruler || {}).length === wanted",
            arg=quantities.duration(part * (end - begin)),
        )

    page.keyboard.down("Shift")
    drag(page, 0.2, 0.7)
    measures(0.5)
    page.mouse.up()
    page.keyboard.up("Shift")
    measures(0.5)
    assert parameters(page).get("from") is None
    page.keyboard.press("Escape")
    assert state(page, "ruler") is None
    drag(page, 0.25, 0.75)
    measures(0.5)
    page.mouse.up()
    page.wait_for_url("**/timeline?*from=*")
    first, last = (int(parameters(page)[name]) for name in ("from", "to"))
    expect(page.locator(".run-about")).to_have_text(
        f"Selected: {quantities.moment(first)} to {quantities.moment(last)}, {quantities.duration(last - first)}"
    )
    called = trace.timeline.operations(first, last)
    expect(page.locator("#run-operations tbody tr")).to_have_count(len(called))
    rows = page.locator("#run-operations tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].slice(0, 3).map(cell => cell.innerText))"
    )
    assert rows == [
        [row["operation"], quantities.number(row["calls"]), quantities.duration(row["time_ns"])] for row in called
    ]
    # Zooming does not change the selection, and the tables stay with the selection.
    heading = page.locator(".run-about").inner_text()
    page.keyboard.press("s")
    view(page)
    assert page.locator(".run-about").inner_text() == heading


def test_a_region_has_its_name_in_its_strip(page: Page, serve: Serve, tmp_path: Path) -> None:
    run = hopscope.open(SolverWithRegions(iterations=2).write(tmp_path / "solver"))
    [region] = run.sql("select begin_ns, end_ns from intervals where kind = 'region'").to_pylist()
    opened(page, f"{serve(run)}/timeline?view={region['begin_ns']}..{region['end_ns']}")
    assert "assemble" in texts(page)


def test_bars_have_names_where_these_fit(page: Page, address: str, trace: hopscope.Trace) -> None:
    [call] = trace.sql(
        "select enter_ns, leave_ns from calls where rank = 3 order by enter_ns limit 1 offset 10"
    ).to_pylist()
    opened(page, f"{address}/timeline?view={call['enter_ns'] - 1000}..{call['leave_ns'] + 1000}")
    assert texts(page).count("MPI_Allreduce") >= 8  # the band has a number, too
    # In the whole run a call is two pixels wide.
    opened(page, f"{address}/timeline")
    assert not [text for text in texts(page) if "Allreduce" in text]


def test_ranks_are_sorted_and_pinned_and_the_address_keeps_it(page: Page, address: str) -> None:
    opened(page, address + VIEW)

    def ranks(expected: list[int]) -> None:
        page.wait_for_function(
            "wanted => document.querySelector('#run-timeline')?.hopscope?.data?.rows.map(row => row.rank).join() "
            "=== wanted",
            arg=",".join(map(str, expected)),
        )
        view(page)

    orders = page.get_by_label("Sort by").locator("option").all_inner_texts()
    assert orders == [name.lower() for name in ORDERS.values()]
    page.get_by_label("Sort by").select_option("number")
    ranks([0, 1, 2, 3, 4, 5, 6, 7])
    assert parameters(page)["order"] == "number"
    place = state(page, "place")
    pin = {"x": place["pin"], "y": place["top"] + 5.5 * place["row"]}
    canvas = page.locator("#run-timeline canvas")
    canvas.hover(position=pin)
    expect(page.locator(".run-told")).to_have_text("Click: pin rank 5 to the top")
    canvas.click(position=pin)
    ranks([5, 0, 1, 2, 3, 4, 6, 7])
    # The key pins the rank whose label is under the pointer.
    canvas.hover(position={"x": 100, "y": place["top"] + 7.5 * place["row"]})
    page.keyboard.press("p")
    ranks([5, 7, 0, 1, 2, 3, 4, 6])
    assert parameters(page)["pins"] == "5,7"
    page.reload()
    ranks([5, 7, 0, 1, 2, 3, 4, 6])
    expect(page.get_by_label("Sort by")).to_have_value("number")
    canvas.click(position={"x": place["pin"], "y": place["top"] + 0.5 * place["row"]})
    ranks([7, 0, 1, 2, 3, 4, 5, 6])
    page.get_by_label("Sort by").select_option("host")
    ranks([7, 0, 3, 6, 1, 4, 2, 5])
    assert {name: parameters(page).get(name) for name in ("order", "pins")} == {"order": None, "pins": "7"}


def test_rows_use_the_height_of_the_window(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 1280, "height": 600})
    opened(page, address + VIEW)
    low = state(page, "place.row")
    page.set_viewport_size({"width": 1280, "height": 1000})
    page.wait_for_function("low => document.querySelector('#run-timeline')?.hopscope?.place?.row > low", arg=low)
    bottom = page.locator("#run-timeline canvas").evaluate("canvas => canvas.getBoundingClientRect().bottom")
    assert bottom < 1000
