"""Files saved by the buttons under figures and tables, and the keys of a page, in a real browser."""

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import hopscope
import pytest
from hopscope.render.machine import as_csv
from hopscope_dashboard.data.trace import Machine
from hopscope_dashboard.report.machine import machine_document
from playwright.sync_api import Browser, Locator, Page, expect
from probed_machine import probed

PNG = b"\x89PNG\r\n\x1a\n"


def saved(page: Page, button: Locator) -> tuple[str, bytes]:
    """Name and content of the file that a button saves."""
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def buttons_of(page: Page, name: str, kind: str) -> Locator:
    return page.locator(".exportable, .drawing", has=page.locator(f"#{name}")).last.locator(f"[data-save={kind}]")


def is_svg_with(text: bytes, word: str) -> bool:
    return word in "".join(ET.fromstring(text).itertext())


def saved_picture(page: Page) -> bytes:
    """The run's timeline as SVG, after saving it as PNG too. Neither button leads to another page."""
    address = page.url
    page.locator(".run-canvas[data-state=ready]").wait_for()
    name, content = saved(page, page.locator(".run-canvas [data-save=png]"))
    assert name.endswith(".png")
    assert content.startswith(PNG)
    name, content = saved(page, page.locator(".run-canvas [data-save=svg]"))
    assert name.endswith(".svg")
    assert is_svg_with(content, "0.00 s")
    # The complete canvas: its axis, the columns of the ranks, and the critical path on them.
    parts = [part.tag.rpartition("}")[2] for part in ET.fromstring(content).iter()]
    assert parts.count("image") == 1
    assert parts.count("rect") > 100
    assert page.url == address
    return content


def test_a_figure_the_small_picture_of_the_run_and_a_table_are_saved(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/critical-path")
    page.locator("#critical-path-bar .main-svg").first.wait_for()
    name, content = saved(page, buttons_of(page, "critical-path-bar", "png"))
    assert name == "critical-path-bar.png"
    assert content.startswith(PNG)
    name, content = saved(page, buttons_of(page, "critical-path-bar", "svg"))
    assert name == "critical-path-bar.svg"
    assert is_svg_with(content, "share")
    name, content = saved(page, buttons_of(page, "critical-path-by-operation", "csv"))
    assert name == "critical-path.csv"
    assert content.decode() == as_csv(trace.critical_path(by="operation"))


def test_the_timeline_of_the_run_is_saved_as_a_picture_with_its_hosts_and_its_shares_as_csv(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/timeline")
    assert is_svg_with(saved_picture(page), "alpha")
    name, content = saved(page, page.get_by_role("button", name="Save the table as CSV"))
    assert name == "run-timeline.csv"
    rows = list(csv.reader(io.StringIO(content.decode())))
    cells = page.locator(".run-shares tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    assert rows[0][:4] == ["category", "time", "of the ranks' time", "of the path"]
    assert rows[1:] == cells


def test_a_drawing_is_saved_whole_with_the_looks_that_it_has_on_the_page(page: Page, address: str) -> None:
    page.goto(f"{address}/tree")
    drawing = page.locator(".drawing", has=page.locator("svg.tree")).first
    _, content = saved(page, drawing.locator("[data-save=svg]"))
    assert is_svg_with(content, "site-a")
    # Without the page's style sheet, the ranks' rings would be black discs.
    ring = next(part for part in ET.fromstring(content).iter() if part.tag.endswith("circle"))
    assert "fill: rgb(255, 255, 255)" in ring.get("style", "")
    _, content = saved(page, drawing.locator("[data-save=png]"))
    assert content.startswith(PNG)


@pytest.mark.browsers
def test_a_machines_report_saves_figures_and_tables_without_a_server(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(machine_document(Machine(probed(tmp_path / "machine.json", 600)), "0"))
    page = browser.new_page(accept_downloads=True)
    page.goto(f"file://{file}")
    page.locator(".js-plotly-plot .main-svg").last.wait_for()
    _, content = saved(page, page.locator(".exportable:has(.js-plotly-plot) [data-save=png]").first)
    assert content.startswith(PNG)
    _, content = saved(page, buttons_of(page, "machine-hosts", "csv"))
    assert len(content.decode().splitlines()) > 6
    page.close()


def test_a_key_leads_to_the_next_collective_or_the_one_before_but_not_while_one_types(page: Page, address: str) -> None:
    page.goto(f"{address}/collective?comm=0&seq=3")
    title = page.locator("h1")
    expect(title).to_have_text("MPI_Allreduce 0:3")
    page.get_by_text("Select a part of the run").click()
    box = page.locator("#selection-form input[name=region]")
    # When the press of a navigation key returns, the address has changed.
    for key in ("n", "p"):
        box.press(key)
        assert "seq=3" in page.evaluate("location.search")
    expect(box).to_have_value("np")
    title.click()
    page.keyboard.press("n")
    assert "seq=4" in page.evaluate("location.search")
    expect(title).to_have_text("MPI_Allreduce 0:4")
    page.keyboard.press("p")
    expect(title).to_have_text("MPI_Allreduce 0:3")
    page.keyboard.press("p")
    expect(title).to_have_text("MPI_Allreduce 0:2")
