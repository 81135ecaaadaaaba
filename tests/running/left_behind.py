"""Looks for what a test must not leave behind: processes, and files in shared memory or of networks.

A process belongs to a test if it has two variables: PYTEST_CURRENT_TEST, which pytest sets, and TESTED_BY with the
process that runs the test, because the same test may run in another checkout at the same time. Every child inherits
both. Only processes that the test itself started count, because a fixture of a module or session keeps its processes.
Of files, only those count that no process has open. Each process that runs tests has its own /dev/shm, if it may mount
one, because two tests run at a time.
"""

import ctypes
import os
import tempfile
import time
from pathlib import Path

import abandoned_segments

PATIENCE_S = 60.0
"""Seconds to wait, because the kernel and the launchers end processes one by one, and slowly on a busy machine."""


_CLONE_NEWNS, _MS_REC, _MS_PRIVATE = 0x20000, 0x4000, 0x40000


def part_shared_memory() -> bool:
    """Gives this process and its children their own /dev/shm. False without the right to mount one."""
    libc = ctypes.CDLL(None, use_errno=True)
    return (
        libc.unshare(_CLONE_NEWNS) == 0
        and libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None) == 0
        and libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", 0, b"mode=1777") == 0
    )


OWNER = "TESTED_BY"
"""Variable with the number of the process that runs the tests."""
os.environ[OWNER] = str(os.getpid())


def processes(test: str) -> list[str]:
    """Command lines of live processes that this test started in its call."""
    marks = {f"PYTEST_CURRENT_TEST={test} (call)".encode(), f"{OWNER}={os.environ[OWNER]}".encode()}
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        try:
            if marks <= {*(folder / "environ").read_bytes().split(b"\0")}:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                lines += [f"process {folder.name}: {words}"] if words else []
        except OSError:
            continue
    return lines


def files() -> set[Path]:
    """Files in shared memory, if it belongs to this process alone, and folders of networks."""
    shared = set(Path("/dev/shm").iterdir()) if IS_PARTED else set[Path]()
    return shared | set(Path(tempfile.gettempdir()).glob("hopscope-net-*"))


IS_PARTED = part_shared_memory()


def remains(test: str, old_files: set[Path], *, is_unfinished: bool = False) -> list[str]:
    """Processes and unused new files that are still there PATIENCE_S after a test.

    is_unfinished: a job of the test does not reach MPI_Finalize. Its MPI library then leaves shared memory, even
    without the collector, which is removed as soon as no process uses it.
    """
    deadline = time.monotonic() + PATIENCE_S
    while True:
        left = processes(test)
        new = files() - old_files
        if new:
            used = abandoned_segments.names_in_use()
            unused = sorted(path for path in new if str(path) not in used)
            for path in abandoned_segments.segments().intersection(unused) if is_unfinished else ():
                path.unlink(missing_ok=True)
            left += [f"file {path}" for path in unused if path.exists()]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)
