"""Removes the shared memory that MPI libraries leave of jobs that did not reach MPI_Finalize, also without the
collector: MPICH 5 of every job that ends by MPI_Abort, an error or a signal, Open MPI 4 where its launcher was killed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def segments() -> set[Path]:
    """The libraries' files in shared memory."""
    memory = Path("/dev/shm")
    return {*memory.glob("mpich_sh*"), *memory.glob("vader_segment.*")}


def names_in_use() -> str:
    """The files that processes have open, mapped or in their command lines, as text to search for names."""
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
    """Removes new segments that no process uses, because jobs of other tests run at the same time."""
    old = segments()
    yield
    new = segments() - old
    used = names_in_use() if new else ""
    for path in new:
        if path.name not in used:
            path.unlink(missing_ok=True)
