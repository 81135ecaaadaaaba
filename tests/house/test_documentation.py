"""Documentation begins with a noun or a verb."""

import subprocess
from pathlib import Path

import pytest
from documentation import SUFFIXES, documentation_in, is_vague

ROOT = Path(__file__).parents[2]


def test_documentation_begins_with_a_noun_or_a_verb() -> None:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / name for name in listing.splitlines() if name.endswith(SUFFIXES)]
    texts = [
        (f"{file.relative_to(ROOT)}:{line}", text)
        for file in files
        if file.is_file()
        for line, text in documentation_in(file)
    ]
    assert texts
    faults = [f"{place} {text.strip().splitlines()[0]}" for place, text in texts if is_vague(text)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("suffix", "text", "documentation"),
    [
        (
            ".py",
            '"""Module."""\nA = 1\n"""Constant."""\nB = "no"\nclass C:\n    """Class."""\n    d: int\n'
            '    """Field."""\n    def e(self):\n        """Function."""\n        return "no"\n',
            [(1, "Module."), (3, "Constant."), (6, "Class."), (8, "Field."), (10, "Function.")],
        ),
        (".pyi", '"""Stub."""\ndef f() -> None:\n    """Function."""\n', [(1, "Stub."), (3, "Function.")]),
        (
            ".c",
            "/* File. */\nint a; /* no */\n/** Variable. */\nint b; /**< Field. */\n",
            [(1, "File."), (3, "Variable."), (4, "Field.")],
        ),
        (
            ".hpp",
            "// File.\n/** A function\n * of two lines. */\n",
            [(1, "File."), (2, "A function\n * of two lines.")],
        ),
        (".sql", "-- Header.\n--\n-- column a INTEGER -- no\nselect 1\n", [(1, "Header.")]),
    ],
)
def test_every_kind_of_documentation_is_read(
    suffix: str, text: str, documentation: list[tuple[int, str]], tmp_path: Path
) -> None:
    file = tmp_path / f"source{suffix}"
    file.write_text(text)
    assert sorted((line, text.strip()) for line, text in documentation_in(file)) == documentation


@pytest.mark.parametrize(
    "text",
    [
        "What a rank waits for.",
        "Of two ranks the later one.",
        "So many ranks.",
        "So often a rank waits.",
        "The same without hosts.",
        "\n * Where a rank ran. ",
        "How far a rank is.",
        "Whether a rank waits.",
    ],
)  # fmt: skip
def test_vague_beginnings_are_named(text: str) -> None:
    assert is_vague(text)


@pytest.mark.parametrize("text", ["Sorted ranks.", "Offsets of ranks.", "The samples.", "Wheres are clauses of SQL."])
def test_words_that_only_start_alike_are_allowed(text: str) -> None:
    assert not is_vague(text)
