"""Removes the shared memory that MPI libraries leave behind if a job does not reach MPI_Finalize. They do so without
the collector, too: MPICH 5 if a job ends by MPI_Abort, an error or a signal, Open MPI 4 if its launcher was killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def segments() -> set[Path]:
    """Returns the MPI libraries' files in /dev/shm."""
    memory = Path("/dev/shm")
    return {*memory.glob("mpich_sh*"), *memory.glob("vader_segment.*")}


def names_in_use() -> str:
    """Returns one text with the names of all files that processes have open or mapped, and their command lines."""
    texts = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            texts.append((process / "maps").read_text(errors="replace"))
            texts += [str(link.readlink()) for link in (process / "fd").iterdir()]
            texts.append((process / "cmdline").read_text(errors="replace"))
        except OSError:
            continue
    return "\n".join(texts)


@contextmanager
def removed() -> Iterator[None]:
    """Removes, at the end of the context, the segments that are new and that no process uses. Jobs of other tests,
    which run at the same time, still use theirs."""
    old = segments()
    yield
    new = segments() - old
    used = names_in_use() if new else ""
    for path in new:
        if path.name not in used:
            path.unlink(missing_ok=True)
