"""The page Efficiency in a browser: the command's numbers, with and without a replay."""

from pathlib import Path

import hopscope
from conftest import Serve
from hopscope import quantities
from playwright.sync_api import Page, expect
from reading import plot, table


def test_the_factors_and_each_rank_s_useful_time_are_the_command_s(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/efficiency")
    rows = trace.efficiency().to_pylist()
    assert [row[:3] for row in table(page, "efficiency-table")] == [
        [
            row["factor"],
            quantities.share(row["efficiency"]),
            quantities.interval(row["efficiency_low"], row["efficiency_high"]),
        ]
        for row in rows
    ]
    bars = plot(page, "efficiency-factors")[0]
    assert bars["x"] == [100 * row["efficiency"] for row in rows]
    ranks = {row["rank"]: row for row in trace.efficiency(by="rank").to_pylist()}
    assert [row[:2] for row in table(page, "efficiency-ranks")] == [
        [str(rank), quantities.duration(ranks[rank]["useful_ns"])] for rank in sorted(ranks)
    ]


def test_the_efficiencies_inside_regions_are_the_command_s_and_select_them(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    archive = Path(__file__).parents[1] / "convert" / "archives" / "scorep-8.4-mpi-openmp-4x2" / "traces.otf2"
    trace = hopscope.open(archive, dataset=tmp_path / "dataset")
    address = serve(trace)
    page.goto(f"{address}/efficiency")
    rows = trace.efficiency(by="region").to_pylist()
    assert [row[:6] for row in table(page, "efficiency-region-table")] == [
        [
            row["region"],
            quantities.number(row["ranks"]),
            quantities.duration(row["time_ns"]),
            quantities.duration(row["useful_ns"]),
            quantities.share(row["parallel_efficiency"]),
            quantities.interval(row["parallel_efficiency_low"], row["parallel_efficiency_high"]),
        ]
        for row in rows
    ]
    balance = plot(page, "efficiency-regions")[0]
    assert balance["x"] == [100 * row["load_balance"] for row in rows]
    nothing_is_cut(page, address)
    page.locator("#efficiency-region-table").get_by_text("work", exact=True).click()
    expect(page.locator("#selection")).to_contain_text("region work")


def test_where_a_run_cannot_be_replayed_the_page_says_why(page: Page, serve: Serve) -> None:
    sample = Path(__file__).parents[2] / "sample_traces" / "many_collectives" / "trace"
    page.goto(f"{serve(hopscope.open(sample))}/efficiency")
    shown = table(page, "efficiency-table")
    assert [row[1] == quantities.MISSING for row in shown] == [False, False, False, True, True]
    expect(page.locator("#efficiency-table")).to_contain_text("nonblocking and persistent collectives")


def test_nothing_is_cut_at_any_width(page: Page, address: str) -> None:
    nothing_is_cut(page, address)


def nothing_is_cut(page: Page, address: str) -> None:
    for width in (1024, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{address}/efficiency")
        plot(page, "efficiency-factors")
        wide = "[...document.querySelectorAll('.table-frame')].map(frame => frame.scrollWidth - frame.clientWidth)"
        assert max(page.evaluate(wide)) <= 0, width
