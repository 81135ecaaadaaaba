"""What runs the parts of a run: for each a candidate, or what ran it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from hopscope.model.costs import HostPair
from hopscope.quantities import exact_size
from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.laid import Messages
from hopscope.remap.candidates.recorded import Recorded
from hopscope.remap.run.operations import has_bytes
from hopscope.remap.run.program import Subject

Piece = Candidate | Recorded
_ENDS = ("depth", "fan_out", "wan_crossings")


@dataclass(frozen=True)
class Combination:
    """A candidate, or what ran, for each part of a subject, in the place of a candidate for all of it."""

    of: tuple[Piece, ...]
    name: str

    def at(self, places: Sequence[int], pieces: Sequence[Piece]) -> Combination:
        """The same with others in these places."""
        other = dict(zip(places, pieces, strict=True))
        return replace(self, of=tuple(other.get(place, one) for place, one in enumerate(self.of)))

    def host_pairs(self, subject: Subject) -> set[HostPair]:
        """The pairs of hosts, from and to, between which messages go in some part."""
        return {pair for one, part in pieces_of(self, subject) for pair in one.host_pairs(part)}

    def messages(self, subject: Subject) -> list[Messages]:
        """Of each kind of call of each part."""
        return [sent for one, part in pieces_of(self, subject) for sent in one.messages(part)]

    def structure(self, subject: Subject) -> dict[str, int | None]:
        """The most of any part, and the WAN messages of one collective of each."""
        of = [one.structure(part) for one, part in pieces_of(self, subject)]
        most = {name: max((each[name] or 0 for each in of), default=0) or None for name in _ENDS}
        return {
            "depth": most["depth"],
            "fan_out": most["fan_out"],
            "wan_crossings": most["wan_crossings"] or 0,
            "wan_messages": sum(each["wan_messages"] or 0 for each in of),
        }


Runs = Piece | Combination
"""What a run, or a part of it, goes by."""


def each_piece(runs: Runs) -> tuple[Piece, ...]:
    """What runs each part."""
    return runs.of if isinstance(runs, Combination) else (runs,)


def pieces_of(runs: Runs, subject: Subject) -> Iterator[tuple[Piece, Subject]]:
    """What runs each part, with that part."""
    yield from zip(runs.of, subject.each, strict=True) if isinstance(runs, Combination) else [(runs, subject)]


def identity(runs: Runs) -> Hashable:
    """Equal for the same objects in the same places."""
    return tuple(map(id, runs.of)) if isinstance(runs, Combination) else id(runs)


def labels_of(subject: Subject) -> list[str]:
    """What each part is called: its operation, its bytes and, where there are several, its communicator."""
    several = len({part.members for part in subject.parts}) > 1
    return [label_of([part]) + (f" on communicator {part.comm}" if several else "") for part in subject.parts]


def label_of(parts: Sequence[Subject]) -> str:
    """What parts of one operation are called: that and their bytes."""
    ends = bytes_of(parts)
    if ends is None:
        return parts[0].op
    return f"{parts[0].op} of {exact_size(ends[0])}" + (f" to {exact_size(ends[1])}" if ends[1] > ends[0] else "")


def bytes_of(parts: Sequence[Subject]) -> tuple[int, int] | None:
    """The least and the most bytes of their calls; None where rules go by none."""
    sizes = [call.size for part in parts if has_bytes(part.op) for call in part.calls]
    return (min(sizes), max(sizes)) if sizes else None
