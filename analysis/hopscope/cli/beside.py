"""The option `--beside` of analyses: adds another tool's archive to the trace's dataset, or removes it."""

from __future__ import annotations

from pathlib import Path

from hopscope.cli.progress import progress_bars
from hopscope.cli.saying import say
from hopscope.dataset.beside.addition import add, remove
from hopscope.dataset.convert import ensure_dataset
from hopscope.dataset.manifest import existing

REMOVAL = "none"
"""The word in the place of an archive that removes the one that was added."""


def change(trace: str, dataset: Path | None, archive: str) -> None:
    """Add the archive to the trace's dataset or, if it is `none`, remove the one before. Raises InputError."""
    with progress_bars() as progress:
        place = ensure_dataset(existing(trace), dataset=dataset, progress=progress)
        if archive == REMOVAL:
            remove(place)
            return
        addition = add(place, existing(archive), progress)
    say(f"note: {addition}")
