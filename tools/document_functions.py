"""Writes the table of recorded functions into docs/collector.md, from schemas/mpi_functions.h as compiled into the
native modules; with --check, fails if the table is out of date."""

import sys
from pathlib import Path

from hopscope.vocabulary.mpi_functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "collector.md"
BEGIN, END = "<!-- functions: made by tools/document_functions.py -->\n", "<!-- end of functions -->\n"

_END_RECORD = "begin, and the call that found it complete"
_COMPLETED = (
    "completion, test and probe",
    "completed messages and collectives; failing tests in a row count once",
)
KINDS = {
    "init": ("beginning", "-"),
    "finalize": ("end", "a good end"),
    "abort": ("abort", "reason of the end"),
    "control": ("control", "-"),
    "collective": (
        "blocking collectives",
        "communicator, sequence number, root, bytes in and out, hops",
    ),
    "nonblocking": ("nonblocking collectives", f"{_END_RECORD}; numbered with the blocking ones"),
    "persistent": ("persistent collectives", f"at each MPI_Start {_END_RECORD}"),
    "p2p": (
        "sends and receives",
        "messages with peer, tag and bytes",
    ),
    "wait": _COMPLETED,
    "test": _COMPLETED,
    "look": _COMPLETED,
    "rma": (
        "windows",
        "making, freeing, and fences without MPI_MODE_NOPRECEDE as collectives",
    ),
    "io": ("files", "opening, closing and resizing as collectives"),
    "comm": (
        "communicators",
        "new communicator with members, parent and id",
    ),
}


def table() -> str:
    """The table's text. Raises KeyError for a kind without description."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, function in FUNCTIONS.items():
        if not name.endswith("_c"):
            rows.setdefault(KINDS[function.kind], []).append(name)
    rows[KINDS["io"]] = list(dict.fromkeys(map(_family, rows[KINDS["io"]])))
    blocking = rows[KINDS["collective"]]
    lines = [f"| {kind} | {recorded} | {names_text(names, blocking)} |" for (kind, recorded), names in rows.items()]
    return "\n".join(["| calls | recorded besides enter and leave | functions |", "| --- | --- | --- |", *lines]) + "\n"


def _family(name: str) -> str:
    """The common beginning of the many forms of reads and writes; else the name itself."""
    families = [f"MPI_File_{verb}" for verb in ("iread", "iwrite", "read", "write")]
    return next((f"{family}..." for family in families if name.startswith(family)), name)


def names_text(names: list[str], blocking: list[str]) -> str:
    """The names in a list. If they are one form of all blocking collectives, only that form."""
    forms = {
        "the same as MPI_I...": [f"MPI_I{name.removeprefix('MPI_').lower()}" for name in blocking],
        "the same as MPI_..._init": [f"{name}_init" for name in blocking],
    }
    return next((text for text, form in forms.items() if form == names), ", ".join(names))


def main() -> int:
    """Write the table, or with --check compare it."""
    head, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, tail = rest.partition(END)
    page = f"{head}{BEGIN}\n{table()}\n{END}{tail}"
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
    elif PAGE.read_text() != page:
        print(f"{PAGE.name} is out of date: run .venv/bin/python tools/document_functions.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
