"""Every analysis of the sample traces as a table on a terminal of 80 columns."""

import io
import shutil
from pathlib import Path
from typing import Any

import hopscope
import pytest
import recorded
from hopscope.cli.remap import remap_answer
from hopscope.errors import InputError
from hopscope.render.terminal import print_answer

SAMPLES = Path(__file__).parents[2] / "sample_traces"
WIDTH = 80


@pytest.mark.parametrize(
    ("command", "options", "answers"),
    [
        ("compare", {}, ["base", "new", "change", "verdict"]),
        ("compare", {"by": "path"}, ["change", "verdict"]),
        ("compare", {"by": "structure"}, ["base", "new", "changed"]),
        ("remap", {"search": 0}, ["predicted", "gain", "chosen"]),
    ],
)
def test_a_narrow_table_keeps_what_the_command_is_asked_for(
    command: str, options: dict[str, Any], answers: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The verdict went first, and a long call site stayed.
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    sample = SAMPLES / "demo" / "trace"
    copied = shutil.copytree(sample, tmp_path / "trace", ignore=shutil.ignore_patterns("dataset"))
    trace = hopscope.open(copied)
    answer = remap_answer(trace, options) if command == "remap" else trace.answer(command, base=trace, **options)
    out = io.StringIO()
    print_answer(out, answer.table, answer.analysis)
    heading = out.getvalue().partition("──")[0]
    assert set(answers) <= set(heading.split())


@pytest.fixture(scope="module", params=sorted(path.parent.name for path in SAMPLES.glob("*/trace")))
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    folder = tmp_path_factory.mktemp(request.param) / "trace"
    return hopscope.open(
        shutil.copytree(SAMPLES / request.param / "trace", folder, ignore=shutil.ignore_patterns("dataset"))
    )


def test_no_line_is_too_long_and_no_word_of_a_heading_is_broken(
    trace: hopscope.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    seen = 0
    for question in recorded.questions(compared=False):
        options = {}
        if len(question) == 3:
            value = "0:0" if question[2] == recorded.EACH else question[2]
            options[question[1][2:]] = int(value) if value.isdigit() else value
        try:
            answer = trace.answer(question[0], **options)
        except InputError:
            continue  # this trace has nothing to answer with
        out = io.StringIO()
        print_answer(out, answer.table, answer.analysis)
        lines = out.getvalue().splitlines()
        assert max(map(len, lines)) <= WIDTH, question
        rule = next(i for i, line in enumerate(lines) if set(line.strip()) in ({"─"}, {"-"}))
        words = {word for column in answer.analysis.columns for word in column.name.split("_")} | {"95", "%", "of"}
        assert {word for line in lines[:rule] for word in line.split()} <= words, question
        seen += 1
    assert seen > 10
