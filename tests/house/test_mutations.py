"""The mutations of tests/mutations still apply to the tree. `make check-mutations` runs their tests, which would take
too long here."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "tests" / "mutations").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=[patch.stem for patch in PATCHES])
def test_a_mutation_applies_and_names_a_suite_that_is_there(patch: Path) -> None:
    words = ["git", "apply", "--check", str(patch)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"make it anew for what the code is now: {done.stderr}"
    assert re.fullmatch(r"Killed by: (pytest|ctest) .+", patch.read_text().splitlines()[1])


def hunks_of(patch: Path) -> list[tuple[Path, str]]:
    """The hunks of a patch: the file, and the lines that are there before it is applied."""
    hunks: list[tuple[Path, str]] = []
    for part in patch.read_text().split("\n+++ b/")[1:]:
        name, *texts = re.split(r"\n@@.*", part.partition("\ndiff ")[0])
        hunks += [
            (ROOT / name, "\n".join(line[1:] for line in text.splitlines()[1:] if line.startswith((" ", "-"))))
            for text in texts
        ]
    return hunks


@pytest.mark.parametrize("patch", PATCHES, ids=[patch.stem for patch in PATCHES])
def test_a_mutation_can_apply_only_where_it_is_meant_to(patch: Path) -> None:
    # Regression: a hunk applied to another function, after lines had moved.
    hunks = hunks_of(patch)
    assert hunks
    assert [file.read_text().count(lines) for file, lines in hunks] == [1] * len(hunks)


def test_a_suite_of_pytest_has_a_test_for_each_word_that_selects() -> None:
    # Regression: tests had other names than the words, so no test ran.
    lines = [patch.read_text().splitlines()[1] for patch in PATCHES]
    suites = {line.removeprefix("Killed by: pytest ") for line in lines if "pytest" in line}
    places = sorted({word for suite in suites for word in shlex.split(suite) if word.startswith("tests/")})
    words = [sys.executable, "-m", "pytest", "-q", "--collect-only", "--lane", "all", *places]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    tests = [line.lower() for line in done.stdout.splitlines() if "::" in line]
    for suite in sorted(suites):
        files, _, selection = suite.partition(" -k ")
        chosen = [test for test in tests if test.startswith(tuple(files.split()))]
        for alternative in selection.strip("'").split(" or "):
            names = alternative.lower().split(" and ")
            assert any(all(name in test for name in names) for test in chosen), f"{suite}: {alternative}"


def test_there_are_forty_of_all_areas() -> None:
    areas = {patch.stem.partition("-")[0] for patch in PATCHES}
    assert len(PATCHES) >= 40
    analyses = {"binding", "paths", "schedules", "clocks", "shares", "noise", "remap", "guards"}
    surroundings = {"wrappers", "native", "recording", "launcher", "network", "pages", "report"}
    assert areas >= analyses | surroundings
