"""Finds remains of networks: processes in the namespaces of its hosts, and files.

Both are recognised by a folder, which was the TMPDIR when the network was made. So networks of other users do not
matter.
"""

import os
import time
from pathlib import Path

PATIENCE_S = 30.0
"""Seconds to wait, because the kernel ends processes one by one, and slowly on a busy machine."""


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
    """Names of the folders of networks."""
    return sorted(str(path) for path in folder.glob("hopscope-net-*"))


def left_in(folder: Path) -> list[str]:
    """Remains of networks, after some time for the kernel to end them."""
    deadline = time.monotonic() + PATIENCE_S
    while (left := [*processes_of(folder), *folders_in(folder)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
