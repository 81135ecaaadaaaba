"""The sample traces: what was planted is found, and the answers are those that were recorded with them."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import hopscope
import pytest

SAMPLES = Path(__file__).parents[2] / "sample_traces"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/README.md"))


def answer(trace: hopscope.Trace, question: list[str]) -> list[dict[str, Any]]:
    if question[0] == "sql":
        return trace.sql(question[1]).to_pylist()
    options = dict(zip([word.removeprefix("--") for word in question[1::2]], question[2::2], strict=True))
    return trace.run(question[0], **options).to_pylist()


@pytest.fixture(scope="module", params=NAMES)
def sample(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, hopscope.Trace]:
    """A sample's folder, and its trace in a folder of its own, so that its dataset is made anew."""
    folder = SAMPLES / request.param
    copy = tmp_path_factory.mktemp(request.param) / "trace"
    shutil.copytree(folder / "trace", copy, ignore=shutil.ignore_patterns("dataset"))
    return folder, hopscope.open(copy)


def test_what_was_planted_is_found(sample: tuple[Path, hopscope.Trace]) -> None:
    folder, trace = sample
    for planted in json.loads((folder / "planted.json").read_text()):
        rows = [r for r in answer(trace, planted["question"]) if planted["row"].items() <= r.items()]
        assert len(rows) == 1, planted
        found = rows[0][planted["column"]]
        # A range, or what it is to the last digit.
        right = found == planted["is"] if "is" in planted else planted["from"] <= found <= planted["to"]
        assert right, (planted, rows[0])


def test_the_answers_are_those_that_were_recorded(sample: tuple[Path, hopscope.Trace]) -> None:
    folder, trace = sample
    recorded = sorted((folder / "answers").glob("*.json"))
    assert recorded
    for path in recorded:
        words = path.stem.split("_")
        question = [words[0], *([f"--{words[1]}", words[2]] if len(words) == 3 else [])]
        for got, expected in zip(answer(trace, question), json.loads(path.read_text()), strict=True):
            assert got.keys() == expected.keys()
            assert got == {key: pytest.approx(value, nan_ok=True) for key, value in expected.items()}, path.name


def test_the_samples_are_small() -> None:
    parts = [path for path in SAMPLES.rglob("*") if path.is_file() and "dataset" not in path.parts]
    assert sum(path.stat().st_size for path in parts) < 3 << 20


def test_the_samples_name_no_machine() -> None:
    # No absolute path of whoever recorded them: not at the beginning of a text, and not behind a space, quote or `=`.
    recorded = list(SAMPLES.glob("*/trace/run.json"))
    assert recorded
    for path in recorded:
        assert re.findall(r"""(?<=[\s"'=:])/\w[^\s"]*""", path.read_text()) == []
