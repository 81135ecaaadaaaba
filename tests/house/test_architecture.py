"""Permitted dependencies: SQL runs in one module, OTF2 is read in one folder, the dashboard imports only `hopscope`,
nothing imports the dashboard, and there are no circles."""

import ast
import re
import subprocess
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOPSCOPE = ROOT / "analysis" / "hopscope"
DASHBOARD = ROOT / "dashboard" / "hopscope_dashboard"
PYTHON = sorted([*HOPSCOPE.rglob("*.py"), *DASHBOARD.rglob("*.py")])
COLLECTOR = ROOT / "collector"
NATIVE = ROOT / "analysis" / "native"
COMPILED = sorted(
    file
    for folder in (COLLECTOR / "src", COLLECTOR / "include", NATIVE)
    for file in folder.rglob("*")
    if file.suffix in (".c", ".h", ".cpp")
)
# Folders of includes besides the source's own. An include that is in none of them is not ours, or made by the build.
INCLUDED_FROM = (COLLECTOR / "src", COLLECTOR / "include", ROOT)

Graph = Mapping[str, set[str]]


def python_in(folder: Path) -> list[Path]:
    return [file for file in PYTHON if file.is_relative_to(folder)]


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


@cache
def imports(file: Path) -> set[str]:
    """Packages, modules and `module.name`s that a file imports anywhere, at its top or in a function."""
    names = imported_names(file)
    return names | {name.rsplit(".", 1)[0] for name in names} | {name.split(".")[0] for name in names}


@cache
def imported_names(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def modules() -> dict[str, Path]:
    """The product's modules by their import name. Modules without Python source have their stub."""
    files: dict[str, Path] = {}
    for file in [*PYTHON, *HOPSCOPE.rglob("*.pyi")]:
        words = file.relative_to(DASHBOARD.parent if file.is_relative_to(DASHBOARD) else HOPSCOPE.parent).with_suffix(
            ""
        )
        files[".".join(words.parts).removesuffix(".__init__")] = file
    return files


def import_graph() -> Graph:
    """The imports of each module: `from a import b` is a.b if that is a module, else a."""
    files = modules()
    return {
        name: {n if n in files else n.rsplit(".", 1)[0] for n in imported_names(file)} & files.keys() - {name}
        for name, file in files.items()
        if file.suffix == ".py"
    }


@cache
def included(file: Path) -> list[Path]:
    """Our own files that a C or C++ file includes."""
    headers: list[Path] = []
    for name in re.findall(r'^ *# *include "([^"]+)"', file.read_text(), re.MULTILINE):
        places = [(folder / name).resolve() for folder in (file.parent, *INCLUDED_FROM)]
        headers += [place for place in places if place.is_file()][:1]
    return headers


def include_graph(unit: Callable[[Path], Path]) -> Graph:
    """The includes between units. unit: gives the unit of a file."""
    graph: dict[str, set[str]] = {}
    for file in COMPILED:
        unit_name = name_of(unit(file))
        graph.setdefault(unit_name, set()).update(name_of(unit(header)) for header in included(file))
        graph[unit_name].discard(unit_name)
    return graph


def circles(graph: Graph) -> list[list[str]]:
    """The sets of nodes that lead to one another, each in alphabetical order."""

    def descendants(start: str) -> set[str]:
        nodes: set[str] = set()
        ahead = list(graph.get(start, ()))
        while ahead:
            node = ahead.pop()
            if node not in nodes:
                nodes.add(node)
                ahead += graph.get(node, ())
        return nodes

    reachable = {node: descendants(node) for node in graph}
    groups = {
        tuple(sorted({a, *(b for b in reachable[a] if a in reachable.get(b, ()))})) for a in graph if a in reachable[a]
    }
    return sorted(list(circle) for circle in groups)


def test_there_is_something_to_look_at() -> None:
    assert len(python_in(HOPSCOPE)) > 10
    assert len(python_in(DASHBOARD)) > 10
    assert sum(len(included(file)) for file in COMPILED) > 500


def importing(folder: Path, *names: str) -> list[str]:
    """The files of a folder that import one of these names."""
    return [name_of(file) for file in python_in(folder) if imports(file) & set(names)]


def test_only_what_runs_queries_knows_duckdb() -> None:
    names = ("database", "runner", "user_query", "views")
    assert importing(HOPSCOPE, "duckdb") == [f"analysis/hopscope/query/{name}.py" for name in names]


def test_only_convert_reads_otf2() -> None:
    readers = importing(HOPSCOPE, "otf2", "hopscope.native._convert")
    assert readers
    assert [file for file in readers if not file.startswith("analysis/hopscope/dataset/convert/")] == []


def test_the_analysis_does_not_know_the_dashboard() -> None:
    assert importing(HOPSCOPE, "hopscope_dashboard") == []


def test_the_dashboard_sees_neither_duckdb_nor_parquet_nor_otf2() -> None:
    inner = [
        f"hopscope.{name}" for name in ("query.database", "query.runner", "dataset.store", "dataset.convert", "native")
    ]
    assert importing(DASHBOARD, "duckdb", "pyarrow.parquet", "otf2", *inner) == []


def test_no_import_is_hidden_in_a_call() -> None:
    """A type checker and these tests follow only statements."""
    for folder in (HOPSCOPE, DASHBOARD):
        assert importing(folder, "importlib.import_module", "runpy") == []
        assert [name_of(file) for file in python_in(folder) if "__import__" in file.read_text()] == []


def test_no_module_imports_one_that_imports_it() -> None:
    assert circles(import_graph()) == []


def test_no_package_imports_one_that_imports_it() -> None:
    """A package is a folder right below `hopscope`, or a module there that is in none."""
    of_package: dict[str, set[str]] = {}
    for module, imported in import_graph().items():
        package = package_of(module)
        of_package.setdefault(package, set()).update({package_of(dependency) for dependency in imported} - {package})
    assert circles(of_package) == []


def package_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def test_no_file_of_c_includes_one_that_includes_it() -> None:
    """A source and its header are one unit."""
    assert circles(include_graph(lambda file: file.with_suffix(""))) == []


def test_no_folder_of_c_includes_one_that_includes_it() -> None:
    assert circles(include_graph(lambda file: file.parent)) == []


@pytest.mark.parametrize("build", sorted((ROOT / "build").glob("collector-*/")), ids=lambda build: build.name)
def test_no_object_of_the_collector_calls_one_that_calls_it(build: Path) -> None:
    """Includes do not show this: a header may declare the functions of several sources."""
    # A build may still contain objects of removed sources.
    source_folder = COLLECTOR / "src"
    folders = {file: file.relative_to(source_folder).parent for file in COMPILED if source_folder in file.parents}
    sources = {("_".join(folder.parts), file.name) for file, folder in folders.items()}
    objects = [file for file in build.rglob("*.o") if (room_of(file), file.stem) in sources]
    assert len(objects) > 100
    symbol_table = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout
    defined: dict[str, str] = {}
    undefined: dict[str, set[str]] = {}
    for line in symbol_table.splitlines():
        file, _, rest = line.partition(".o:")
        *_, kind, symbol = rest.split()
        if kind == "U":
            undefined.setdefault(file, set()).add(symbol)
        elif kind.isupper():
            defined[symbol] = file
    graph = {file: {defined[symbol] for symbol in symbols & defined.keys()} for file, symbols in undefined.items()}
    assert any(graph.values())
    assert circles(graph) == []


def room_of(compiled: Path) -> str | None:
    match = re.search(r"/(?:room|hopscope)_(\w+)\.dir/", str(compiled))
    return match[1] if match else None


def test_the_collector_includes_nothing_of_python() -> None:
    assert [name_of(file) for file in COMPILED if "Python.h" in file.read_text() and NATIVE not in file.parents] == []


def test_a_rule_that_is_broken_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "page.py"
    file.write_text("from pyarrow import parquet\ndef f():\n    import duckdb\n")
    assert {"pyarrow.parquet", "duckdb"} <= imports(file)
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a", "d"}}) == [["b", "c"], ["d"]]
