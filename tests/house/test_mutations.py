"""The mutations of tests/mutations still apply to the tree. `make check-mutations` runs their tests, which would take
too long here."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "tests" / "mutations").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=[patch.stem for patch in PATCHES])
def test_a_mutation_applies_and_names_a_suite_that_is_there(patch: Path) -> None:
    words = ["git", "apply", "--check", str(patch)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"make it anew for what the code is now: {done.stderr}"
    suite = re.fullmatch(r"Killed by: (pytest|ctest) (.+)", patch.read_text().splitlines()[1])
    assert suite
    if suite[1] == "pytest":
        assert all((ROOT / word).exists() for word in shlex.split(suite[2]) if word.startswith("tests/"))


def test_there_are_forty_of_all_areas() -> None:
    areas = {patch.stem.partition("-")[0] for patch in PATCHES}
    assert len(PATCHES) >= 40
    analyses = {"binding", "paths", "schedules", "clocks", "shares", "noise", "remap", "guards"}
    surroundings = {"wrappers", "native", "recording", "launcher", "network", "pages", "report"}
    assert areas >= analyses | surroundings
