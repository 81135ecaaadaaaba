"""Says what a probe measures while it does: on one line of a terminal, else now and then."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hopscope.cli.saying import say

_EVERY_S = 10.0
"""Where no terminal shows what is done, a line says so this often."""


@contextmanager
def measuring(text: Callable[[str], str] = str) -> Generator[Callable[[str], None]]:
    """A function that says what is measured now. text: what to say of it."""
    last = -_EVERY_S
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("measuring") as status:

            def on_one_line(what: str) -> None:
                status.update(text(what))

            yield on_one_line
        return

    def now_and_then(what: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            say(f"hopscope: {text(what)}")

    yield now_and_then
