"""The report: one file that a browser shows whole without asking anybody, with the numbers of the command line."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import hopscope
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hopscope import manifest, quantities
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as program
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.report import document
from hopscope_dashboard.report.static import Renderer
from playwright.sync_api import Browser, Page
from simulated_run import SimulatedRun

# The timeline, the user's own queries and the remedies ask a server, and a comparison needs another trace.
ELSEWHERE = ("/timeline", "/data", "/improve", "/compare")
SECTIONS = ("overview", *(page.path.strip("/") for page in PAGES[1:] if page.path not in ELSEWHERE), "honesty")


@pytest.fixture(scope="module")
def report(trace: hopscope.Trace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    with pytest.raises(SystemExit) as ended:
        execute(program, "hopscope", ["analyze", "report", str(trace.path), "-o", str(file)])
    assert ended.value.code == 0
    return file


@pytest.fixture(scope="module")
def opened(browser: Browser, report: Path) -> Iterator[tuple[Page, list[str]]]:
    """The report in a browser that has no network, and everything that it asked for or complained about."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    said: list[str] = []
    page.on("request", lambda request: said.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"file://{report}", timeout=120_000)
    drawn = "document.querySelectorAll('.js-plotly-plot').length == document.querySelectorAll('.figure').length"
    page.wait_for_function(drawn, timeout=120_000)
    yield page, said
    context.close()


def test_it_asks_nobody_and_draws_every_figure(opened: tuple[Page, list[str]], report: Path) -> None:
    page, said = opened
    assert said == [f"file://{report}"]
    figures = page.locator(".figure")
    assert figures.count() >= 8
    for at in range(figures.count()):
        box = figures.nth(at).locator(".main-svg").first.bounding_box()
        assert box is not None
        assert box["width"] > 100
        assert box["height"] > 60


def test_nothing_selects_in_a_file_that_asks_nobody(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    assert page.locator("form, [data-href]").count() == 0
    assert "Select " not in page.locator("main").inner_text()


def test_every_section_is_there_and_the_links_lead_to_them(opened: tuple[Page, list[str]]) -> None:
    page, _ = opened
    assert [page.locator("section.page-of-report").nth(at).get_attribute("id") for at in range(len(SECTIONS))] == list(
        SECTIONS
    )
    links = page.locator("a")
    for at in range(links.count()):
        target = links.nth(at).get_attribute("href") or ""
        assert page.locator(f'[id="{target.removeprefix("#")}"]').count() == 1, target


def test_its_numbers_are_those_of_the_command_line(opened: tuple[Page, list[str]], trace: hopscope.Trace) -> None:
    page, _ = opened
    rows = page.locator("#critical-path-table tbody tr")
    shown = {
        rows.nth(at).locator("td").first.inner_text(): rows.nth(at).locator("td").nth(3).inner_text()
        for at in range(rows.count())
    }
    expected = {row["category"]: quantities.share(row["share"]) for row in trace.critical_path().to_pylist()}
    assert shown == expected


def test_its_diagnosis_is_that_of_the_command_line(report: Path, trace: hopscope.Trace) -> None:
    text = unescape(report.read_text())
    overview = text[: text.index('id="collectives"')]
    first, *others = trace.diagnose().to_pylist()
    assert f"</span> {first['sentence']}</h2>" in overview
    assert all(row["sentence"] in overview for row in others)
    assert first["evidence"] in overview


def test_its_findings_are_those_of_the_command_line(report: Path, trace: hopscope.Trace) -> None:
    text = unescape(report.read_text())
    for row in trace.findings().to_pylist():
        if row["key"] in {"last-arrivals", "noise", "late-ranks", "wan-share", "algorithms"}:
            assert f"<strong>{row['sentence']}</strong>" in text
            assert row["evidence"] in text


def test_the_tree_has_every_rank_and_an_arrow_for_every_edge(
    opened: tuple[Page, list[str]], trace: hopscope.Trace
) -> None:
    page, _ = opened
    drawing = page.locator("#tree .drawing")
    ranks = trace.table("ranks").num_rows
    assert drawing.locator("circle").count() == ranks
    # The root, and only it, has the thick ring.
    rings = drawing.locator("circle").evaluate_all("all => all.map(ring => getComputedStyle(ring).strokeWidth)")
    assert sorted(rings) == ["2px"] * (ranks - 1) + ["4px"]
    assert drawing.locator(".edge").count() == ranks - 1
    # It says what an edge carried without a server, too.
    edge = drawing.locator(".edge").first
    edge.dispatch_event("click")
    assert drawing.locator(".told").inner_text() == edge.locator("title").text_content()
    assert "of it." in drawing.locator(".told").inner_text()


def test_a_trace_without_hops_says_what_it_cannot_show(trace_without_hops: hopscope.Trace) -> None:
    text = document(trace_without_hops, "0")
    assert "other trees cannot be judged" in text
    assert "How to get hops" in text


def test_a_trace_without_collectives_says_so_and_speaks_of_no_arrivals_hops_or_noise(tmp_path: Path) -> None:
    text = document(hopscope.open(SimulatedRun(iterations=0).write(tmp_path / "started")), "0")
    assert "This trace has no collective operation of MPI, so there are no arrivals" in text
    # Collectives, the slowest one, and the tree.
    assert text.count("<h2>No collectives</h2>") == 3
    assert "No noise to tell" in text
    for wrong in (
        "How to get hops",
        "Arrivals and noise are known",
        "went wrong in Hopscope",
        "The slowest collectives",
    ):
        assert wrong not in text


def test_a_trace_of_several_worlds_says_how_many_its_ranks_belong_to(tmp_path: Path) -> None:
    dataset = SimulatedRun(iterations=3).write(tmp_path / "worlds")
    part = dataset / "ranks" / "part-00000.parquet"
    ranks = pq.read_table(part)
    place = ranks.schema.get_field_index("world")
    worlds = pa.array([int(rank >= 5) for rank in ranks["rank"].to_pylist()], pa.int32())
    pq.write_table(ranks.set_column(place, ranks.schema.field(place), worlds), part)
    tables = {**manifest.read(dataset).tables, "ranks": [manifest.described(part, ranks.num_rows)]}
    manifest.write(dataset, tables)
    assert "8 ranks of 2 worlds" in document(hopscope.open(dataset), "0")


def test_no_text_of_a_trace_becomes_markup() -> None:
    from dash import dcc, html

    hostile = "</script><script>alert(1)</script>"
    drawn = Renderer({}).markup(
        html.Div([hostile, html.Code(hostile, title=hostile), dcc.Graph(figure={"data": [{"name": hostile}]})])
    )
    assert not re.search(r"<script>", drawn)
    assert drawn.count("</script>") == 1


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    trace = SimulatedRun().write(tmp_path / "solver")
    with pytest.raises(SystemExit) as ended:
        execute(program, "hopscope", ["analyze", "report", str(trace), "-o", str(tmp_path / "nowhere" / "r.html")])
    assert ended.value.code == 2
    assert not (tmp_path / "nowhere").exists()
