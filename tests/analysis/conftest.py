"""Traces that tests only read: samples whose dataset is made once in a test run, and datasets that commands open
once."""

from collections.abc import Callable, Generator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import hopscope
import pyarrow as pa
import pytest
from hopscope import trace as traces
from recorded_jobs import sample_trace, shared_folder


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], hopscope.Trace]:
    """A function that gives the trace of a folder of sample_traces. No test may change it."""
    shared = shared_folder(tmp_path_factory)
    return cache(lambda folder: sample_trace(shared, f"{folder}/trace"))


@pytest.fixture(scope="module")
def opened_once() -> Generator[Callable[[Path], Path]]:
    """A function that opens a dataset once for all commands of this process, and returns the dataset.

    Most of a short command's time goes into opening a dataset and preparing its queries. So each query of the whole run
    is also run only once. `test_catalog` asks each analysis of a new trace, on which no other query has been prepared.
    """
    opened: dict[Path, hopscope.Trace] = {}
    opening = traces.open

    def open_once(path: str | Path, **options: Any) -> hopscope.Trace:
        is_shared = options.get("dataset") is None and Path(path).resolve() in opened
        return opened[Path(path).resolve()] if is_shared else opening(path, **options)

    def share(dataset: Path) -> Path:
        opened[dataset.resolve()] = opening(dataset)
        remember_answers(opened[dataset.resolve()])
        return dataset

    def remember_answers(trace: hopscope.Trace) -> None:
        answers: dict[tuple[str, frozenset[tuple[str, Any]]], pa.Table] = {}
        cache = trace._runner.cache
        recall = cache.recall

        def answer(
            text: str, parameters: Mapping[str, Any], compute: Callable[[], pa.Table], *, is_verdict: bool = False
        ) -> pa.Table:
            key = text, frozenset(parameters.items())
            if key not in answers:
                answers[key] = recall(text, parameters, compute, is_verdict=is_verdict)
            return answers[key]

        patch.setattr(cache, "recall", answer)

    with pytest.MonkeyPatch.context() as patch:
        for module in (hopscope, traces):
            patch.setattr(module, "open", open_once)
        yield share
