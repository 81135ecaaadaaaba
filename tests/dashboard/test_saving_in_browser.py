"""What the buttons under figures and tables save, and the keys of a page, in a real browser."""

import csv
import io
import xml.etree.ElementTree as ET
from pathlib import Path

import hopscope
import pytest
from hopscope_dashboard.report import document
from playwright.sync_api import Browser, Locator, Page, expect

PNG = b"\x89PNG\r\n\x1a\n"


def saved(page: Page, button: Locator) -> tuple[str, bytes]:
    """Name and content of the file that a button gives."""
    with page.expect_download() as download:
        button.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def buttons_of(page: Page, name: str, kind: str) -> Locator:
    return page.locator(".exportable, .drawing", has=page.locator(f"#{name}")).last.locator(f"[data-save={kind}]")


def is_svg_with(text: bytes, word: str) -> bool:
    return word in "".join(ET.fromstring(text).itertext())


def test_a_figure_is_saved_as_png_and_svg(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("#critical-path-bar .main-svg").first.wait_for()
    name, content = saved(page, buttons_of(page, "critical-path-bar", "png"))
    assert name == "critical-path-bar.png"
    assert content.startswith(PNG)
    name, content = saved(page, buttons_of(page, "critical-path-bar", "svg"))
    assert name == "critical-path-bar.svg"
    assert is_svg_with(content, "share")


def test_a_drawing_is_saved_whole_with_the_looks_that_it_has_on_the_page(page: Page, address: str) -> None:
    page.goto(f"{address}/tree")
    drawing = page.locator(".drawing", has=page.locator("svg.tree")).first
    _, content = saved(page, drawing.locator("[data-save=svg]"))
    assert is_svg_with(content, "site-a")
    # Without the page's style sheet the rings of the ranks would be black discs.
    ring = next(part for part in ET.fromstring(content).iter() if part.tag.endswith("circle"))
    assert "fill: rgb(255, 255, 255)" in ring.get("style", "")
    _, content = saved(page, drawing.locator("[data-save=png]"))
    assert content.startswith(PNG)


@pytest.mark.parametrize(("path", "names_hosts"), [("/timeline", True), ("/", False)])
def test_the_timeline_of_the_run_is_saved_as_a_picture(
    page: Page, address: str, path: str, *, names_hosts: bool
) -> None:
    page.goto(f"{address}{path}")
    page.locator(".run-canvas[data-state=ready]").wait_for()
    name, content = saved(page, page.locator(".run-canvas [data-save=png]"))
    assert name.endswith(".png")
    assert content.startswith(PNG)
    name, content = saved(page, page.locator(".run-canvas [data-save=svg]"))
    assert name.endswith(".svg")
    assert is_svg_with(content, "0.00 s")
    assert is_svg_with(content, "alpha") == names_hosts
    # All that the canvas shows: its axis, the columns of the ranks, and the critical path on them.
    parts = [each.tag.rpartition("}")[2] for each in ET.fromstring(content).iter()]
    assert parts.count("image") == 1
    assert parts.count("rect") > 100
    assert page.url == f"{address}{path}"


def test_the_shares_under_the_timeline_are_saved_as_csv(page: Page, address: str) -> None:
    page.goto(f"{address}/timeline")
    page.locator("#run-timeline[data-state=ready]").wait_for()
    name, content = saved(page, page.locator("#run-timeline [data-save=csv]"))
    assert name == "run-timeline.csv"
    rows = list(csv.reader(io.StringIO(content.decode())))
    shown = page.locator("#run-timeline tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    assert rows[0][:3] == ["category", "of the ranks' time", "of the path in view"]
    assert rows[1:] == shown


def test_a_table_is_saved_with_every_row_and_digit_of_its_analysis(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(address)
    name, content = saved(page, buttons_of(page, "critical-path-by-operation", "csv"))
    assert name == "critical-path.csv"
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert [(row["operation"], int(row["time_ns"])) for row in rows] == [
        (row["operation"], row["time_ns"]) for row in trace.critical_path(by="operation").to_pylist()
    ]
    page.goto(f"{address}/collectives?order=first&search=0:17")
    expect(page.locator("#collectives-count")).to_contain_text("1 of 40")
    _, content = saved(page, page.locator("#collectives-csv"))
    assert [row["collective"] for row in csv.DictReader(io.StringIO(content.decode()))] == ["0:17"]
    # A part of the run, and no way to other files of the server's machine.
    page.goto(f"{address}/last-arrivals?ranks=3")
    _, content = saved(page, buttons_of(page, "arrivals-table", "csv"))
    assert [row["rank"] for row in csv.DictReader(io.StringIO(content.decode()))] == ["3"]
    refused = page.request.get(f"{address}/_csv/compare?base={trace.path}")
    assert refused.status == 400


def test_the_report_saves_figures_and_tables_without_a_server(
    browser: Browser, trace: hopscope.Trace, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    file.write_text(document(trace, "0"))
    page = browser.new_page(accept_downloads=True)
    page.goto(f"file://{file}")
    page.locator(".js-plotly-plot .main-svg").last.wait_for()
    _, content = saved(page, page.locator(".exportable:has(.js-plotly-plot) [data-save=png]").first)
    assert content.startswith(PNG)
    _, content = saved(page, buttons_of(page, "critical-path-by-operation", "csv"))
    assert content.decode().splitlines()[0] == "operation,time,share"
    page.close()


@pytest.mark.parametrize(("key", "seq"), [("n", 4), ("p", 2)])
def test_a_key_leads_to_the_next_collective_or_the_one_before_but_not_while_one_types(
    page: Page, address: str, key: str, seq: int
) -> None:
    page.goto(f"{address}/collective?comm=0&seq=3")
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:3")
    page.get_by_text("Select a part of the run").click()
    page.locator("#selection-form input[name=region]").press(key)
    page.wait_for_timeout(300)
    expect(page.locator("h1")).to_have_text("MPI_Allreduce 0:3")
    page.locator("h1").click()
    page.keyboard.press(key)
    expect(page.locator("h1")).to_have_text(f"MPI_Allreduce 0:{seq}")
