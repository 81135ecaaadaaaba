"""Converts an OTF2 archive to a dataset: the only place that reads OTF2.

`source` finds the archive. `conversion` runs the native reader and completes its tables. `dataset` writes them so that
no program ever reads a half-made or outdated dataset. `contract` checks them against `schemas/tables`.
"""

from hopscope.dataset.convert.dataset import ensure_dataset

__all__ = ["ensure_dataset"]
