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

BIN = Path(sys.executable).parent
TOPOLOGIES = Path(__file__).parent
PROGRAM = Path(__file__).parent / "programs" / "allreduce.c"


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
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=dict(os.environ), timeout=300)
    found = re.search(r"ns=([\d.]+)", done.stdout)
    if done.returncode != 0 or found is None:
        raise RuntimeError(f"{' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return float(found.group(1))
