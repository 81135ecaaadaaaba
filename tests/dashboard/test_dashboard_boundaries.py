"""Rules for the modules that the dashboard may import, and no other server for a browser."""

import ast
import re
import sys
from pathlib import Path

import hopscope
import hopscope_dashboard
import pytest
from dash import Dash
from hopscope_dashboard.app.application import create_app

SOURCES = Path(hopscope_dashboard.__file__).parent
# The commands belong to the command line: they open the trace for the pages.
MODULES = sorted(path for path in SOURCES.rglob("*.py") if path.parent.name != "commands")


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCES)))
def test_a_module_sees_no_duckdb_parquet_or_otf2_and_only_data_asks_hopscope(path: Path) -> None:
    assert not imported(path) & {"duckdb", "pyarrow", "otf2"}
    if path.relative_to(SOURCES) != Path("data", "trace.py"):
        # The format of numbers and the vocabulary do not depend on a trace.
        free = {"explain.diagnosis": "entry", "format": "quantities|rounds", "vocabulary": "links|words"}
        source = path.read_text()
        for room, names in free.items():
            name = f"(?:{names})"
            line = rf"^from hopscope\.{re.escape(room)}(?: import {name}(?:, {name})*|\.{name} import .*)$"
            source = re.sub(line, "", source, flags=re.M)
        assert not re.search(r"^\s*(?:from|import) hopscope\b", source, flags=re.M)


def test_no_module_asks_a_trace_by_sql() -> None:
    assert [path.name for path in MODULES if re.search(r"\.(?:sql|batches)\(", path.read_text())] == []


def test_figures_know_neither_pages_nor_data() -> None:
    for path in (SOURCES / "figures").glob("*.py"):
        assert "dash" not in imported(path)
        assert "hopscope_dashboard.data" not in path.read_text()


def test_the_projects_own_assets_name_no_other_host() -> None:
    for path in (SOURCES / "assets").iterdir():
        assert not re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z]", path.read_text()), path


def test_every_script_of_the_page_is_served_by_the_application(trace: hopscope.Trace) -> None:
    app: Dash = create_app(trace)
    html = app.server.test_client().get("/").get_data(as_text=True)
    addresses = re.findall(r"""(?:src|href)=["']([^"']+)""", html)
    assert addresses
    assert [address for address in addresses if not address.startswith("/")] == []


def test_every_package_that_a_page_is_made_of_is_one_that_is_maintained_as_wheels() -> None:
    # dash-cytoscape has only a source archive, which a new machine could not build.
    allowed = {
        "dash",
        "dash_ag_grid",
        "dash_mantine_components",
        "plotly",
        "flask",
        "numpy",
        "werkzeug",
        "hopscope_dashboard",
    }
    foreign = {name for path in MODULES for name in imported(path)} - sys.stdlib_module_names
    assert foreign - {"hopscope"} <= allowed


def test_two_traces_are_shown_side_by_side_each_with_its_own_numbers(
    trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    # No module has a trace: two applications in one process have their own.
    pages = []
    for run in (trace, trace_without_hops):
        client = create_app(run).server.test_client()
        layout = client.get("/_dash-layout").get_data(as_text=True)
        pages.append((trace.path.name in layout, trace_without_hops.path.name in layout))
    assert pages == [(True, False), (False, True)]
