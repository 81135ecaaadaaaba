"""Facts of a sweep whose times are drawn by hand."""

from typing import Final

PROVENANCE: Final = {
    "at": "2026-01-01T00:00:00+00:00",
    "command": ["mpirun", "-n", "8"],
    "library": "Open MPI v4.1.4",
    "flavour": "openmpi",
    "hosts": ["a"] * 8,
    "net": None,
    "besides": [],
    "spent_s": 1.0,
    "complete": True,
}
