"""Reads the contents of a page."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from hopscope_dashboard.pages import PAGES
from playwright.sync_api import Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

PATIENCE_MS = 120_000
"""The time limit for a page of a long run on a busy machine, in ms."""
COMPUTING_MS = 600_000
"""The time limit for a run of 20 million events, in ms. Remap alone takes 16 s on two idle cores."""
WIDTHS = (1600, 1280, 1024)
NARROWEST = 420
"""A telephone's window, in which a page must only not be wider than the window."""
MEASURE = (Path(__file__).parent / "widths.js").read_text()


def patient(page: Page, deadline_ms: int = PATIENCE_MS) -> Page:
    """Lets a page wait longer for its content."""
    page.set_default_timeout(deadline_ms)
    expect.set_options(timeout=deadline_ms)
    return page


def is_wider(page: Page) -> bool:
    """True if the page stays wider than its window. Figures adapt to a new width a moment later, or much later."""
    try:
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth", timeout=60_000)
    except PlaywrightTimeout:
        return True
    return False


def query(page: Page) -> dict[str, str]:
    """The parameters of the page's address. Each parameter occurs once."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def wait_for_page(page: Page, title: str) -> None:
    """Waits for a page and all its figures, and checks that it has content and no part failed."""
    page.wait_for_function("title => document.title.startsWith(title + ' · ')", arg=title)
    page.locator("#content h1").wait_for()
    expect(page.locator("[data-dash-is-loading=true], .dash-graph--pending, #working-tick")).to_have_count(0)
    expect(page.locator("#content").locator("#cannot-answer, [role=alert], [data-state=failed]")).to_have_count(0)
    expect(page.locator("#content .card, #content .run-canvas").first).to_be_visible()


def through_the_menu(page: Page, excluded: str | None = None) -> Iterator[str]:
    """Clicks on every section of the menu and on every page in it, except the excluded one. Yields the title of each
    page."""
    titles = {entry.path: entry.title for entry in PAGES}
    sections = page.locator("#menu > .menu-link")
    sections.first.wait_for()
    for section_index, name in enumerate(sections.all_inner_texts()):
        sections.nth(section_index).click()
        expect(sections.nth(section_index)).to_have_class(re.compile("open|current"))
        pages = page.locator("#menu .menu-pages .menu-link")
        if not pages.count():
            yield titles[urlsplit(sections.nth(section_index).get_attribute("href") or name).path]
        for page_index, title in enumerate(pages.all_inner_texts()):
            if title != excluded:
                pages.nth(page_index).click()
                yield title


def measured(page: Page) -> list[str]:
    """Faults that widths.js finds on the page. Repeats, because figures adapt to a new width a moment later, and on a
    busy machine much later."""
    wrong: list[str] = []
    for _ in range(120):
        wrong = page.evaluate(MEASURE)
        if not wrong:
            break
        page.wait_for_timeout(250)
    return wrong


def scrolled_tables(page: Page) -> list[str]:
    """Ids of tables with columns that are visible only after scrolling. A page shows the important columns at every
    width."""
    return page.eval_on_selector_all(
        ".table-frame", "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => "
        "each.querySelector('table')?.id)",
    )  # fmt: skip


def table(page: Page, name: str) -> list[list[str]]:
    """The cells of a plain table's body."""
    page.locator(f"#{name} tbody tr").first.wait_for()
    rows: list[list[str]] = page.eval_on_selector_all(
        f"#{name} tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return rows


def grid(page: Page, column: str) -> list[str]:
    """The cells of one column of the list of collectives that are on screen, from top to bottom."""
    page.locator(f"#collectives-grid .ag-cell[col-id='{column}']").first.wait_for()
    cells: list[tuple[int, str]] = page.eval_on_selector_all(
        f"#collectives-grid .ag-row .ag-cell[col-id='{column}']",
        "cells => cells.map(cell => [Number(cell.closest('.ag-row').getAttribute('row-index')), "
        "cell.innerText.trim()])",
    )
    return [text for _, text in sorted(cells)]


def plot(page: Page, name: str) -> list[dict[str, Any]]:
    """The traces of a figure, as the browser has drawn them."""
    page.locator(f"#{name} .js-plotly-plot .main-svg").first.wait_for()
    traces: list[dict[str, Any]] = page.locator(f"#{name} .js-plotly-plot").first.evaluate(
        "plot => plot.data.map(t => "
        "({name: t.name, type: t.type, x: Array.from(t.x || []), y: Array.from(t.y || []), "
        "hovertext: Array.from(t.hovertext || [])}))",
    )
    return traces


def point_at_edge(page: Page, part: str) -> None:
    """Moves the pointer onto an edge at a point that no other part covers: edges often cross in their middle."""
    line = page.locator(f'[data-part="{part}"] .reach')
    line.scroll_into_view_if_needed()
    place: dict[str, float] = line.evaluate(
        """line => {
            for (let part = 1; part < 100; part++) {
                const along = line.getPointAtLength(line.getTotalLength() * part / 100);
                const place = along.matrixTransform(line.getScreenCTM());
                if (document.elementFromPoint(place.x, place.y) === line) return {x: place.x, y: place.y};
            }
            throw new Error("something lies over every point of " + line.parentNode.dataset.part);
        }"""
    )
    page.mouse.move(place["x"], place["y"])


def click_mark(page: Page, figure: str, index: int, *, series: int = 0, shows: Locator | None = None) -> None:
    """Clicks a bar or a dot of a figure, by its index in its series. Waits until the address changes, or until `shows`
    is on the page."""
    marks = page.locator(f"#{figure} :is(.barlayer, .scatterlayer) .trace").nth(series).locator(".point")
    mark = marks.nth(index)

    def middle() -> tuple[float, float]:
        # Scroll to the centre: at the window's edge, the page's header may cover the mark.
        mark.evaluate("mark => mark.scrollIntoView({block: 'center'})")
        box = mark.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    _click_where_it_leads(page, figure, middle, shows)


def click_cell(page: Page, figure: str, column: int, row: int) -> None:
    """Clicks a cell of a heat map, by its column and its row from the top. Waits until the address changes."""

    def middle() -> tuple[float, float]:
        page.locator(f"#{figure} .nsewdrag").first.scroll_into_view_if_needed()
        # If a figure is higher than the window, the cell may be out of view.
        page.evaluate(
            "y => { if (y < 0 || y >= innerHeight) scrollBy(0, y - innerHeight / 2); }",
            cell_at(page, figure, column, row)[1],
        )
        return cell_at(page, figure, column, row)

    _click_where_it_leads(page, figure, middle)


def cell_at(page: Page, figure: str, column: int, row: int) -> tuple[float, float]:
    """The middle of a cell, in pixels of the window."""
    place: list[float] = page.locator(f"#{figure} .js-plotly-plot").first.evaluate(
        """(plot, [across, down]) => {
            const {xaxis, yaxis} = plot._fullLayout, box = plot.querySelector(".nsewdrag").getBoundingClientRect();
            const {x, y} = plot.data[0], rows = [...y].sort((a, b) => yaxis.c2p(a) - yaxis.c2p(b));
            return [box.x + xaxis.c2p(x[across]), box.y + yaxis.c2p(rows[down])];
        }""",
        [column, row],
    )
    return place[0], place[1]


def click_there(page: Page, figure: str, place: tuple[float, float]) -> None:
    """Clicks a point of a figure, in pixels of the window. Waits until the address changes."""
    _click_where_it_leads(page, figure, lambda: place)


def _click_where_it_leads(
    page: Page, figure: str, middle: Callable[[], tuple[float, float]], shows: Locator | None = None
) -> None:
    """Clicks when the figure shows that the mark has a link. A figure that still adapts its size forgets the mark under
    the pointer, so a click without effect is repeated. The figure reports only a new mark, so the mouse leaves the mark
    first."""
    address = page.url
    for patience_ms in (2_000, 5_000, 10_000, 60_000):
        page.wait_for_load_state("networkidle")
        page.mouse.move(0, 0)
        x, y = middle()
        page.mouse.move(x - 1, y)
        page.mouse.move(x, y)
        try:
            page.locator(f"#{figure} .js-plotly-plot.leads").wait_for(timeout=patience_ms)
            page.mouse.down()
            page.mouse.up()
            if shows is None:
                page.wait_for_url(lambda url: url != address, timeout=patience_ms)
            else:
                shows.wait_for(timeout=patience_ms)
        except PlaywrightTimeout:
            continue
        return
    raise AssertionError(f"no click at a mark of {figure} led anywhere")
