"""README shows true things: the answer to the question that it asks, the cost of recording, the name of a wheel."""

import re
from pathlib import Path

import pytest
import release
import release_wheels
import started_commands

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_answer_is_what_analyze_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    shown = re.search(r"^\$ analyze (\S+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    assert shown is not None
    answer = started_commands.analyze(ROOT / shown[1], "--dataset", tmp_path / "dataset").stdout
    assert answer.rstrip() == shown[2].rstrip()


def test_the_cost_of_recording_is_the_measured_one() -> None:
    stated = re.search(r"^Recording costs (\+\d+ ns) and (\d+ B) an Allreduce, (\+[\d.]+ s) a job", README, re.M)
    assert stated is not None
    results = (ROOT / "docs" / "results.md").read_text()
    rows = ("an observed Allreduce on MPI_COMM_SELF", "archive size of an observed call", "start and end of 32 ranks")
    for figure, row in zip(stated.groups(), rows, strict=True):
        assert re.search(rf"^\| {row}[^|]*\| {re.escape(figure)}\b", results, re.MULTILINE), row


def test_the_wheel_that_is_installed_is_one_of_a_release() -> None:
    name = re.search(r'pip install "\./(hopscope-\S+\.whl)\[dashboard\]"', README)
    assert name is not None
    tags = "|".join(release_wheels.MINORS)
    assert re.fullmatch(rf"hopscope-{release.version_of(ROOT)}-({tags})-manylinux_\d+_\d+_x86_64\.whl", name[1])
