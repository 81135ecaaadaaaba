"""Plain tables in a real browser: a click on a heading sorts rows by their values, and marks and CSV follow."""

from typing import Any

import hopscope
from playwright.sync_api import Page, expect
from reading import table


def test_a_heading_sorts_by_values_and_again_reverses(page: Page, address: str, trace: hopscope.Trace) -> None:
    # Regression: sorted by text, 669 µs came before 5.15 s.
    page.goto(f"{address}/critical-path")
    path: list[dict[str, Any]] = trace.critical_path().to_pylist()
    page.locator("#critical-path-table tbody tr").first.wait_for()
    assert len({row[2].split()[-1] for row in table(page, "critical-path-table")}) > 1, "one unit proves nothing"
    time = page.locator("#critical-path-table").get_by_role("columnheader", name="time")
    category = page.locator("#critical-path-table").get_by_role("columnheader", name="category")

    def names() -> list[str]:
        return [row[0] for row in table(page, "critical-path-table")]

    time.click()
    expect(time).to_have_attribute("aria-sort", "descending")
    assert names() == [row["category"] for row in sorted(path, key=lambda row: -row["time_ns"])]
    time.click()
    expect(time).to_have_attribute("aria-sort", "ascending")
    assert names() == [row["category"] for row in sorted(path, key=lambda row: row["time_ns"])]
    category.focus()
    page.keyboard.press("Enter")
    expect(category).to_have_attribute("aria-sort", "ascending")
    assert time.get_attribute("aria-sort") is None
    assert names() == sorted(row["category"] for row in path)
    page.keyboard.press("Enter")
    assert names() == sorted((row["category"] for row in path), reverse=True)
    # The link of a sorted row is unchanged.
    page.locator("#critical-path-table").get_by_role("link", name="compute").click()
    expect(page.locator("h1")).not_to_have_text("Critical path")


def test_a_sorted_table_is_saved_as_it_is_shown_and_a_mark_finds_its_row(page: Page, address: str) -> None:
    page.goto(f"{address}/remap")
    page.locator("#remap-candidates").get_by_role("columnheader", name="predicted").click()
    rows = table(page, "remap-candidates")
    with page.expect_download() as saved:
        page.locator(".exportable:has(#remap-candidates)").get_by_role("button", name="CSV").click()
    assert [line.split(",")[0].strip('"') for line in saved.value.path().read_text().splitlines()[1:]] == [
        row[0].replace("\n", " ") for row in rows
    ]
    last = page.locator("#remap-candidates tbody tr").last
    name = last.locator("[id]").first.get_attribute("id")
    page.evaluate("id => window.hopscope_marks.follow('#' + id)", name)
    expect(last).to_have_class("chosen")
