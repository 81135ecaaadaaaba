"""Progress bars for long work on the command line, if stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

import hopscope

if TYPE_CHECKING:
    from rich.progress import TaskID

    from hopscope.trace import Progress, Trace


def dataset_option() -> click.Option:
    """The option `--dataset DIR` of every command that opens a trace."""
    return click.Option(
        ["--dataset"],
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Where to find or make the trace's dataset [default: `dataset` beside the archive]. If a command takes "
        "more traces, their datasets stay in their default places.",
    )


def opening(path: str | Path, dataset: Path | None = None, *, lean: bool = False) -> Trace:
    """Opens the trace at this path. dataset: the directory of its dataset, if not the default. lean: as in
    `hopscope.open`. Raises InputError."""
    with progress_bars() as progress:
        return hopscope.open(path, dataset=dataset, progress=progress, lean=lean)


@contextmanager
def progress_bars() -> Generator[Progress | None]:
    """Context that gives a function to draw progress as bars on stderr; None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield progress
