"""Shows the progress of a probe: on one changing line of a terminal, otherwise on a new line every few seconds."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hopscope.cli.saying import say

_EVERY_S = 10.0
"""Interval between progress lines without a terminal."""


@contextmanager
def measuring(text: Callable[[str], str] = str) -> Generator[Callable[[str], None]]:
    """Context that gives a function to report the current stage. text: formats the stage."""
    last = -_EVERY_S
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("measuring") as status:

            def on_one_line(stage: str) -> None:
                status.update(text(stage))

            yield on_one_line
        return

    def on_further_lines(stage: str) -> None:
        nonlocal last
        if time.monotonic() - last >= _EVERY_S:
            last = time.monotonic()
            say(f"hopscope: {text(stage)}")

    yield on_further_lines
