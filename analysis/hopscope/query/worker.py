"""Computes in a process of its own, which is spawned: a server has threads, and a forked one would inherit their locks.

`compute` is for an answer that takes much memory, which is free again with the answer. `start` is for answers that
nobody waits for: the process runs while the processor is idle, and ends with the one that started it.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from typing import Any, TypeVar

Answer = TypeVar("Answer")

_AGAIN_S = 10
"""Interval between interrupts: something may swallow the first."""


def compute(function: Callable[..., Answer], *arguments: Any) -> Answer:
    """The result of a module's function there."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def start(module: str, arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Run a module, whose work is `in_background`."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        # We hold the other end, so that it closes when we end, however we do.
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Ctrl-C is the server's. A session of its own would have a share of the processor of its own.
        process_group=0,
    )


@contextmanager
def in_background() -> Generator[None]:
    """Work while the processor is idle, until it is done or the process at the other end of stdin has ended. Unfinished
    files go."""
    with suppress(OSError, AttributeError):  # where there is no such policy, it is as any other process
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # Ctrl-C is ignored under a server that a script started in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_interrupt_at_end, args=[threading.get_ident()], daemon=True).start()
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="hopscope-ahead-") as folder:
        tempfile.tempdir = folder  # where queries go on that are larger than their memory
        yield


def _interrupt_at_end(worker: int) -> None:
    os.read(sys.stdin.fileno(), 1)
    while True:
        signal.pthread_kill(worker, signal.SIGINT)
        time.sleep(_AGAIN_S)
