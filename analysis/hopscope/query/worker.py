"""Runs computations in a spawned process. It is not forked, because a server has threads, whose locks a fork would
inherit.

`compute` is for an answer that takes much memory, which is freed as soon as the answer is there. `start` is for answers
that nobody waits for: its process runs while the processor is idle, and ends with the process that started it.
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
"""Interval between interrupts. They are repeated, because the code that runs may swallow the first one."""


def compute(function: Callable[..., Answer], *arguments: Any) -> Answer:
    """The result of a module's function, computed in a spawned process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def start(module: str, arguments: Sequence[str]) -> "subprocess.Popen[bytes]":
    """Run a module in the background. Its work must be inside `in_background`."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        # This process holds the other end of the pipe, which closes when this process ends for any reason.
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # In its own process group, so that only the server gets Ctrl-C. A new session would get its own share of the
        # processor.
        process_group=0,
    )


@contextmanager
def in_background() -> Generator[None]:
    """Context for work in the background: it runs while the processor is idle, until it is done or the process at the
    other end of stdin has ended. Removes unfinished files."""
    with suppress(OSError, AttributeError):  # without this policy, the process runs like any other
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # If a script started the server in the background, SIGINT is ignored and that is inherited.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=_interrupt_at_end, args=[threading.get_ident()], daemon=True).start()
    with suppress(KeyboardInterrupt), tempfile.TemporaryDirectory(prefix="hopscope-ahead-") as folder:
        tempfile.tempdir = folder  # for queries that spill to files
        yield


def _interrupt_at_end(worker: int) -> None:
    os.read(sys.stdin.fileno(), 1)
    while True:
        signal.pthread_kill(worker, signal.SIGINT)
        time.sleep(_AGAIN_S)
