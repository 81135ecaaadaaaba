"""The columns of a table that remain on a terminal of 80 columns."""

import io
import shutil
from pathlib import Path
from typing import Any

import hopscope
import pytest
from hopscope.cli.remap import remap_answer
from hopscope.render.terminal import print_answer

SAMPLES = Path(__file__).parents[2] / "sample_traces"
WIDTH = 80


@pytest.mark.parametrize(
    ("command", "options", "answers"),
    [
        ("compare", {}, ["base", "new", "change", "verdict"]),
        ("compare", {"by": "path"}, ["change", "verdict"]),
        ("compare", {"by": "structure"}, ["base", "new", "changed"]),
        ("remap", {}, ["predicted", "gain", "chosen"]),
    ],
)
def test_a_narrow_table_keeps_what_the_command_is_asked_for(
    command: str, options: dict[str, Any], answers: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: the verdict was dropped first, and a long call site remained.
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    sample = SAMPLES / "demo" / "trace"
    copied = shutil.copytree(sample, tmp_path / "trace", ignore=shutil.ignore_patterns("dataset"))
    trace = hopscope.open(copied)
    answer = remap_answer(trace, options) if command == "remap" else trace.answer(command, base=trace, **options)
    output = io.StringIO()
    print_answer(output, answer.table, answer.analysis)
    heading = output.getvalue().partition("──")[0]
    assert set(answers) <= set(heading.split())
