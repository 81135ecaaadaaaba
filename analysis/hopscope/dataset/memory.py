"""Turns a lack of memory into errors. The libraries below Hopscope reserve far more address space than they use. If
even that is refused, they end the process in the middle of its work."""

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager

from hopscope.errors import InputError
from hopscope.format.quantities import size

LEAST_ADDRESS_SPACE = (3 << 30) + (32 << 20) * (os.cpu_count() or 1)
"""The least address space that a command needs, in bytes. With less, a library may end the process. Measured: commands
on a small trace reserve up to 2.5 GiB on two cores, and the threads of each further core at most 20 MiB more."""

_SHORT = ("can't start new thread", "Resource temporarily unavailable", "failed to map segment")


def check_address_space() -> None:
    """Raises InputError if a limit on address space is too low to start with."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_ADDRESS_SPACE:
        raise InputError(
            f"the limit of {size(limit)} of address space is too low to read a trace; raise it to "
            f"{size(LEAST_ADDRESS_SPACE)} or more: ulimit -v {LEAST_ADDRESS_SPACE >> 10}"
        )


def is_shortage(problem: BaseException) -> bool:
    """True for an exception that reports a lack of memory, also if a thread or a library could not be loaded."""
    return isinstance(problem, MemoryError) or (
        isinstance(problem, RuntimeError | ImportError) and any(words in str(problem) for words in _SHORT)
    )


def shortage(task: str) -> InputError:
    """The error for a task that ran out of memory."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    limited = "" if limit == resource.RLIM_INFINITY else f" (ulimit -v leaves {size(limit)} of address space)"
    return InputError(
        f"not enough memory for {task}{limited}; raise the limit, or use a machine with more memory. "
        "HOPSCOPE_MEMORY=1GiB makes queries use files earlier"
    )


@contextmanager
def memory_for(task: str) -> Generator[None]:
    """Context for a task. Raises InputError if the task runs out of memory."""
    try:
        yield
    except (MemoryError, RuntimeError, ImportError) as problem:
        if not is_shortage(problem):
            raise
        raise shortage(task) from None
