"""The page Data: a query of the user, its result on the page and as a file, and the queries that are refused."""

import io
import re
from pathlib import Path

import hopscope
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from conftest import Serve
from hopscope.dataset.store import contract, table_names
from hopscope_dashboard.app.application import create_app
from playwright.sync_api import Page, expect

DEMO = Path(__file__).parents[3] / "sample_traces" / "demo" / "trace"
EDGES = "select src, dst, link, count(*) as hops, sum(bytes) as bytes\nfrom hops\ngroup by all\norder by all"
LONG = "select a.rank, b.call_id, a.engine, [b.rank] as ranks from calls as a, calls as b order by all"
ENDLESS = "select sum(a.rank * b.rank) from calls as a, calls as b, calls as c, calls as d, calls as e, calls as f"


@pytest.fixture(scope="module")
def demo() -> hopscope.Trace:
    return hopscope.open(DEMO)


@pytest.fixture(scope="module")
def place(serve: Serve, demo: hopscope.Trace) -> str:
    return f"{serve(demo)}/data"


def visible_rows(page: Page) -> list[list[str]]:
    """The rows of the result that are on screen."""
    page.locator("#sql-grid .ag-cell").first.wait_for()
    rows: list[list[str]] = page.eval_on_selector_all(
        "#sql-grid .ag-center-cols-container .ag-row",
        "rows => rows.sort((a, b) => a.getAttribute('row-index') - b.getAttribute('row-index'))"
        ".map(row => [...row.querySelectorAll('.ag-cell')].map(cell => cell.innerText.trim()))",
    )
    return rows


def texts(table: pa.Table) -> list[list[str]]:
    return [["" if value is None else str(value) for value in row.values()] for row in table.to_pylist()]


def test_a_query_goes_into_the_address_which_shows_its_rows(page: Page, place: str, demo: hopscope.Trace) -> None:
    page.set_viewport_size({"width": 1600, "height": 1200})
    page.goto(place)
    page.locator("#sql-box").fill(EDGES)
    page.locator("#sql-box").press("Control+Enter")
    rows = texts(demo.sql(EDGES))
    assert visible_rows(page) == rows
    expect(page.locator("#sql-result")).to_contain_text(f"{len(rows)} rows")
    expect(page).to_have_url(re.compile(r"/data\?sql=select\+src"))
    page.goto(f"{page.url}&from=i:10&to=i:20")
    expect(page.locator("#selection")).to_contain_text("from i:10, to i:20")
    part = texts(demo.part(from_="i:10", to="i:20").sql(EDGES))
    assert part != rows
    assert visible_rows(page) == part
    assert page.locator("#sql-box").input_value() == EDGES


@pytest.mark.browsers
def test_the_schema_stands_beside_it_and_begins_a_query(page: Page, place: str, demo: hopscope.Trace) -> None:
    page.goto(place)
    names = page.locator("#sql-schema .card").first.locator("summary code")
    expect(names).to_have_text(table_names())
    hops = page.locator("#sql-schema .relation", has=page.locator("summary", has=page.get_by_text("hops", exact=True)))
    expect(hops).to_contain_text(f"{demo.table('hops').num_rows} rows")
    hops.locator("summary").click()
    description = contract("hops")["properties"]["send_begin_ns"]["description"]
    line = hops.locator("tr", has=page.get_by_text("send_begin_ns", exact=True))
    expect(line).to_contain_text("bigint, ns")
    expect(line).to_contain_text(description)
    expect(page.locator("#sql-schema .card").nth(1)).to_contain_text("run_path")
    hops.get_by_role("link", name="query").click()
    expect(page.locator("#sql-result")).to_contain_text("100 rows")
    assert page.locator("#sql-box").input_value() == "select *\nfrom hops\nlimit 100"


@pytest.mark.browsers
def test_of_a_long_result_the_first_thousand_rows_are_shown_and_all_are_downloaded(
    page: Page, place: str, demo: hopscope.Trace
) -> None:
    page.goto(place)
    page.locator("#sql-box").fill(LONG)
    page.get_by_role("button", name="Run").click()
    whole = demo.sql(LONG)
    expect(page.locator("#sql-result")).to_contain_text("The first 1,000 of 102,400 rows.")
    files = {}
    for form in ("CSV", "Parquet"):
        with page.expect_download() as download:
            page.get_by_role("link", name=form).click()
        assert download.value.suggested_filename == f"trace-result.{form.lower()}"
        files[form] = Path(download.value.path()).read_bytes()
    assert pq.read_table(io.BytesIO(files["Parquet"])).equals(whole)
    read = pyarrow.csv.read_csv(io.BytesIO(files["CSV"])).to_pylist()
    assert read == [{**row, "ranks": str(row["ranks"])} for row in whole.to_pylist()]


REFUSED = {
    "with x as (copy calls to '/tmp/copied-by-a-test') select 1": "read-only",
    "select 1; select 2": "the query has 2 statements; give exactly one",
    "select * from read_text('/etc/hostname')": "file system operations are disabled",
    "select enters from calls": 'Referenced column "enters" not found',
    "set enable_external_access = true": "instead of this",
    "copy calls to '/tmp/copied-by-a-test'": "a dataset is read-only; give a SELECT instead of this COPY",
    "attach '/tmp/copied-by-a-test' as other": "instead of this ATTACH",
}
"""Queries that are not allowed or fail, and a part of the message, which differs from that of the query before."""


def test_what_a_query_may_not_or_cannot_do_is_said_as_it_is(page: Page, place: str) -> None:
    page.goto(place)
    for query, reason in REFUSED.items():
        page.locator("#sql-box").fill(query)
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("alert")).to_contain_text(reason)
        expect(page.get_by_role("alert")).to_contain_text("Change the query")
    assert not Path("/tmp/copied-by-a-test").exists()


def test_a_query_can_be_stopped_and_run_again(page: Page, place: str) -> None:
    page.goto(place)
    stop = page.get_by_role("button", name="Stop")
    expect(stop).to_be_disabled()
    page.locator("#sql-box").fill(ENDLESS)
    page.get_by_role("button", name="Run").click()
    for _ in range(2):
        expect(stop).to_be_enabled()
        stop.click()
        expect(page.get_by_role("alert")).to_contain_text("the query was stopped as you asked")
        expect(stop).to_be_disabled()
        page.get_by_role("button", name="Run").click()
    stop.click()


def test_a_file_is_given_only_to_those_whom_the_server_answers_and_only_of_what_reads(demo: hopscope.Trace) -> None:
    client = create_app(demo).server.test_client()
    response = client.get("/_result/csv?sql=select+1+as+one")
    assert (response.status_code, response.text) == (200, '"one"\n1\n')
    assert client.get("/_result/csv?sql=select+1", headers={"Host": "evil.example"}).status_code == 403
    assert client.post("/_result/csv?sql=select+1").status_code == 405
    for query, reason in (
        ("copy+calls+to+'x'", "read-only"),
        ("from+read_csv('/etc/passwd')", "file system operations are disabled"),
        ("select+interval+1+day", "Parquet cannot hold a column"),
        ("", "0 statements"),
    ):
        answer = client.get(f"/_result/parquet?sql={query}")
        assert (answer.status_code, reason in answer.text) == (400, True), answer.text
    assert client.get("/_result/csv?sql=select+1&ranks=99").status_code == 400
    assert client.get("/_result/exe?sql=select+1").status_code == 404
    assert client.head("/").status_code == 200
