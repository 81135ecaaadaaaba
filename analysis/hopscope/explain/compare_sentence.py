"""Writes the sentences of `analyze compare`: one on the whole run, and one on each of its activities."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hopscope.format.quantities import alike, changes, duration, share

_NAMES: Final = {
    "compute": "computing",
    "p2p": "point-to-point messages",
    "mpi": "other MPI calls",
    "rma": "one-sided communication",
    "io": "files",
    "unrecorded": "unrecorded time",
    "overhead": "the collector's own time",
}
_ACTIVITY_LIMIT: Final = 2
"""The number of activities that the sentence on the run names, besides computing."""


@dataclass(frozen=True)
class Change:
    """The change of one activity. verdict: slower, faster, same or undecided. is_small: below the threshold."""

    activity: str
    base_ns: float
    new_ns: float
    verdict: str
    has_interval: bool
    is_small: bool

    @property
    def difference_ns(self) -> float:
        """The new time minus the base's time, in ns; below zero is faster."""
        return self.new_ns - self.base_ns

    @property
    def part(self) -> float | None:
        """The difference divided by the base's time; None if that time is 0."""
        return self.difference_ns / self.base_ns if self.base_ns else None

    @property
    def is_clear(self) -> bool:
        """Tell if the activity changed by more than the threshold. Without an interval, the measured change decides."""
        return self.verdict in ("slower", "faster") or (not self.has_interval and not self.is_small)

    @property
    def is_unchanged(self) -> bool:
        """Tell if the activity changed by less than the threshold. Without an interval, the measured change decides."""
        return self.verdict == "same" or (not self.has_interval and self.is_small)


def of_run(run: Change, activities: Sequence[Change], *, per_iteration: bool) -> str:
    """The sentence on the whole run. activities: their changes, the largest first."""
    mentions = [change for change in activities if change.is_clear][:_ACTIVITY_LIMIT]
    if not run.is_unchanged:
        mentions += [change for change in activities if change.activity == "compute" and change.is_unchanged]
    verdict = {"same": "unchanged", "undecided": "undecided"}.get(run.verdict)
    if verdict == "undecided" and not run.has_interval:
        verdict = "undecided, because there are too few iterations or runs"
    causes = ", ".join(_in_short(change) for change in mentions)
    result = "; ".join(text for text in (verdict, causes) if text)
    return f"{'Per iteration, ' if per_iteration else ''}{_times(run)}{f': {result}' if result else ''}."


def of_activity(change: Change) -> str:
    """The sentence on one activity of the run."""
    name = _name(change)
    verdict = {"same": ": unchanged", "undecided": ": undecided"}.get(change.verdict, "")
    return f"{name[0].upper()}{name[1:]}: {_times(change)}{verdict}."


def _name(change: Change) -> str:
    return _NAMES.get(change.activity, change.activity)


def _times(change: Change) -> str:
    base_time, new_time = alike("ns", change.base_ns, change.new_ns)
    return f"{base_time} became {new_time} ({changes(change.difference_ns, change.part)})"


def _in_short(change: Change) -> str:
    if change.is_unchanged:
        return f"{_name(change)} unchanged"
    if change.part is None:
        return f"{_name(change)} added ({duration(change.new_ns)})"
    if not change.new_ns:
        return f"{_name(change)} gone"
    return f"{_name(change)} {share(abs(change.part))} {'more' if change.part > 0 else 'less'}"
