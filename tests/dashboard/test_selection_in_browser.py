"""The selected part of the run stands in the address, every page follows it, and every link keeps it."""

import re
from urllib.parse import parse_qs, urlsplit

import hopscope
from hopscope import quantities
from playwright.sync_api import Page, expect
from reading import table

PART = "from=i:10&to=i:30&ranks=2,3"


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
    page.wait_for_function("document.querySelector('#run-timeline').textContent.includes(' s to ')")
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], middle, steps=4)
    page.mouse.up()
    page.wait_for_url(re.compile(r"from=\d+"))
    zoomed = query(page)
    page.get_by_role("link", name="Late ranks").first.click()
    expect(page.locator("h1")).to_have_text("Late ranks")
    assert (query(page)["from"], query(page)["to"]) == (zoomed["from"], zoomed["to"])
    begin, end = (quantities.quantity(int(zoomed[name][0]), "at") for name in ("from", "to"))
    expect(page.locator("#selection")).to_contain_text(f"from {begin}, to {end}")


def test_a_part_is_selected_by_its_form(page: Page, address: str) -> None:
    page.goto(f"{address}/late-ranks?least_ms=5")
    page.get_by_text("Select a part of the run").click()
    page.locator("#selection-form input[name=ranks]").fill("0-2")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("#selection")).to_contain_text("A part of the run: ranks 0-2")
    assert len(table(page, "late-ranks-table")) == 3
    asked = query(page)
    assert (asked["least_ms"], asked["ranks"]) == (["5"], ["0-2"])
    assert "from" not in asked


def test_a_selection_that_means_nothing_is_said_and_can_be_cleared(page: Page, address: str) -> None:
    page.goto(f"{address}/last-arrivals?ranks=99")
    expect(page.locator("#cannot-answer")).to_contain_text("the trace has no rank 99; its ranks are 0 to 7")
    page.get_by_role("link", name="Show the whole run").click()
    expect(page.locator("h1")).to_have_text("Last arrivals")
    expect(page.locator("#cannot-answer")).to_have_count(0)


def test_a_link_made_for_another_trace_says_so(page: Page, address: str) -> None:
    page.goto(f"{address}/late-ranks?{PART}&trace=00000000")
    expect(page.locator("#selection")).to_contain_text("The link was made for another trace")
    page.goto(f"{address}/late-ranks?{PART}")
    link = page.get_by_role("link", name="Noise", exact=True)
    made_for = parse_qs(urlsplit(link.get_attribute("href") or "").query)["trace"]
    page.goto(f"{address}/late-ranks?{PART}&trace={made_for[0]}")
    expect(page.locator("#selection")).not_to_contain_text("another trace")
