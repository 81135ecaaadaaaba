"""schemas/words.h has the closed vocabularies, and schemas/links.h the classes of links. Other places that use the
words have all of them, and no other place lists them."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hopscope.native import _paths
from hopscope.query import catalog
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import ANSWERED_CATEGORIES

ROOT = Path(__file__).parents[2]
VOCABULARIES = {name: tuple(words) for name, words in _paths.WORDS.items()} | {"link": LINKS}
COLUMNS = {
    "kinds": {"source": "source"},
    "hops": {"role": "role", "link": "link", "source": "source", "binding": "binding"},
    "messages": {"link": "link", "binding": "binding"},
    "path_stretches": {"path": "path", "category": "category"},
    "intervals": {"kind": "interval_kind"},
    "steps": {"kind": "step_kind"},
}
"""The vocabulary of each column that has one."""


@pytest.mark.parametrize("table", COLUMNS)
def test_a_tables_schema_allows_the_words_of_its_vocabularies(table: str) -> None:
    schema = json.loads((ROOT / f"schemas/tables/{table}.schema.json").read_text())
    allowed = {column: field["enum"] for column, field in schema["properties"].items() if "enum" in field}
    without_null = {column: [word for word in words if word is not None] for column, words in allowed.items()}
    assert without_null == {column: list(VOCABULARIES[name]) for column, name in COLUMNS[table].items()}


def test_trees_open_hops_emulated_links_and_archives_have_the_words_of_hops() -> None:
    trees = json.loads((ROOT / "schemas/tables/trees.schema.json").read_text())
    assert tuple(trees["properties"]["role"]["enum"]) == VOCABULARIES["role"][:2]
    inspection = json.loads((ROOT / "schemas/inspection.schema.json").read_text())
    open_roles = inspection["$defs"]["thread"]["properties"]["open"]["items"]["properties"]["role"]["enum"]
    assert open_roles == [*VOCABULARIES["role"], "unknown"]
    topology = json.loads((ROOT / "schemas/topology.schema.json").read_text())
    assert tuple(topology["properties"]["emulate"]["properties"]["links"]["properties"]) == LINKS
    _, native = VOCABULARIES["source"]
    assert f'#define ARCHIVE_NATIVE "{native}:"' in (ROOT / "schemas/otf2.h").read_text()


def mappings() -> Iterator[tuple[str, set[str]]]:
    """Each dict of the code whose keys are texts, with its file and line. Dicts that are read by `get` are left out,
    because missing keys have a default."""
    for path in [*(ROOT / "analysis").rglob("*.py"), *(ROOT / "dashboard").rglob("*.py")]:
        text = path.read_text()
        tree = ast.parse(text)
        targets: dict[ast.AST, str] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Dict):
                target: Any = node.targets[0] if isinstance(node, ast.Assign) else node.target
                targets[node.value] = ast.unparse(target)
            if isinstance(node, ast.Dict):
                keys = {key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
                if len(keys) == len(node.keys) and f"{targets.get(node)}.get(" not in text:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", keys


def test_what_maps_some_words_of_a_vocabulary_maps_all() -> None:
    """A new word must not be missing from colours, sentences and the like."""
    matches = [
        (place, keys, words)
        for place, keys in mappings()
        for words in [*VOCABULARIES.values(), tuple(ANSWERED_CATEGORIES)]
        if len(keys) >= 3 and keys <= set(words)
    ]
    assert len(matches) >= 3
    lacking = [f"{place}: {sorted(set(words) - keys)}" for place, keys, words in matches if keys != set(words)]
    assert lacking == []


def test_no_code_lists_a_whole_vocabulary_again() -> None:
    folders = ("analysis", "dashboard/hopscope_dashboard", "collector/include", "collector/src")
    kinds = {".py", ".sql", ".c", ".h", ".cpp", ".js"}
    repetitions = []
    for path in (path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in kinds):
        for run in re.findall(r"""["']?\w+["']?(?:,\s+["']?\w+["']?){2,}""", path.read_text()):
            terms = set(re.findall(r"\w+", run))
            repetitions += [
                f"{path.relative_to(ROOT)}: {run}"
                for words in VOCABULARIES.values()
                if len(words) >= 3 and terms >= set(words)
            ]
    assert repetitions == []


def test_of_a_collectives_path_every_link_class_has_a_column() -> None:
    columns = {column.name for column in catalog.load().commands["collectives"].default.columns}
    assert {f"{link}_ns" for link in LINKS if link != "self"} <= columns


def test_the_documents_and_the_help_explain_every_word() -> None:
    page = (ROOT / "docs/meaning.md").read_text()
    words = [word for name in ("binding", "link", "category") for word in VOCABULARIES[name]]
    assert [word for word in words if f"`{word}`" not in page] == []
    folder = ROOT / "analysis/hopscope/sql"
    help_text = (folder / "analyses/critical_path.category.sql").read_text()
    assert [word for word in VOCABULARIES["category"] if not re.search(rf"^-- .*\b{word}\b", help_text, re.M)] == []
    phrases = {
        (path.name, phrase): set(re.findall(r"\w+", phrase)) - {"or"}
        for path in folder.rglob("*.sql")
        for phrase in re.findall(r"\w+(?:, \w+)+ or \w+", path.read_text())
    }
    of_words = [(place, terms, set(words)) for place, terms in phrases.items() for words in VOCABULARIES.values()]
    matches = [(place, terms, words) for place, terms, words in of_words if terms <= words]
    assert len(matches) >= 3
    assert [place for place, terms, words in matches if terms != words] == []
