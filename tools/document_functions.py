"""Writes the table of recorded functions into docs/collector.md from the collector's own list
(collector/include/hopscope/functions.h); with --check, fails if it is out of date.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "collector.md"
LIST = ROOT / "collector" / "include" / "hopscope" / "functions.h"
BEGIN, END = "<!-- functions: made by tools/document_functions.py -->\n", "<!-- end of functions -->\n"

_COLLECTIVE = "enter, leave, communicator, sequence number, root, bytes put in and got out; under a tree its hops"
_LATER = "the call that begins it, and where and when it was found complete"
RECORDED = {
    "INIT": "enter, leave",
    "FINALIZE": "enter, leave; that the run ended well",
    "OTHER": "enter, and why the trace ends there",
    "CONTROL": "enter, leave; recording stops after level 0 and goes on before a positive one",
    "BARRIER": _COLLECTIVE,
    "COLL_ALL2ALL": _COLLECTIVE,
    "COLL_ONE2ALL": _COLLECTIVE,
    "COLL_ALL2ONE": _COLLECTIVE,
    "COLL_OTHER": _COLLECTIVE,
    "NONBLOCKING": f"{_LATER}; numbered with the blocking ones",
    "PERSISTENT": f"enter, leave; at each MPI_Start {_LATER}",
    "P2P": "enter, leave; the messages sent and received with peer, tag and bytes, matched by request",
    "WAIT": "enter, leave; which messages and collectives completed in it; failing tests in a row are one pair",
    "COMM": "enter, leave; the communicator that it made: members, parent, an id that all ranks share",
}
NAMES = {
    "INIT": "beginning",
    "FINALIZE": "end",
    "OTHER": "abort",
    "CONTROL": "control",
    "NONBLOCKING": "nonblocking collectives",
    "PERSISTENT": "persistent collectives",
    "P2P": "sends and receives",
    "WAIT": "completion, test and probe",
    "COMM": "communicators",
}


def functions() -> list[tuple[str, str]]:
    """Every function with its kind, in the order of the list; nonblocking collectives as a kind of their own."""
    found = re.findall(r"^ *X\((MPI_\w+), (\w+), \w+\)", LIST.read_text(), re.MULTILINE)
    collective = {kind for kind, words in RECORDED.items() if words is _COLLECTIVE}
    return [
        (name, "NONBLOCKING" if kind in collective and re.match(r"MPI_I[a-z]", name) else kind) for name, kind in found
    ]


def table() -> str:
    """The table's text. Raises KeyError for a kind that nothing is said of."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, kind in functions():
        rows.setdefault((NAMES.get(kind, "blocking collectives"), RECORDED[kind]), []).append(name)
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
