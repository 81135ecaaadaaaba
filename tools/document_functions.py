"""Writes the table of what is recorded, counted or invisible into docs/collector.md, from schemas/mpi_functions.h as
compiled into the native modules; with --check, fails if the table is out of date."""

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
        "creation, freeing and fences as collectives, except fences with MPI_MODE_NOPRECEDE; transfers with requests",
    ),
    "io": ("files", "opening, closing and resizing as collectives; transfers with requests"),
    "comm": (
        "communicators",
        "new communicator with members, parent and id; calls of all members are collectives",
    ),
}


COUNTED = {"collectives without a recorded call": "dlsym, ctypes, extensions, other tools"}
MAY_WAIT = (
    "MPI_Buffer_...", "MPI_Open_port", "MPI_Close_port", "MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name",
    "MPI_Comm_set_info", "MPI_Win_set_info",
)  # fmt: skip
"""Functions without a wrapper that may wait for other ranks. Here and below, `...` means all functions of a family that
have no wrapper."""

LOCAL = (
    "MPI_Type_...", "MPI_Pack...", "MPI_Unpack...", "MPI_Op_...", "MPI_Reduce_local", "MPI_Register_datarep",
    "MPI_Group_...", "MPI_Cart...", "MPI_Graph...", "MPI_Dist_graph_...", "MPI_Dims_create", "MPI_Topo_test",
    "MPI_Comm_...", "MPI_Win_...", "MPI_File_...", "MPI_Session_...", "MPI_Info_...", "MPI_Attr_...", "MPI_Keyval_...",
    "MPI_Errhandler_...", "MPI_Error_...", "MPI_Add_error_...", "MPI_Remove_error_...", "MPI_Abi_...",
    "MPI_Request_...", "MPI_Grequest_...", "MPI_Message_...", "MPI_Status_...", "MPI_Test_cancelled", "MPI_Get_...",
    "MPI_Initialized", "MPI_Finalized", "MPI_Is_thread_main", "MPI_Query_thread", "MPI_Alloc_mem", "MPI_Free_mem",
    "MPI_Address", "MPI_Aint_...", "MPI_Wtime", "MPI_Wtick", "MPI_T_...",
)  # fmt: skip
"""Functions without a wrapper that wait for no other rank, so their time is computing. A test compares the lists with
the headers of MPI libraries."""


def is_known(name: str) -> bool:
    """True for a function that the list has, or that is invisible on purpose."""
    return name in FUNCTIONS or any(
        name.startswith(family.removesuffix("...")) if family.endswith("...") else name.removesuffix("_c") == family
        for family in (*MAY_WAIT, *LOCAL)
    )


def table() -> str:
    """The table's text. Raises KeyError for a kind without description."""
    rows: dict[tuple[str, str], list[str]] = {}
    for name, function in FUNCTIONS.items():
        if not name.endswith("_c"):
            rows.setdefault(KINDS[function.kind], []).append(name)
    blocking = rows[KINDS["collective"]]
    lines = [
        f"| {kind} | recorded{f': {details}' if details != '-' else ''} | {names_text(names, blocking)} |"
        for (kind, details), names in rows.items()
    ]
    lines += [f"| {calls} | counted | {ways} |" for calls, ways in COUNTED.items()]
    lines.append(f"| others | invisible: computing | {', '.join(MAY_WAIT)}, which may wait; local functions |")
    return "\n".join(["| calls | in the trace | functions |", "| --- | --- | --- |", *lines]) + "\n"


def _families(names: list[str]) -> list[str]:
    """The names, with MPI_Wait... for MPI_Wait, MPI_Waitall and so on."""
    beginnings = [name for name in names if not any(name.startswith(other) for other in names if other != name)]
    return [
        f"{beginning}..." if sum(name.startswith(beginning) for name in names) > 1 else beginning
        for beginning in beginnings
    ]


def names_text(names: list[str], blocking: list[str]) -> str:
    """The names in a list, shortened. If they are one form of all blocking collectives, only that form."""
    forms = {
        "the same as MPI_I...": [f"MPI_I{name.removeprefix('MPI_').lower()}" for name in blocking],
        "the same as MPI_..._init": [f"{name}_init" for name in blocking],
    }
    shortened = names if names == blocking else _families(names)
    return next((text for text, form in forms.items() if form == names), ", ".join(shortened))


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
