"""Opening a trace from the command line: a progress bar while it is converted, where there is a terminal to show it
on."""

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

import hopscope
from hopscope.trace import Trace


def opening(path: str) -> Trace:
    """The trace at this path. Raises InputError."""
    if not sys.stderr.isatty():
        return hopscope.open(path)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        return hopscope.open(path, progress=progress)
