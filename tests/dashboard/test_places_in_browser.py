"""The page Places: the command's numbers, the source around a place, and the way to that place alone."""

import re
from pathlib import Path

import hopscope
from conftest import Serve
from hopscope import quantities
from playwright.sync_api import Page, expect
from reading import table

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def test_places_have_the_command_s_numbers_and_one_click_shows_only_one(page: Page, serve: Serve) -> None:
    trace = hopscope.open(SAMPLES / "demo" / "trace")
    page.goto(f"{serve(trace)}/places")
    rows = trace.places().to_pylist()
    assert table(page, "places-table") == [
        [
            row["place"],
            quantities.duration(row["time_ns"]),
            quantities.share(row["share"]),
            quantities.interval(row["share_low"], row["share_high"]),
            quantities.duration(row["compute_ns"]),
            quantities.duration(row["call_ns"]),
            quantities.duration(row["hops_ns"]),
        ]
        for row in rows
        if row["time_ns"]
    ]
    sums = {row[0]: row[1:] for row in table(page, "places-sums")}
    assert sums == {
        row["place"]: [
            quantities.number(row["calls"]),
            quantities.duration(row["mpi_ns"]),
            quantities.duration(row["collective_waiting_ns"]),
            quantities.number(row["messages"]),
            quantities.duration(row["waiting_suffered_ns"]),
            quantities.duration(row["waiting_caused_ns"]),
        ]
        for row in rows
    }
    second = rows[1]["place"]
    page.locator("#places-table").get_by_role("link", name=second, exact=True).click()
    expect(page.locator("#places-chosen h2")).to_have_text(second)
    # It lay below the window, where nobody saw that the click had shown anything.
    expect(page.locator("#places-chosen h2")).to_be_in_viewport()
    expect(page.locator("#places-chosen")).to_contain_text(rows[1]["remedy"])
    page.get_by_role("link", name="Show only this place").click()
    expect(page.locator("#selection")).to_contain_text(f"place {second}")
    expect(page.locator("#places-chosen h2")).to_have_text(second)
    assert [row[0] for row in table(page, "places-table")] == [second]
    page.get_by_role("link", name="Its collectives").click()
    expect(page.locator("h1")).to_have_text("Collectives")
    expect(page).to_have_url(re.compile("place="))
