"""Entry points of `hopscope` and `analyze`. Ctrl-C prints no traceback, even while their modules are imported."""

import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
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
    """Context in which Ctrl-C ends the process at once. A process that ignored Ctrl-C before still ignores it."""
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    sys.meta_path.insert(0, _WithoutPandas())
    yield
    signal.signal(signal.SIGINT, handler)


class _WithoutPandas(MetaPathFinder):
    """Hides an installed pandas from this process. No command uses pandas, but pyarrow imports it with its first array.
    That took 0.2 of the 1.0 s of processor time of `analyze last-arrivals` on sample_traces/demo."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("commands of hopscope do without pandas", name=fullname)
