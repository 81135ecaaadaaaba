"""The guides docs/add-*.md work word for word: one copy of the tree gets the changes of all guides and is built; then
each guide's commands run, in a slice. No guide changes more files than MOST_FILES permits.

A guide's changes are diffs, which `git apply docs/add-a-column.md` takes from the page. Its commands are the lines of
its sh blocks.
"""

import os
import re
import subprocess
from pathlib import Path

import lanes
import pytest
from copied_tree import ROOT, CopiedTree

GUIDES = sorted((ROOT / "docs").glob("add-*.md"))
MOST_FILES = {
    "add-a-collective": 7,
    "add-a-column": 3,
    "add-a-page": 3,
    "add-a-transport": 6,
    "add-a-tree-shape": 5,
    "add-an-algorithm": 6,
    "add-an-analysis": 3,  # two files by hand; the page is generated from the header
    "add-an-export-format": 3,
    "add-an-mpi-function": 4,
    "add-an-mpi-library": 6,  # two of these files record the library's own messages
}
"""The largest number of files that a guide's example may change, with tests and generated files."""

APPLIED = {"add-a-collective": {"schemas/tree.schema.json", "docs/shapes-and-algorithms.md"}}
"""Guides whose example is already in the tree, with the files that their commands write and therefore do not change."""

LOOK_ONLY = ("ctest ", ".venv/bin/pytest ")
"""Beginnings of commands that change nothing in the copy. They need not run once more for another guide."""


def git(copy: CopiedTree, *words: str | Path) -> str:
    return subprocess.run(
        ["git", "-c", "user.name=guides", "-c", "user.email=guides@localhost", *words],
        cwd=copy.root, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def paths_in_diffs(copy: CopiedTree, guide: Path) -> set[str]:
    if "\n```diff\n" not in guide.read_text():
        return set()
    return {line.split("\t")[2] for line in git(copy, "apply", "--numstat", guide).splitlines()}


def commands(guide: Path) -> list[str]:
    blocks = re.findall(r"^ *```sh\n(.*?)^ *```$", guide.read_text(), re.MULTILINE | re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines()]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> CopiedTree:
    copy = CopiedTree(tmp_path_factory.mktemp("guides") / "hopscope")
    copy.update()
    for guide in GUIDES:
        if guide.stem not in APPLIED and paths_in_diffs(copy, guide):
            git(copy, "apply", guide)
    git(copy, "add", "--all")
    git(copy, "commit", "-q", "-m", "everything that the guides add")
    assert copy.build(), copy.log.read_text()[-5000:]
    return copy


def mark_as_built(copy: CopiedTree) -> None:
    """Marks `make setup-test` as done, which would build for every MPI library, once for each guide."""
    for stamp in ("build/system-demo", "build/system-test", ".venv/stamps/python-test", ".venv/stamps/collector"):
        (copy.root / stamp).parent.mkdir(exist_ok=True)
        (copy.root / stamp).touch()


@pytest.mark.parametrize("guide", GUIDES, ids=[guide.stem for guide in GUIDES])
def test_a_guide_s_example_applies_and_changes_few_files(guide: Path) -> None:
    text = guide.read_text()
    changed = set(re.findall(r"^\+\+\+ b/(\S+)", text, re.MULTILINE))
    assert len(changed) <= MOST_FILES[guide.stem], sorted(changed)
    if "\n```diff\n" not in text:
        return
    direction = ["-R"] if guide.stem in APPLIED else []
    words = ["git", "apply", "--check", *direction, str(guide)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"make it anew for what the code is now: {done.stderr}"


@pytest.mark.rebuilds
@pytest.mark.timeout(1800)
def test_a_guide_s_commands_run_and_its_example_changes_few_files(
    copy: CopiedTree, subtests: pytest.Subtests, request: pytest.FixtureRequest
) -> None:
    """One test for all guides, because only one process makes the copy when several run tests. With --share, it runs
    some guides."""
    environment = os.environ | {
        "VIRTUAL_ENV": str(copy.venv),
        "PATH": f"{copy.venv / 'bin'}:{os.environ['PATH']}",
        "CTEST_OUTPUT_ON_FAILURE": "1",
    }
    passed: set[str] = set()
    for guide in (GUIDES[place] for place in lanes.drawn_places(request.config, len(GUIDES))):
        with subtests.test(guide=guide.stem):
            mark_as_built(copy)
            for command in commands(guide):
                if command in passed:
                    continue
                done = subprocess.run(
                    ["bash", "-c", command], cwd=copy.root, env=environment, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, f"{command}\n{done.stdout[-5000:]}\n{done.stderr[-5000:]}"
                if command.startswith(LOOK_ONLY):
                    passed.add(command)
            generated = {line[3:] for line in git(copy, "status", "--porcelain", "--no-renames").splitlines()}
            changed = paths_in_diffs(copy, guide) | generated | APPLIED.get(guide.stem, set())
            assert len(changed) <= MOST_FILES[guide.stem], sorted(changed)
        git(copy, "checkout", "-q", "--", ".")


def test_the_guide_to_collectives_names_every_place_of_its_example(tmp_path: Path) -> None:
    copy = CopiedTree(tmp_path / "hopscope")
    copy.update()
    git(copy, "apply", "-R", ROOT / "docs" / "add-a-collective.md")
    folders = ("collector/src/engine", "collector/src/plan", "collector/tests/engine", "analysis/native/plan")
    left = [
        str(file.relative_to(copy.root))
        for folder in folders
        for file in (copy.root / folder).rglob("*.[ch]*")
        if "Reduce_scatter_block" in file.read_text() or "REDUCE_SCATTER_BLOCK" in file.read_text()
    ]
    assert left == []
