"""What the replay predicts of the MPI library's algorithms for a recorded run."""

from __future__ import annotations

from hopscope.errors import InputError
from hopscope.trace import Trace
from hopscope.tuning.offered import Library


def predicted_gains(trace: Trace, library: Library) -> dict[tuple[str, str], float]:
    """The predicted gain, as a share of the run's iteration, by operation and algorithm; empty where the run cannot be
    replayed."""
    try:
        rows = trace.remap(library=library.flavour, launcher=library.launcher).to_pylist()
    except InputError:
        return {}
    operations = {row.operation for row in library.algorithms}
    gains: dict[tuple[str, str], float] = {}
    for row in rows:
        if row.get("gain") is not None and not row.get("today"):
            operation = str(row.get("operation", "")).removeprefix("MPI_").lower()
            if operation in operations:
                gains[operation, row["name"].split(",")[0].split(" for ")[0]] = row["gain"]
    return gains
