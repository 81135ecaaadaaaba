"""What a network may leave behind: processes, in whose namespaces its hosts are, and files.

Both are known by the folder that was the TMPDIR of whatever made the network, so that networks of others do not matter.
"""

import os
import time
from pathlib import Path

PATIENCE_S = 30.0
"""The kernel ends processes one by one, and slowly on a busy machine."""


def processes_of(folder: Path) -> list[str]:
    """Command lines of the processes that have this folder as their TMPDIR."""
    mark = b"TMPDIR=" + os.fsencode(folder)
    lines: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                words = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                lines.append(words.decode(errors="replace").strip())
        except OSError:
            continue
    return lines


def folders_in(folder: Path) -> list[str]:
    """Folders of networks, as they are called."""
    return sorted(str(path) for path in folder.glob("hopscope-net-*"))


def left_in(folder: Path) -> list[str]:
    """Remains of networks, once the kernel had some time to end them."""
    deadline = time.monotonic() + PATIENCE_S
    while (left := [*processes_of(folder), *folders_in(folder)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
