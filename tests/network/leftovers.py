"""What a network may leave behind: namespaces, processes and files."""

import os
import tempfile
import time
from pathlib import Path


def processes_of(folder: Path) -> list[bytes]:
    found: list[bytes] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes()
        except OSError:
            continue
        if os.fsencode(folder) in words:
            found.append(words)
    return found


def namespaces() -> set[str]:
    """The network namespaces of all processes."""
    found: set[str] = set()
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            found.add(str(link.readlink()))
        except OSError:
            continue
    return found


def leftovers() -> list[str]:
    """Files of networks, as their temporary folders are called."""
    return sorted(str(path) for path in Path(tempfile.gettempdir()).glob("hopscope-net-*"))


def settled(before: tuple[set[str], list[str]], folder: Path) -> bool:
    """Whether all is as it was, in a few seconds: the kernel ends processes one by one."""
    for _ in range(100):
        if (namespaces(), leftovers()) == before and not processes_of(folder):
            return True
        time.sleep(0.1)
    return False
