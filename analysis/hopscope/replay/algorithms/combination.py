"""Combinations of algorithms: for each selection of a run, another algorithm or the baseline's."""

from __future__ import annotations

from collections.abc import Sequence

from hopscope.format.quantities import exact_size
from hopscope.replay.algorithms.algorithm import Algorithm
from hopscope.replay.algorithms.recorded import Recorded
from hopscope.replay.candidate import Structure
from hopscope.replay.run.operations import has_bytes
from hopscope.replay.run.subject import Subject

Piece = Algorithm | Recorded
Runs = tuple[Piece, ...]
"""One algorithm (Algorithm) or recording of the baseline (Recorded) for each selection of a subject."""


def replaced(runs: Runs, places: Sequence[int], pieces: Sequence[Piece]) -> Runs:
    """A copy of `runs` in which the selections with the numbers `places` have these pieces."""
    replacements = dict(zip(places, pieces, strict=True))
    return tuple(replacements.get(place, piece) for place, piece in enumerate(runs))


def structure_of(runs: Runs, parts: Sequence[Subject]) -> Structure:
    """The structure of several selections together: the maxima of the chains' lengths, and the sum of the WAN messages
    of one collective of each selection."""
    structures = [piece.structure(part) for piece, part in zip(runs, parts, strict=True)]
    depths = [structure.depth for structure in structures if structure.depth is not None]
    crossings = [structure.wan_crossings for structure in structures if structure.wan_crossings is not None]
    wan_messages = sum(structure.wan_messages for structure in structures)
    return Structure(max(depths, default=None), max(crossings, default=None), wan_messages)


def label_of(parts: Sequence[Subject], selections: Sequence[Subject]) -> str:
    """A label for selections of one operation: the operation, their bytes and, if needed to distinguish them, the
    communicator or its size. selections: all selections of the run."""
    ends, label = bytes_of(parts), parts[0].op
    if ends is not None:
        label += f" of {exact_size(ends[0])}" + (f" to {exact_size(ends[1])}" if ends[1] > ends[0] else "")
    if len({part.members for part in parts}) > 1:
        sizes_differ = len({len(part.members) for part in selections}) > 1
        return label + (f" on {len(parts[0].members)} ranks" if sizes_differ else "")
    return label + (f" on communicator {parts[0].comm}" if len({part.members for part in selections}) > 1 else "")


def bytes_of(parts: Sequence[Subject]) -> tuple[int, int] | None:
    """The least and the most bytes of these selections' calls; None if tree files' rules for their operations do not
    use bytes."""
    sizes = [call.size for part in parts if has_bytes(part.op) for call in part.calls]
    return (min(sizes), max(sizes)) if sizes else None
