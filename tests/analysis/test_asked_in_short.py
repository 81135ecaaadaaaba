"""`analyze TRACE` without a command, findings as paragraphs, and the commands that `analyze --help` shows."""

import re
from collections.abc import Callable
from pathlib import Path

import click
import hopscope
import pytest
from drawing import draw
from hopscope.cli.analyze import GROUPS
from hopscope.cli.analyze import analyze as analyze_group
from hopscope.cli.main import execute
from test_answers import TABLES


def here(*arguments: str | Path) -> object:
    """Exit code of `analyze` in this process."""
    with pytest.raises(SystemExit) as ended:
        execute(analyze_group, "analyze", [*map(str, arguments)])
    return ended.value.code


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> Path:
    return opened_once(draw(tmp_path_factory.mktemp("short") / "d", **TABLES))


def test_a_trace_in_place_of_a_command_is_asked_what_is_wrong_with_it(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert here(dataset, "--format", "csv") == 0
    short = capsys.readouterr().out
    assert here("findings", dataset, "--format", "csv") == 0
    assert capsys.readouterr().out == short
    assert here(dataset.parent / "nothing") == 2
    assert "No such command" in capsys.readouterr().err


def test_findings_are_paragraphs_that_fit_the_terminal(
    dataset: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert here(dataset) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    rows = hopscope.open(dataset).findings().to_pylist()
    words = " ".join(" ".join(lines).split())
    for row in rows:
        assert f"{row['severity']} {row['sentence']} {row['evidence']} more: analyze {row['analysis']}" in words


def test_help_shows_at_most_twenty_commands_each_of_which_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [name for names in GROUPS.values() for name in names]
    assert len(shown) == len({*shown}) <= 20
    assert here("--help") == 0
    said = capsys.readouterr().out
    known = analyze_group.list_commands(click.Context(analyze_group))
    for name in shown:
        assert name in known
        assert re.search(rf"^  {name}  ", said, re.MULTILINE)
