"""A new user's questions, answered by clicking alone. In a program, one rank is late to one collective. The dashboard
tells the collective's call site, the late rank, its lateness, and its activity before."""

import re

import hopscope
from conftest import PROGRAMS, Serve
from hopscope.format.quantities import duration
from playwright.sync_api import Page, expect

SOURCE = PROGRAMS / "one_late.c"
LATE_RANK = 3


def line_of(comment: str) -> int:
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* {comment} */" in line)


def test_from_the_first_page_clicks_lead_to_the_line_the_late_rank_and_what_it_did_before(
    page: Page, serve: Serve, late_trace: hopscope.Trace
) -> None:
    page.goto(serve(late_trace))
    page.get_by_role("link", name="Communication", exact=True).click()
    page.get_by_role("link", name="Collectives", exact=True).click()
    page.locator("#collectives-grid .ag-header-cell[col-id='duration_ns']").click()
    slowest = late_trace.collectives(order="duration", limit=1).to_pylist()[0]
    first = page.locator("#collectives-grid .ag-row[row-index='0']")
    expect(first.locator("[col-id='duration_ns']")).to_have_text(duration(slowest["duration_ns"]))
    first.locator("a").click()
    # The source line of the call.
    expect(page.locator("h1")).to_contain_text("MPI_Allreduce")
    line = line_of("the slowest")
    expect(page.locator("#source-lines mark")).to_have_text(
        re.compile(rf"^{line} .*MPI_Allreduce\(.*/\* the slowest \*/")
    )
    expect(page.locator("#calls-table tbody tr").first).to_contain_text(f"norm (one_late.c:{line})")
    # The late rank, its lateness, and its activity before.
    lateness = page.locator("#entered-last")
    margin = duration(slowest["margin_ns"])
    expect(lateness).to_contain_text(f"Rank {LATE_RANK} entered last, {margin} after the rank before it")
    expect(lateness).to_contain_text("in the region refine, since MPI_Bcast 0:")
    expect(lateness).to_contain_text(f"called from share_limit (one_late.c:{line_of('the call before the late one')})")
    lateness.get_by_role("link", name="See it in the timeline").click()
    # The run's timeline shows the same: the late rank is the last row, and the selection is in the middle.
    expect(page.locator("h1")).to_have_text("Timeline")
    page.locator("#run-timeline[data-state='ready']").wait_for()
    place = page.locator("#run-timeline").first.evaluate("root => root.hopscope.place")
    middle = {"x": (place["left"] + place["right"]) / 2, "y": place["top"] + (LATE_RANK + 0.5) * place["row"]}
    canvas = page.locator("#run-timeline canvas")
    canvas.hover(position=middle)
    tooltip = page.locator(".run-told")
    expect(tooltip).to_contain_text(f"Rank {LATE_RANK} on ")
    expect(tooltip).to_contain_text("compute 100.0 %")
    expect(tooltip).to_contain_text(re.compile(r"refine, [\d.]+ m?s"))
    expect(tooltip).to_contain_text(f"at share_limit (one_late.c:{line_of('the call before the late one')})")
    canvas.click(position=middle)
    expect(page.locator("h1")).to_have_text("Call sites")
    expect(page.locator("#source-lines mark")).to_contain_text("/* the slowest */")
