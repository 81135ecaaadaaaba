"""The page Models: the numbers of `analyze formulas` and `analyze model`, a figure for each operation."""

import hopscope
import pytest
from conftest import Serve
from hopscope.format import quantities
from hopscope_dashboard.data import TraceData
from playwright.sync_api import Page, expect
from reading import click_there, table
from recorded_jobs import sample_trace, shared_folder
from samples import POINT_RANKS, POINT_SIZES

OPERATIONS = ("barrier", "bcast", "reduce", "alltoall")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return sample_trace(shared_folder(tmp_path_factory), "planted/points/trace")


@pytest.mark.browsers
def test_each_operation_has_its_lines_and_dots_over_sizes_or_ranks(
    page: Page, serve: Serve, run: hopscope.Trace
) -> None:
    page.set_viewport_size({"width": 1600, "height": 1000})
    page.goto(f"{serve(run)}/models")
    for operation in OPERATIONS:
        expect(page.locator(f"#models-{operation} .scatterlayer .trace").first).to_be_visible()
    rows = [row for row in TraceData(run).models().times if row["collectives"]]
    measured_rows = table(page, "models-measured")
    assert [line[:3] for line in measured_rows] == [[r["operation"], r["algorithm"], str(r["ranks"])] for r in rows]
    columns = ("hockney_ns", "loggp_ns", "plogp_ns", "replay_ns", "measured_ns")
    assert [line[4:9] for line in measured_rows] == [[quantities.duration(r[name]) for name in columns] for r in rows]
    # Sizes are those of the most ranks; a barrier has none, so its figure is over ranks.
    expect(page.locator("h2", has_text=f"MPI_Bcast, {POINT_RANKS} ranks")).to_be_visible()
    dots = page.locator("#models-bcast .scatterlayer .trace .points path.point")
    broadcasts = [row for row in rows if row["operation"] == "MPI_Bcast"]
    expect(dots).to_have_count(sum(row["ranks"] == POINT_RANKS for row in broadcasts))
    page.get_by_role("link", name="ranks", exact=True).click()
    expect(page.locator("h2", has_text="MPI_Bcast, 128 KiB")).to_be_visible()
    expect(dots).to_have_count(sum(row["bytes"] == POINT_SIZES[-1] for row in broadcasts))


@pytest.mark.browsers
def test_a_dot_leads_to_the_collectives_that_it_is_from(page: Page, serve: Serve, run: hopscope.Trace) -> None:
    page.goto(f"{serve(run)}/models")
    dots = page.locator("#models-alltoall .points path.point")
    expect(dots.first).to_be_visible()
    dots.first.scroll_into_view_if_needed()
    # A line may lie right over a dot, and tells of itself there.
    tooltip = page.locator("#models-alltoall .hoverlayer .hovertext")
    for dot in dots.all():
        box = dot.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(tooltip).to_be_visible()
        page.wait_for_timeout(200)
        if "measured" in (tooltip.text_content() or ""):
            click_there(page, "models-alltoall", (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
            break
    expect(page.locator("h1")).to_have_text("Collectives")
    expect(page.locator("#selection")).to_contain_text("MPI_Alltoall")
