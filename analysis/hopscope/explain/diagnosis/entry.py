"""An entry of the diagnosis: one cause, its cost, its ranks and its call sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from hopscope.explain.diagnosis.core_use import CoreUse

Kind = Literal[
    "unfinished",
    "imbalance",
    "serial-section",
    "rotating-delay",
    "noise",
    "late-sender",
    "late-receiver",
    "wrong-order",
    "no-overlap",
    "crossings",
    "algorithm",
    "placement",
    "slow-link",
    "slow-host",
    "latency-bound",
    "bandwidth-bound",
    "io",
    "other-mpi",
    "oversubscribed",
    "external-load",
    "tracing",
    "start-up",
    "balanced",
]
"""The header of diagnose.sql explains each kind."""

Severity = Literal["PROBLEM", "NOTE", "OK"]

PROBLEM: Final = 0.05
"""A cost is a problem if the lower end of its interval is at least this share of the run."""
NOTE: Final = 0.02
"""A cost is worth a note if it is at least this share of the run."""

NAMED_SHARE: Final = 0.2
"""A rank is named if its excess is at least this share of the costliest rank's."""

CONDITIONS: Final = ("oversubscribed", "external-load", "tracing", "start-up")
"""Kinds of conditions: they qualify the other numbers, and are never a problem by themselves."""


UNMEASURED: Final = ("algorithm", "placement")
"""Kinds whose cost is only predicted. They are never more than a note, because no run has measured them."""


@dataclass(frozen=True)
class Facts:
    """Facts of the run: the row of diagnose.sql. begin_ns and end_ns are None without communication."""

    begin_ns: int | None
    end_ns: int | None
    duration_ns: int
    ranks: int

    @property
    def startup_ns(self) -> int:
        """Time before the run; 0 without communication."""
        return self.begin_ns or 0

    @property
    def run_ns(self) -> int:
        """Time between the first and last communication; 0 if there is none."""
        return 0 if self.begin_ns is None or self.end_ns is None else self.end_ns - self.begin_ns


@dataclass(frozen=True)
class Cost:
    """Time that the run would save without a cause, in ns, with its 95 % interval."""

    ns: int
    low_ns: int
    high_ns: int


@dataclass(frozen=True)
class Site:
    """A call of MPI in the program: its function, and where it is called from (calls.call_site), None if unknown."""

    function: str
    call_site: str | None


@dataclass(frozen=True)
class Entry:
    """One cause.

    ranks: the ranks that cause it, the costliest first. iterations: the first and the last that show it, and their
    number. own_ns, others_ns: the typical computing of a rank that causes it, and of the other ranks. even_ns: the
    saving if the same work were spread evenly. computing_share: the share of time in which ranks compute. count:
    a number of messages, calls or crossings, by the kind. hosts: the slow host, the two hosts or clusters of a slow
    link, or the hosts between which ranks would move. times: how many times longer a message takes than on other links.
    algorithms: the recorded one and a better one. core_use: what the ranks did while they computed longer. functions:
    those in which they did, each called by the one before. text: the sentence of a limit, for entries that have no
    cost.
    """

    kind: Kind
    cost: Cost | None = None
    ranks: tuple[int, ...] = ()
    sites: tuple[Site, ...] = ()
    iterations: tuple[int, int, int] | None = None
    own_ns: float | None = None
    others_ns: float | None = None
    even_ns: float | None = None
    computing_share: float | None = None
    count: int = 0
    hosts: tuple[str, ...] = ()
    times: float | None = None
    algorithms: tuple[str, str] | None = None
    core_use: CoreUse | None = None
    functions: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_condition(self) -> bool:
        """Tell if the entry is a condition, which qualifies the other entries."""
        return self.kind in CONDITIONS


def severity(entry: Entry, run_ns: int) -> Severity:
    """The severity of an entry. run_ns: the length of the run, with which its cost is compared."""
    if entry.kind == "unfinished":
        return "PROBLEM"
    if entry.is_condition:
        return "NOTE"
    if entry.cost is None:
        return "OK"
    if entry.cost.low_ns >= PROBLEM * run_ns and entry.kind not in UNMEASURED:
        return "PROBLEM"
    return "NOTE" if entry.cost.ns >= NOTE * run_ns else "OK"
