"""The archives in this repository: Score-P's and the sample traces. `make test` reads only those that differ most."""

from pathlib import Path

import pytest

ARCHIVES = sorted(file.parent for file in (Path(__file__).parent / "archives").glob("*/*.otf2"))
SAMPLES = sorted(file.parent for file in (Path(__file__).parents[2] / "sample_traces").glob("*/trace/*.otf2"))
_MOST_DIFFERENT = ("scorep-8.4-mpi-openmp-4x2", "scorep-8.4-mpi-4ranks-rusage", "demo", "native_collectives")


def name_of(trace: Path) -> str:
    """The name of the folder of a trace, which describes it."""
    return trace.parent.name if trace.name == "trace" else trace.name


TRACES = [
    pytest.param(trace, id=name_of(trace), marks=[] if name_of(trace) in _MOST_DIFFERENT else [pytest.mark.statistics])
    for trace in (*ARCHIVES, *SAMPLES)
]
"""For `pytest.mark.parametrize`."""
