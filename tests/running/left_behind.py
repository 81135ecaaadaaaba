"""Looks for what a test must not leave behind: processes, and files in shared memory or of networks.

A process is known by PYTEST_CURRENT_TEST, which pytest sets and every child inherits. Only those count that the test
started itself, for a fixture of a module or session keeps its processes. Files count once nobody has them open, because
two tests run at a time.
"""

import os
import tempfile
import time
from pathlib import Path

PATIENCE_S = 10.0
"""The kernel and the launchers end processes one by one, and slowly on a busy machine."""


def processes(test: str) -> list[str]:
    """Command lines of live processes that this test started in its call."""
    mark = f"PYTEST_CURRENT_TEST={test} (call)".encode()
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        if folder.name == str(os.getpid()):
            continue
        try:
            if mark in (folder / "environ").read_bytes():
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                lines += [f"process {folder.name}: {words}"] if words else []
        except OSError:
            continue
    return lines


def files() -> set[Path]:
    """Files of shared memory and folders of networks."""
    return {*Path("/dev/shm").iterdir(), *Path(tempfile.gettempdir()).glob("hopscope-net-*")}


def _open_files() -> str:
    """All that processes have open or mapped, as text to look names up in."""
    texts = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            texts.append((folder / "maps").read_text(errors="replace"))
            texts += [str(link.readlink()) for link in (folder / "fd").iterdir()]
            texts.append((folder / "cmdline").read_text(errors="replace"))
        except OSError:
            continue
    return "\n".join(texts)


def remains(test: str, before: set[Path]) -> list[str]:
    """What a test has left after PATIENCE_S: its processes, and new files that nobody uses."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        left = processes(test)
        new = files() - before
        if new:
            used = _open_files()
            left += [f"file {path}" for path in sorted(new) if str(path) not in used and path.exists()]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.1)
