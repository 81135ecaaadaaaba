"""`analyze TRACE` without a command, the diagnosis under its former name, and the text of `analyze --help`."""

import re
from collections.abc import Callable
from pathlib import Path

import click
import hopscope
import pytest
from drawing import draw
from hopscope.cli.analyze import GROUPS
from hopscope.cli.analyze import analyze as analyze_group
from hopscope.vocabulary.words import for_trace
from started_commands import analyze
from test_answers import TABLES


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> Path:
    return opened_once(draw(tmp_path_factory.mktemp("short") / "d", **TABLES))


def test_a_trace_in_place_of_a_command_is_asked_what_is_wrong_with_it(dataset: Path) -> None:
    short, full = analyze(dataset, "--format", "csv"), analyze("diagnose", dataset, "--format", "csv")
    assert short.returncode == full.returncode == 0
    assert short.stdout == full.stdout
    mistyped = analyze(dataset.parent / "nothing")
    assert mistyped.returncode == 2
    assert "No such command" in mistyped.stderr


def test_the_former_name_of_the_diagnosis_still_prints_it_and_is_not_listed(dataset: Path) -> None:
    former, current = (analyze(name, dataset, "--format", "csv") for name in ("findings", "diagnose"))
    assert former.returncode == 0
    assert former.stdout == current.stdout
    assert hopscope.open(dataset).findings().equals(hopscope.open(dataset).diagnose())
    assert "findings" not in analyze("--help").stdout + analyze("list").stdout
    former, current = (
        analyze(*words, dataset, "--format", "csv") for words in (["noise-periods"], ["noise", "--by", "period"])
    )
    assert former.stdout == current.stdout
    assert "is now `analyze noise --by period`" in former.stderr
    assert hopscope.open(dataset).noise_periods().equals(hopscope.open(dataset).noise(by="period"))


def test_a_gate_on_the_former_name_ends_with_2_and_the_new_one(dataset: Path, tmp_path: Path) -> None:
    (tmp_path / "hopscope.toml").write_text('[gates]\nfindings = "tree.problem == 1"\n')
    gate = analyze("gate", dataset, "--config", tmp_path / "hopscope.toml")
    assert gate.returncode == 2
    assert "'findings' is now 'diagnose'" in gate.stderr
    diagnosis = analyze("findings", dataset, "--fail-if", "*.problem == 1")
    assert diagnosis.returncode == 2
    assert "diagnose" in diagnosis.stderr


def test_the_diagnosis_is_paragraphs_that_fit_the_terminal(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    answer = analyze(dataset)
    assert answer.returncode == 0
    lines = answer.stdout.splitlines()
    assert max(map(len, lines)) <= 60
    rows = hopscope.open(dataset).diagnose().to_pylist()
    words = " ".join(" ".join(lines).split())
    for row in rows:
        parts = (row["severity"], row["sentence"], row["evidence"], for_trace(row["action"] or "", str(dataset)))
        # A long path may be broken at the end of a line.
        assert "".join(part for part in parts if part).replace(" ", "") in words.replace(" ", "")


def test_help_shows_at_most_twenty_commands_each_of_which_is_there() -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert len(names) == len({*names}) <= 20
    page = analyze("--help")
    assert page.returncode == 0
    commands = analyze_group.list_commands(click.Context(analyze_group))
    for name in names:
        assert name in commands
        assert re.search(rf"^  {name}  ", page.stdout, re.MULTILINE)
