"""The option `--beside` of analyses: adds another tool's archive to the trace's dataset, or removes it."""

from __future__ import annotations

from pathlib import Path

from hopscope.cli.progress import progress_bars
from hopscope.cli.saying import say
from hopscope.dataset.beside.addition import add, remove
from hopscope.dataset.convert import ensure_dataset
from hopscope.errors import InputError

REMOVAL = "none"
"""The word in the place of an archive that removes the one that was added."""


def change(trace: str, dataset: Path | None, archive: str) -> None:
    """Add the archive to the trace's dataset or, if it is `none`, remove the one before. Raises InputError."""
    with progress_bars() as progress:
        place = ensure_dataset(_existing(trace), dataset=dataset, progress=progress)
        if archive == REMOVAL:
            remove(place)
            return
        addition = add(place, _existing(archive), progress)
    say(f"note: {addition}")


def _existing(path: str) -> Path:
    if not Path(path).exists():
        raise InputError(f"no such trace: {path}; give a trace directory, an OTF2 archive or a dataset")
    return Path(path)
