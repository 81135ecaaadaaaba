"""Links under tables save every row and digit of their analyses. Tested without a browser."""

import csv
import io
from urllib.parse import urlsplit

import hopscope
import pytest
from drawn_page import components, draw
from flask.testing import FlaskClient
from hopscope.render.machine import as_csv
from hopscope_dashboard.app.application import create_app


@pytest.fixture(scope="module")
def client(trace: hopscope.Trace) -> FlaskClient:
    return create_app(trace).server.test_client()


def saves(trace: hopscope.Trace, address: str) -> list[str]:
    """Addresses of a page's links that save tables."""
    parts = [part for part in components(draw(trace, address).component) if getattr(part, "data-save", None) == "csv"]
    return [part.href for part in parts if getattr(part, "href", None)]


def test_a_table_is_saved_with_every_row_and_digit_of_its_analysis(client: FlaskClient, trace: hopscope.Trace) -> None:
    (address,) = [address for address in saves(trace, "/critical-path") if "by=operation" in address]
    answer = client.get(address)
    assert answer.headers["Content-Disposition"] == "attachment; filename=critical-path.csv"
    assert answer.text == as_csv(trace.critical_path(by="operation"))
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["operation"], int(row["time_ns"])) for row in rows] == [
        (row["operation"], row["time_ns"]) for row in trace.critical_path(by="operation").to_pylist()
    ]


def test_of_a_searched_list_what_is_listed_is_saved(client: FlaskClient, trace: hopscope.Trace) -> None:
    (address,) = saves(trace, "/collectives?order=first&search=0:17")
    assert [row["collective"] for row in csv.DictReader(io.StringIO(client.get(address).text))] == ["0:17"]
    (address,) = saves(trace, "/collectives?order=first")
    assert len(client.get(address).text.splitlines()) == 1 + trace.table("collectives").num_rows


def test_of_a_part_of_the_run_its_rows_are_saved(client: FlaskClient, trace: hopscope.Trace) -> None:
    addresses = saves(trace, "/last-arrivals?ranks=3")
    (address,) = [address for address in addresses if "by=" not in address and "at=" not in address]
    assert urlsplit(address).path == "/_csv/last-arrivals"
    assert [row["rank"] for row in csv.DictReader(io.StringIO(client.get(address).text))] == ["3"]


def test_no_address_leads_to_other_files_of_the_server_s_machine(client: FlaskClient, trace: hopscope.Trace) -> None:
    assert client.get(f"/_csv/compare?base={trace.path}").status_code == 400
