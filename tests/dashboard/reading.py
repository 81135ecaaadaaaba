"""Reads what a page shows."""

from playwright.sync_api import Page


def table(page: Page, name: str) -> list[list[str]]:
    """The cells of a plain table's body."""
    page.locator(f"#{name} tbody tr").first.wait_for()
    rows: list[list[str]] = page.eval_on_selector_all(
        f"#{name} tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return rows


def grid(page: Page, column: str) -> list[str]:
    """The cells of one column of the list of collectives that are on screen, from the top."""
    page.locator(f"#collectives-grid .ag-cell[col-id='{column}']").first.wait_for()
    cells: list[tuple[int, str]] = page.eval_on_selector_all(
        f"#collectives-grid .ag-row .ag-cell[col-id='{column}']",
        "cells => cells.map(cell => [Number(cell.closest('.ag-row').getAttribute('row-index')), "
        "cell.innerText.trim()])",
    )
    return [text for _, text in sorted(cells)]


def plot(page: Page, name: str) -> list[dict[str, object]]:
    """The traces of a figure, as the browser has drawn them."""
    page.locator(f"#{name} .js-plotly-plot .main-svg").first.wait_for()
    drawn: list[dict[str, object]] = page.eval_on_selector(
        f"#{name} .js-plotly-plot",
        "plot => plot.data.map(t => "
        "({name: t.name, type: t.type, x: Array.from(t.x || []), y: Array.from(t.y || [])}))",
    )
    return drawn


def point_at_edge(page: Page, part: str) -> None:
    """Moves the pointer onto an edge where nothing else lies over it: edges cross, often in their middle."""
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
