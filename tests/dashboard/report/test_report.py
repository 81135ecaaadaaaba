"""The report of a trace: one short file without server or script, with the numbers of the command line."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import hopscope
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as program
from hopscope.dataset import manifest
from hopscope.format import quantities
from hopscope_dashboard.report import document as report_document
from hopscope_dashboard.report.details import DETAILS
from hopscope_dashboard.report.markup import number_of_words, table
from hopscope_dashboard.report.static import Renderer
from playwright.sync_api import Browser, expect
from simulated_run import SimulatedRun

document = report_document.document


@pytest.fixture(scope="module")
def text(trace: hopscope.Trace) -> str:
    return document(trace, "0")


def test_it_is_title_date_diagnosis_and_timeline_with_the_rest_folded(text: str, trace: hopscope.Trace) -> None:
    facts, first = trace.run_facts, trace.diagnose().to_pylist()[0]
    title = re.search(r"<h1>(.*?)</h1>", text)
    assert title and title[1] in (trace.path.name, str(facts["command"]).rpartition("/")[2])
    date = str(facts["started_at"] or "").partition("T")[0] or "Start time not recorded"
    parts = ["<h1>", date, unescape(first["sentence"]), '<svg class="timeline"', "<details"]
    places = [unescape(text).index(part) for part in parts]
    assert places == sorted(places)
    assert re.findall(r'<details id="([^"]+)"><summary>', text) == [name for name, _, _ in DETAILS]
    assert {"trust", "critical-path", "collectives"} <= {name for name, _, _ in DETAILS}
    remainder = re.sub(r"<details.*?</details>", "", text[text.index("<details") :], flags=re.DOTALL)
    assert number_of_words(remainder) == 0
    assert " open" not in text[text.index("<details") :]


def test_nothing_in_it_needs_a_server_or_a_script(text: str) -> None:
    assert re.findall(r"<(script|button|form|input|a|img|link|iframe)\b", text) == []
    assert re.findall(r"\son\w+=|https?://|url\(", text) == []
    assert "default-src 'none'; style-src 'unsafe-inline'" in text


def test_it_has_at_most_so_many_words(
    text: str, trace: hopscope.Trace, trace_without_hops: hopscope.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert report_document.MOST_WORDS == 2000
    assert number_of_words(text) <= 2000
    assert number_of_words(document(trace_without_hops, "0")) <= 2000
    # The report leaves out parts that would make it longer, and says so.
    monkeypatch.setattr(report_document, "MOST_WORDS", 500)
    short = document(trace, "0")
    assert number_of_words(short) <= 500
    assert "left out, because the report would be too long." in short
    # A very long name is cut.
    assert number_of_words(table("t", ["name"], [["word " * 5000]])) < 100


def test_words_are_those_that_a_reader_sees() -> None:
    markup = '<title>no</title><style>p { x: y }</style><p class="a b">Two&nbsp;words <code>and three</code></p>'
    assert number_of_words(markup) == 4


def test_writing_it_loads_no_page() -> None:
    # Loading Dash, plotly and scipy takes longer than the answers about a short trace.
    code = (
        "import sys; import hopscope_dashboard.commands.report, hopscope_dashboard.report.document; "
        "print([name for name in ('dash', 'plotly', 'scipy') if name in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_browser_without_a_network_shows_it(browser: Browser, text: str, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(text)
    context = browser.new_context(offline=True)
    page = context.new_page()
    events: list[str] = []
    page.on("request", lambda request: events.append(request.url))
    page.on("console", lambda message: events.append(message.text))
    page.goto(f"file://{file}")
    box = page.locator("svg.timeline").bounding_box()
    assert box is not None
    assert box["width"] > 500 and box["height"] > 100
    expect(page.locator("#path")).to_be_hidden()
    page.get_by_text("Where the time went").click()
    expect(page.locator("#path")).to_be_visible()
    assert events == [f"file://{file}"]
    context.close()


def test_its_numbers_are_those_of_the_command_line(text: str, trace: hopscope.Trace) -> None:
    body = text[text.index('<table id="path">') :].partition("</table>")[0]
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)[1:]]
    expected = {row["category"]: quantities.share(row["share"]) for row in trace.critical_path().to_pylist()}
    assert {row[0]: unescape(row[3]) for row in cells} == expected


def test_its_diagnosis_is_that_of_the_command_line(text: str, trace: hopscope.Trace) -> None:
    first, *findings = trace.diagnose().to_pylist()
    words = unescape(text)
    assert f"</span> {first['sentence']}</h2>" in words
    assert all(row["sentence"] in words for row in findings if row["severity"] != "OK")
    assert first["evidence"] in words


def test_the_timeline_has_a_row_for_each_rank_and_the_colour_of_what_takes_most(
    text: str, trace: hopscope.Trace
) -> None:
    drawing = text[text.index('<svg class="timeline"') :].partition("</svg>")[0]
    ranks = trace.table("ranks")["rank"].to_pylist()
    assert sorted(re.findall(r'class="name">rank (\d+)<', drawing)) == sorted(str(rank) for rank in ranks)
    rows = {float(top) for top in re.findall(r'<rect x="[^"]+" y="([^"]+)"', drawing)}
    assert len([top for top in rows if top % 22 == 1]) == len(ranks)
    run_ns = trace.timeline.duration_ns
    assert f">{quantities.alike('ns', 0, run_ns)[1]}</text>" in drawing


def test_a_trace_without_collectives_says_so(tmp_path: Path) -> None:
    text = document(hopscope.open(SimulatedRun(iterations=0).write(tmp_path / "started")), "0")
    assert "This trace has no collective operation." in text
    assert "Traceback" not in text


def test_a_run_of_many_ranks_has_a_row_for_each_host(tmp_path: Path) -> None:
    text = document(hopscope.open(SimulatedRun(ranks=80, iterations=2).write(tmp_path / "many")), "0")
    assert re.findall(r'class="name">(\w+)<', text) == ["alpha", "beta", "gamma"]


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
    markup = Renderer().markup(
        html.Div([hostile, html.Code(hostile, title=hostile), dcc.Graph(figure={"data": [{"name": hostile}]})])
    )
    assert not re.search(r"<script>", markup)
    assert markup.count("</script>") == 1
    assert "<script>" not in table("t", [hostile], [[f"`{hostile}`"]])


def test_it_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    trace = SimulatedRun().write(tmp_path / "solver")
    with pytest.raises(SystemExit) as exit_info:
        execute(program, "hopscope", ["analyze", "report", str(trace), "-o", str(tmp_path / "nowhere" / "r.html")])
    assert exit_info.value.code == 2
    assert not (tmp_path / "nowhere").exists()
