"""A run of 20 million events in a browser, beside a shorter one of the same program: the tests zoom, select, click and
compare also at this length, and no page fails. Nothing here checks times."""

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hopscope
import pytest
from hopscope.format import quantities
from playwright.sync_api import Page, expect
from reading import (
    COMPUTING_MS,
    click_cell,
    click_mark,
    patient,
    plot,
    point_at_edge,
    query,
    table,
    through_the_menu,
    wait_for_page,
)
from served import Served

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from large import program, spend

pytestmark = [pytest.mark.large, pytest.mark.timeout(1800)]

EVENTS = {"long": 20_000_000, "short": 1_000_000}
TIMELINE = "#run-timeline"


@dataclass(frozen=True)
class Runs:
    """The address of both runs, and their traces."""

    address: str
    long: hopscope.Trace
    short: hopscope.Trace


def recorded(folder: Path, events: int, *options: str) -> hopscope.Trace:
    spend([str(program("synthetic_trace")), str(folder), str(events), "collectives", *options])
    return hopscope.open(folder, lean=True)


@pytest.fixture(scope="module")
def twenty_million(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    """Both runs, made once, served by the command, and removed: two gigabytes."""
    folder = tmp_path_factory.mktemp("twenty_million")
    traces = {name: recorded(folder / name, events) for name, events in EVENTS.items()}
    served = Served(folder / "long", str(folder / "short"))
    yield Runs(f"http://127.0.0.1:{served.port}", **traces)
    served.stop()
    shutil.rmtree(folder)


@pytest.fixture
def patient_page(page: Page) -> Page:
    return patient(page, COMPUTING_MS)


def every_page(page: Page) -> None:
    """Clicks through the menu."""
    for title in through_the_menu(page):
        wait_for_page(page, title)


def view(page: Page) -> tuple[int, int]:
    page.locator(f"{TIMELINE}[data-state=ready]").wait_for()
    span: dict[str, int] = page.locator(TIMELINE).first.evaluate("root => root.hopscope.view")
    return span["from"], span["to"]


def mark_counts(page: Page) -> dict[str, Any]:
    """The number of marks of each kind that are drawn; null if there are too many."""
    view(page)
    counts: dict[str, Any] = page.locator(TIMELINE).first.evaluate(
        "root => Object.fromEntries("
        "Object.entries(root.hopscope.marks || {}).map(([name, all]) => [name, all && all.length]))",
    )
    return counts


def drag(page: Page, begin: float, end: float) -> None:
    """Drags over a part of the timeline; 0 is its left end, 1 its right end."""
    place = page.locator(TIMELINE).first.evaluate("root => root.hopscope.place")
    box = page.locator(f"{TIMELINE} canvas").bounding_box()
    assert box
    left, width = box["x"] + place["left"], place["right"] - place["left"]
    page.mouse.move(left + begin * width, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(left + end * width, box["y"] + 90, steps=4)
    page.mouse.up()


def test_every_page_of_the_menu_is_there(patient_page: Page, twenty_million: Runs) -> None:
    patient_page.goto(twenty_million.address)
    every_page(patient_page)


def test_the_timeline_zooms_to_single_hops_moves_and_leads_to_the_collective_and_the_next(
    patient_page: Page, twenty_million: Runs
) -> None:
    run = twenty_million.long
    patient_page.goto(f"{twenty_million.address}/timeline")
    assert view(patient_page) == (0, run.timeline.duration_ns)
    assert not mark_counts(patient_page).get("hops")
    canvas = patient_page.locator(f"{TIMELINE} canvas")
    canvas.focus()
    for _ in range(13):
        patient_page.keyboard.press("+")
        view(patient_page)
    begin, end = view(patient_page)
    assert end - begin == pytest.approx(run.timeline.duration_ns / 2**13, rel=0.01)
    patient_page.keyboard.press("ArrowRight")
    moved = view(patient_page)
    quarter = (end - begin) / 4
    assert moved == pytest.approx((begin + quarter, end + quarter), abs=2)
    totals = run.sql(
        "select (select count(*) from hops where send_begin_ns < $end and recv_end_ns > $begin) as hops, "
        "(select count(*) from collectives where first_enter_ns < $end and last_leave_ns > $begin) as collectives",
        {"begin": moved[0], "end": moved[1]},
    ).to_pylist()[0]
    assert totals["hops"] > 100
    counts = mark_counts(patient_page)
    assert (counts["hops"], counts["collectives"]) == (totals["hops"], totals["collectives"])
    # A click on a band leads to its collective. A zoom on its page is kept on the next collective's page.
    place = patient_page.locator(TIMELINE).first.evaluate("root => root.hopscope.place")
    canvas.click(position={"x": (place["left"] + place["right"]) / 2, "y": 8})
    patient_page.wait_for_url(re.compile("/collective"))
    wait_for_page(patient_page, patient_page.locator("h1").inner_text())
    parameters = query(patient_page)
    figure = patient_page.locator("#timeline[data-state=ready] canvas").bounding_box()
    assert figure
    patient_page.mouse.move(figure["x"] + figure["width"] / 4, figure["y"] + 20)
    patient_page.mouse.down()
    patient_page.mouse.move(figure["x"] + figure["width"] / 2, figure["y"] + 120, steps=5)
    patient_page.mouse.up()
    patient_page.wait_for_url(re.compile("view="))
    zoomed = query(patient_page)["view"]
    patient_page.get_by_role("link", name="next").click()
    expect(patient_page.locator("h1")).to_have_text(f"MPI_Allreduce 0:{int(parameters['seq']) + 1}")
    assert query(patient_page)["view"] == zoomed


def test_a_drag_and_a_click_select_pages_follow_and_back_forward_and_clearing_work(
    patient_page: Page, twenty_million: Runs
) -> None:
    run = twenty_million.long
    patient_page.goto(f"{twenty_million.address}/timeline")
    whole = view(patient_page)
    drag(patient_page, 0.4, 0.5)
    patient_page.wait_for_url(re.compile("from="))
    begin, end = view(patient_page)
    assert begin == pytest.approx(0.4 * whole[1], rel=0.02)
    assert end == pytest.approx(0.5 * whole[1], rel=0.02)
    patient_page.get_by_role("link", name="Imbalance", exact=True).click()
    patient_page.get_by_role("link", name="Late ranks", exact=True).click()
    wait_for_page(patient_page, "Late ranks")
    assert (query(patient_page)["from"], query(patient_page)["to"]) == (str(begin), str(end))
    rows = run.late_ranks(from_=str(begin), to=str(end)).to_pylist()
    assert [(row[0], row[2]) for row in table(patient_page, "late-ranks-table")] == [
        (str(row["rank"]), quantities.share(row["share"])) for row in rows
    ]
    assert {row["collectives"] for row in rows} != {row["collectives"] for row in run.late_ranks().to_pylist()}
    bars = [str(label) for label in plot(patient_page, "late-by-how-much")[0]["y"]]
    click_mark(patient_page, "late-by-how-much", bars.index("5"))
    notice = patient_page.locator("#selection")
    expect(notice).to_contain_text("ranks 5")
    assert [row[0] for row in table(patient_page, "late-ranks-table")] == ["5"]
    patient_page.go_back()
    expect(notice).not_to_contain_text("ranks 5")
    expect(notice).to_contain_text("A part of the run")
    patient_page.go_back()
    expect(patient_page.locator("h1")).to_have_text("Timeline")
    assert view(patient_page) == (begin, end)
    patient_page.go_forward()
    expect(patient_page.locator("h1")).to_have_text("Late ranks")
    patient_page.get_by_role("link", name="Show the whole run").click()
    expect(notice).not_to_contain_text("A part of the run")
    assert "from" not in query(patient_page)
    expect(patient_page.locator("#late-ranks-table tbody tr")).to_have_count(64)


def test_answers_path_steps_cells_and_edges_lead_to_what_they_are_about(
    patient_page: Page, twenty_million: Runs
) -> None:
    run, address = twenty_million.long, twenty_million.address
    patient_page.goto(f"{address}/noise")
    wait_for_page(patient_page, "Noise")
    click_cell(patient_page, "noise-heat-map", 100, 2)
    expect(patient_page.locator("h1")).to_contain_text("MPI_Allreduce 0:")
    parameters = query(patient_page)
    step = run.critical_path(collective=f"0:{parameters['seq']}").to_pylist()[1]
    patient_page.locator("#path-table tbody tr").nth(1).get_by_role("link").first.click()
    expect(patient_page.locator("h1")).to_have_text("Timeline")
    assert (query(patient_page)["from"], query(patient_page)["to"]) == (str(step["begin_ns"]), str(step["end_ns"]))
    assert mark_counts(patient_page)["hops"]
    patient_page.goto(f"{address}/tree")
    wait_for_page(patient_page, "Algorithms and trees")
    edge = next(row for row in run.tree_edges().to_pylist() if row["role"] == "up")  # drawn first on the page
    point_at_edge(patient_page, f"edge-{edge['src']}-{edge['dst']}")
    patient_page.mouse.down()
    patient_page.mouse.up()
    expect(patient_page.locator("h1")).to_have_text("Delayed hops")
    expect(patient_page.locator("#content")).to_contain_text(
        f"Hops from rank {edge['src']} to rank {edge['dst']} over time"
    )
    wait_for_page(patient_page, "Delayed hops")


def test_it_is_compared_with_a_shorter_run_of_the_program(patient_page: Page, twenty_million: Runs) -> None:
    patient_page.goto(f"{twenty_million.address}/compare")
    wait_for_page(patient_page, "Compare")
    expect(patient_page.locator("#compare-verdict")).to_have_count(1)  # the verdict on the whole run
    expect(patient_page.locator("#compare-operations")).to_have_text("Of 2 medians: 2 same.")
    times = {row[0]: row[1:3] for row in table(patient_page, "compare-categories")}
    for index, run in enumerate((twenty_million.long, twenty_million.short)):
        for row in run.critical_path().to_pylist():
            if row["time_ns"]:
                assert times[row["category"]][index].startswith(quantities.duration(row["time_ns"]))
    expect(patient_page.locator("#compare-trees-said")).to_have_text("Both runs have the same 63 edges.")
