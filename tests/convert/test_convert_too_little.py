"""Broken JSON and too little memory give a sentence before, during and after a conversion."""

import resource
import subprocess
import sys
from pathlib import Path

import hopscope
import pytest
from archive_drawing import Drawing, Place
from hopscope.dataset.convert import ensure_dataset
from hopscope.dataset.memory import LEAST_ADDRESS_SPACE
from hopscope.errors import InputError
from hopscope.format.quantities import size
from hopscope.launch.inputs import check_topology

DEEP = "[" * 100_000 + "]" * 100_000
DEEP_OBJECT = '{"schema_version": 1, "hosts": ' + '{"a":' * 400 + "1" + "}" * 401
TABLES = [
    DEEP,
    '"calls"',
    "[]",
    '{"calls": 1e400}',
    '{"calls": [{"file": "../x", "rows": 1e400}]}',
    '{"calls": [{"file": "../x.parquet", "rows": 1, "bytes": 1, "sha256": ""}]}',
]
BROKEN = [DEEP, '"a string"', "1e400", "null", "[1]", '{"schema_version": "x"}', "\xff"]
BROKEN += ['{"schema_version": 4, "tables": ' + tables + "}" for tables in TABLES]


def draw(directory: Path) -> Path:
    drawing = Drawing(directory, [Place("h0"), Place("h0")])
    for rank in (0, 1):
        drawing.collective(rank, 0, 50, "MPI_Barrier")
    drawing.write()
    return directory


@pytest.mark.parametrize("manifest", BROKEN)
def test_a_broken_manifest_is_a_sentence(tmp_path: Path, manifest: str) -> None:
    trace = draw(tmp_path / "t")
    dataset = ensure_dataset(trace)
    (dataset / "manifest.json").write_text(manifest, encoding="latin-1")
    for path in (dataset, trace):
        with pytest.raises(InputError, match=r"Delete|--dataset DIR|manifest.json lists"):
            hopscope.open(path)
    assert (dataset / "calls").is_dir()


@pytest.mark.parametrize("facts", [DEEP, '{"clocks": [{"host": "a", "at_ns": 1e400}]}', "1e400"])
def test_broken_facts_of_a_run_are_a_sentence(tmp_path: Path, facts: str) -> None:
    trace = draw(tmp_path / "t")
    for name in ("run.json", "untraced.json"):
        (trace / name).write_text(facts)
        with pytest.raises(InputError, match=rf"{trace / name} .*(too large|nested more than 128 deep)"):
            hopscope.open(trace).trust()
        (trace / name).unlink()


@pytest.mark.parametrize("text", [DEEP, DEEP_OBJECT, '{"schema_version": 1, "hosts": 1e400}'])
def test_a_topology_file_that_is_too_deep_is_a_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "topology.json"
    file.write_text(text)
    with pytest.raises(InputError, match=f"{file}.*(nested more than 128 deep|too large)"):
        check_topology(file)


def analyze(limit: int, *words: str | Path) -> subprocess.CompletedProcess[str]:
    code = "from hopscope.cli.main import analyze_main; analyze_main()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True, text=True, check=False, timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip


@pytest.mark.parametrize("command", ["summary", "remap"])
def test_a_limit_too_low_to_begin_with_is_a_sentence(tmp_path: Path, command: str) -> None:
    # Regression: libraries ended the process by a segmentation fault, or with code 1, which means that a gate failed.
    trace = draw(tmp_path / "t")
    for limit in (300_000 << 10, 700_000 << 10, LEAST_ADDRESS_SPACE - 1024):
        done = analyze(limit, command, trace)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"analyze: the limit of {size(limit)} of address space is too low")
        assert done.stderr.count("\n") == 1
    assert not (trace / "dataset").exists()
    # The limit that the message names suffices. Regression: it named 2 GiB, at which a library aborted the process.
    done = analyze(int(done.stderr.rsplit("ulimit -v ", 1)[1]) << 10, command, trace)
    assert (done.returncode, "memory" in done.stderr) == ({"summary": 0, "remap": 2}[command], False)


def test_a_conversion_that_runs_out_of_memory_is_a_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    trace = draw(tmp_path / "t")
    code = """
import resource, sys
from pathlib import Path
import hopscope.dataset.convert, hopscope.trace
from hopscope.errors import InputError
before = resource.getrlimit(resource.RLIMIT_AS)
def narrow(*_):
    # Other threads are reading: without room for what one of them keeps for itself, the C library ends the process.
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (256 << 20), before[1]))
    bytearray(1 << 30)
try:
    hopscope.dataset.convert.ensure_dataset(Path(sys.argv[1]), progress=narrow)
except InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, str(trace)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("not enough memory for the conversion (ulimit -v leaves ")
    assert sorted(path.name for path in trace.iterdir()) == ["traces", "traces.def", "traces.otf2"]
