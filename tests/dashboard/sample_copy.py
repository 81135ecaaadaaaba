"""A copy of a sample trace: a dataset is made beside a trace, and the sample's own folder must not change."""

import shutil
from pathlib import Path

import hopscope

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def open_copy(name: str, folder: Path) -> hopscope.Trace:
    """The sample with a name such as `demo/trace`, copied into a folder."""
    copy = folder / Path(name).name
    shutil.copytree(SAMPLES / name, copy, ignore=shutil.ignore_patterns("dataset"))
    return hopscope.open(copy)
