"""Where the programs `hopscope` and `analyze` start. Ctrl-C is quiet even before their modules are imported."""

import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from hopscope.errors import INTERRUPTED


def main() -> NoReturn:
    """Run `hopscope` with the command line's arguments and exit."""
    with _quiet_interrupt():
        from hopscope.cli.main import main as hopscope_main
    hopscope_main()


def analyze_main() -> NoReturn:
    """Run `analyze` with the command line's arguments and exit."""
    with _quiet_interrupt():
        from hopscope.cli.main import analyze_main as main_of_analyze
    main_of_analyze()


def _end(_signal: int, _frame: FrameType | None) -> NoReturn:
    os._exit(INTERRUPTED)


@contextmanager
def _quiet_interrupt() -> Generator[None]:
    """Ctrl-C ends the process at once in here; an ignored one stays ignored."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    yield
    signal.signal(signal.SIGINT, before)
