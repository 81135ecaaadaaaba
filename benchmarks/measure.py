"""Runs a program once, plain or under the collector, if asked on a network. Also repeats several measurements in
turn."""

import os
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import local_mpi
from hopscope.errors import InputError
from hopscope.launch import collector_library
from hopscope.launch.network import made_network, read_network

BIN = Path(sys.executable).parent
PROGRAMS = Path(__file__).parent / "programs"
PROGRAM = PROGRAMS / "allreduce.c"


def interleaved(repetitions: int, jobs: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The median of each job's figure. The jobs take turns, so that all run in the same states of the machine."""
    figures: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(repetitions):
        for name, job in jobs.items():
            figures[name].append(job())
    return {name: statistics.median(values) for name, values in figures.items()}


def _run(words: list[str]) -> list[dict[str, float]]:
    """The figures of each line that a job printed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=300)
    lines = [dict(re.findall(r"(\w+)=([\d.]+)", line)) for line in done.stdout.splitlines() if "ns=" in line]
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"{' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return [{name: float(value) for name, value in line.items()} for line in lines]


def figures(
    program: Path,
    ranks: int,
    arguments: list[str],
    *,
    trace: Path | None = None,
    tree: str | None = None,
    topology: Path | None = None,
    network: Path | None = None,
    launcher_options: list[str] | None = None,
) -> list[dict[str, float]]:
    """The figures of each line of a program's output. trace: a trace directory, which is replaced; None: runs without
    the collector. network: the topology file of a network to run on. Raises RuntimeError with the job's output if it
    fails.
    """
    mpi = local_mpi.find()[0]
    words = [*mpi.launch(ranks), *(launcher_options or []), str(mpi.compile(program)), *arguments]
    if trace is not None:
        shutil.rmtree(trace, ignore_errors=True)
        options = ["--dir", str(trace)]
        options += ["--tree", tree] if tree else []
        options += ["--topology", str(topology)] if topology else []
        options += ["--net", str(network)] if network else []
        words = [str(BIN / "hopscope"), "run", *options, "--", *words]
    return _run(words)


def allreduce_ns(ranks: int, arguments: list[str], **settings: Any) -> float:
    """Median time of a call in ns; settings: keyword arguments of `figures`."""
    return figures(PROGRAM, ranks, arguments, **settings)[0]["ns"]


def why_no_network(topology: Path) -> str | None:
    """The reason why this machine, or this user, cannot make the network of a topology file; None if it can."""
    try:
        with made_network(read_network(topology)):
            return None
    except InputError as error:
        return str(error)


def preloaded(
    ranks: int,
    arguments: list[str],
    *,
    trace: Path | None = None,
    mpi: local_mpi.LocalMpi | None = None,
    environment: dict[str, str] | None = None,
    program: list[str] | None = None,
    **settings: str,
) -> dict[str, float]:
    """All figures of the program. With a trace directory, the collector is preloaded without `hopscope run`, which is
    not measured; without one, the program runs plain. settings: values of HOPSCOPE_<name>, by name in lower case. The
    recordings are not assembled into an archive. program: a command in place of the Allreduces in C.
    """
    mpi = mpi or local_mpi.find()[0]
    variables = dict(environment or {})
    if trace is not None:
        shutil.rmtree(trace, ignore_errors=True)
        variables |= {"HOPSCOPE_DIR": str(trace), "HOPSCOPE_ASSEMBLE": "0"}
        variables |= {f"HOPSCOPE_{name.upper()}": value for name, value in settings.items()}
        variables["LD_PRELOAD"] = str(collector_library(mpi.flavour))
    words = [*mpi.launch(ranks), "env", *(f"{name}={value}" for name, value in variables.items())]
    return _run([*words, *(program or [str(mpi.compile(PROGRAM))]), *arguments])[0]
