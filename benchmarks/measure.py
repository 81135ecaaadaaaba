"""One measurement: an Allreduce program run plain or under the collector."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import local_mpi
from hopscope.launch import collector_library

BIN = Path(sys.executable).parent
TOPOLOGIES = Path(__file__).parent
PROGRAM = Path(__file__).parent / "programs" / "allreduce.c"


def _run(words: list[str]) -> dict[str, float]:
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=300)
    found = dict(re.findall(r"(\w+)=([\d.]+)", done.stdout))
    if done.returncode != 0 or "ns" not in found:
        raise RuntimeError(f"{' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return {name: float(value) for name, value in found.items()}


def allreduce_ns(
    ranks: int,
    arguments: list[str],
    *,
    trace: Path | None = None,
    tree: str | None = None,
    topology: Path | None = None,
) -> float:
    """Median time of a call in ns. Without a trace directory the program runs without the collector; with one it is
    replaced. Raises RuntimeError with the job's words if it fails.
    """
    mpi = local_mpi.find()[0]
    words = [*mpi.launch(ranks), str(mpi.compile(PROGRAM)), *arguments]
    if trace is not None:
        shutil.rmtree(trace, ignore_errors=True)
        options = ["--dir", str(trace)]
        options += ["--tree", tree] if tree else []
        options += ["--topology", str(topology)] if topology else []
        words = [str(BIN / "hopscope"), "run", *options, "--", *words]
    return _run(words)["ns"]


def preloaded(
    ranks: int,
    arguments: list[str],
    *,
    trace: Path | None = None,
    mpi: local_mpi.LocalMpi | None = None,
    **settings: str,
) -> dict[str, float]:
    """All figures of the program, run plain or, with a trace directory, with the collector preloaded by hand: nothing
    of the launcher's is measured. settings: HOPSCOPE_<name> in small letters. The recordings stay as they are.
    """
    mpi = mpi or local_mpi.find()[0]
    words = mpi.launch(ranks)
    if trace is not None:
        shutil.rmtree(trace, ignore_errors=True)
        variables = {"HOPSCOPE_DIR": str(trace), "HOPSCOPE_ASSEMBLE": "0"}
        variables |= {f"HOPSCOPE_{name.upper()}": value for name, value in settings.items()}
        variables["LD_PRELOAD"] = str(collector_library(mpi.flavour))
        words += ["env", *(f"{name}={value}" for name, value in variables.items())]
    return _run([*words, str(mpi.compile(PROGRAM)), *arguments])
