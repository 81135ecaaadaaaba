"""Who may depend on whom: SQL runs in one module, OTF2 is read in one folder, the dashboard sees only `hopscope`."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ANALYSIS = sorted((ROOT / "analysis" / "hopscope").rglob("*.py"))
DASHBOARD = sorted((ROOT / "dashboard" / "hopscope_dashboard").rglob("*.py"))
COLLECTOR = sorted([*(ROOT / "collector").rglob("*.c"), *(ROOT / "collector").rglob("*.h")])


def imports(file: Path) -> set[str]:
    """Top-level packages, and `package.module` names, that a file imports anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
            found |= {str(a.value) for a in node.args if isinstance(a, ast.Constant)}
    return found | {name.split(".")[0] for name in found}


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def test_there_is_something_to_look_at() -> None:
    assert len(ANALYSIS) > 10
    assert COLLECTOR


@pytest.mark.parametrize("file", ANALYSIS, ids=name_of)
def test_only_the_runner_knows_duckdb(file: Path) -> None:
    assert "duckdb" not in imports(file) or file.name == "runner.py"


@pytest.mark.parametrize("file", ANALYSIS, ids=name_of)
def test_only_convert_reads_otf2(file: Path) -> None:
    reads = imports(file) & {"otf2", "hopscope._convert"}
    assert not reads or "convert" in file.relative_to(ROOT / "analysis" / "hopscope").parts


@pytest.mark.parametrize("file", ANALYSIS, ids=name_of)
def test_the_analysis_does_not_know_the_dashboard_but_for_the_commands_that_use_it(file: Path) -> None:
    assert "hopscope_dashboard" not in imports(file) or file.relative_to(ROOT / "analysis" / "hopscope").as_posix() in (
        "cli/dashboard.py",
        "cli/report.py",
    )


@pytest.mark.parametrize("file", DASHBOARD, ids=name_of)
def test_the_dashboard_sees_neither_duckdb_nor_parquet_nor_otf2(file: Path) -> None:
    inner = {"hopscope.runner", "hopscope.store", "hopscope.convert", "hopscope._convert", "hopscope._paths"}
    assert not imports(file) & ({"duckdb", "pyarrow.parquet", "otf2"} | inner)


def test_a_rule_that_is_broken_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "page.py"
    file.write_text("from pyarrow import parquet\ndef f():\n    import duckdb\n")
    assert {"pyarrow.parquet", "duckdb"} <= imports(file)


def test_the_collector_includes_nothing_of_python() -> None:
    assert [name_of(file) for file in COLLECTOR if "Python.h" in file.read_text()] == []
