"""Writes the table of recorded functions into docs/collector.md from the one list, schemas/mpi_functions.h, as the
native modules have it; with --check, fails if it is out of date.
"""

import sys
from pathlib import Path

from hopscope.mpi_functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "collector.md"
BEGIN, END = "<!-- functions: made by tools/document_functions.py -->\n", "<!-- end of functions -->\n"

_LATER = "the call that begins it, and where and when it was found complete"
_COMPLETED = (
    "completion, test and probe",
    "enter, leave; which messages and collectives completed in it; failing tests in a row are one pair",
)
KINDS = {
    "init": ("beginning", "enter, leave"),
    "finalize": ("end", "enter, leave; that the run ended well"),
    "abort": ("abort", "enter, and why the trace ends there"),
    "control": ("control", "enter, leave; recording stops after level 0 and goes on before a positive one"),
    "collective": (
        "blocking collectives",
        "enter, leave, communicator, sequence number, root, bytes put in and got out; under a tree its hops",
    ),
    "nonblocking": ("nonblocking collectives", f"{_LATER}; numbered with the blocking ones"),
    "persistent": ("persistent collectives", f"enter, leave; at each MPI_Start {_LATER}"),
    "p2p": (
        "sends and receives",
        "enter, leave; the messages sent and received with peer, tag and bytes, matched by request",
    ),
    "wait": _COMPLETED,
    "test": _COMPLETED,
    "look": _COMPLETED,
    "comm": (
        "communicators",
        "enter, leave; the communicator that it made: members, parent, an id that all ranks share",
    ),
}


def table() -> str:
    """The table's text. Raises KeyError for a kind that nothing is said of."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, function in FUNCTIONS.items():
        if not name.endswith("_c"):
            rows.setdefault(KINDS[function.kind], []).append(name)
    lines = [f"| {what} | {recorded} | {', '.join(names)} |" for (what, recorded), names in rows.items()]
    return "\n".join(["| calls | what is recorded | functions |", "| --- | --- | --- |", *lines]) + "\n"


def main() -> int:
    """Write the table, or compare it."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page = f"{before}{BEGIN}\n{table()}\n{END}{after}"
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
    elif PAGE.read_text() != page:
        print(f"{PAGE.name} is out of date: run .venv/bin/python tools/document_functions.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
