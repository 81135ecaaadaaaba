"""Names are nouns: at most one in a hundred is a pronoun, a particle, an auxiliary verb or a word of the dictionary."""

from pathlib import Path

import pytest
from stored_names import is_no_noun, names_in

ROOT = Path(__file__).parents[2]
LARGEST_SHARE = 0.01
C_SUFFIXES = (".c", ".h", ".cpp", ".hpp")
SUFFIXES = (*C_SUFFIXES, ".py", ".sql")
FOLDERS = (
    *sorted(
        str(folder.relative_to(ROOT))
        for parent in ("collector/src", "analysis/hopscope", "dashboard/hopscope_dashboard", "tests")
        for folder in (ROOT / parent).iterdir()
        if folder.is_dir() and any(file.suffix in SUFFIXES for file in folder.rglob("*"))
    ),
    "analysis/hopscope",
    "analysis/native",
    "benchmarks",
    "collector/include",
    "collector/tests",
    "dashboard/hopscope_dashboard",
    "demo",
    "sample_traces",
    "tools",
)
"""Folders that each keep the rule."""


def check(folder: str, suffixes: tuple[str, ...]) -> None:
    files = [file for file in sorted((ROOT / folder).rglob("*")) if file.suffix in suffixes]
    names = [(name, f"{file.relative_to(ROOT)}:{line}") for file in files for name, line in names_in(file)]
    assert names
    faults = [f"{place} {name}" for name, place in names if is_no_noun(name)]
    assert len(faults) <= LARGEST_SHARE * len(names), "\n".join(faults)


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_are_nouns(folder: str) -> None:
    check(folder, SUFFIXES)


def test_names_in_programs_of_tests_are_nouns() -> None:
    check("tests", C_SUFFIXES)


@pytest.mark.parametrize(
    ("suffix", "text", "stored"),
    [
        (".py", "def f(a, *, b=1):\n    for c in a:\n        self.d = [e for e in c]\n", "f a b c d e"),
        (".c", "struct s { int *a; };\nint f(char *b[]) { int d = 1, *e; return d; }\n#define G 1\n", "s a f b d e G"),
        (".cpp", "void f(const T &a) { for (auto &b : a) { int c = b; } }\n", "f a b c"),
        (".sql", "-- as no\ncreate or replace macro f(a, b := 1) as (with c as (select 'x' as d) from c)", "f a b c d"),
    ],
)  # fmt: skip
def test_every_kind_of_name_is_seen(suffix: str, text: str, stored: str, tmp_path: Path) -> None:
    file = tmp_path / f"source{suffix}"
    file.write_text(text)
    assert {name for name, _ in names_in(file)} == set(stored.split())


def test_a_phrase_counts_only_if_none_of_its_words_is_a_noun() -> None:
    faults = ["found", "_at", "of_each", "MOST", "left_out"]
    assert [name for name in (*faults, "found_ranks", "peer", "__init__", "is_open") if is_no_noun(name)] == faults[:4]
