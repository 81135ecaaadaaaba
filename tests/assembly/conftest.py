"""The writer of spools and a maker of traces, for the tests of the assembly."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from spooled_trace import Trace

COLLECTOR = Path(__file__).parents[2] / "collector"


@pytest.fixture(scope="session")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that makes spools, built from the collector's own headers."""
    program = tmp_path_factory.mktemp("writer") / "write_spools"
    source = COLLECTOR / "tests" / "assembly" / "write_spools.c"
    words = [
        "cc",
        "-std=c11",
        "-Wall",
        "-Werror",
        f"-I{COLLECTOR / 'include'}",
        f"-I{COLLECTOR.parent}",
        source,
        "-o",
        program,
    ]
    subprocess.run(words, check=True)
    return program


@pytest.fixture
def new_trace(tmp_path: Path, writer: Path) -> Callable[[str], Trace]:
    """A function that makes a trace directory from a script."""

    def make(script: str) -> Trace:
        return Trace(tmp_path / "trace", writer).write(script)

    return make
