"""Where the run's critical path goes, and how much of it lies between clusters."""

from collections.abc import Sequence
from typing import Final

from hopscope.findings.finding import WORTH_SAYING, Finding, Row, Run
from hopscope.quantities import duration, interval, number, share
from hopscope.words import ONCE

_GOES: Final = {
    "compute": "on computing, outside all MPI",
    "local": "on work of the ranks inside collectives: combining, copying, software",
    "shm": "on hops within a host",
    "lan": "on hops between hosts of one cluster",
    "wan": "on hops between clusters",
    "native": "on collectives that the MPI library ran, whose hops are not known",
    "p2p": "on the application's own messages and the waits for them",
    "mpi": "on other MPI, such as MPI_Init, communicators, or input and output",
    "unrecorded": "on time in which the program had stopped the recording",
    "startup": "on starting up, in MPI_Init and before the first collective or message",
    "shutdown": "on shutting down, after the last collective or message",
}
"""Ends the sentence `41 % of the critical path goes ...`, by category."""

_NAMES: Final = {
    "compute": "computing",
    "local": "work of the ranks inside collectives",
    "shm": "hops within a host",
    "lan": "hops between hosts of one cluster",
    "wan": "hops between clusters",
    "native": "collectives that the MPI library ran",
    "p2p": "the application's own messages",
    "mpi": "other MPI",
    "unrecorded": "time that is not recorded",
    **ONCE,
}
"""Names a category in an enumeration."""

_MORE: Final = {
    "compute": "iterations",
    "local": "collectives --order worst",
    "shm": "tree-edges",
    "lan": "tree-edges",
    "wan": "wan-share",
    "native": "collectives --order worst",
    "p2p": "messages",
}
"""The analysis that shows more of a category, where there are collectives; of messages it does so without. Of the other
categories, `_ELSE`."""

_ELSE: Final = "critical-path --by place"

_FEW: Final = 2.5
"""More crossings in a collective than this are more than once each way."""


def of_critical_path(rows: Sequence[Row], run: Run) -> Finding | None:
    """Say where most of the run's critical path goes. Rows as critical-path gives them by category."""
    known = sorted((row for row in rows if row["share"]), key=lambda row: -row["share"])
    if not known:
        return None
    first, rest = known[0], [row for row in known[1:] if row["share"] >= WORTH_SAYING]
    category = first["category"]
    evidence = f"{duration(first['time_ns'])} of {duration(sum(row['time_ns'] for row in known))}"
    if first.get("share_low") is not None and first.get("share_high") is not None:
        evidence += f", 95 % interval {interval(first['share_low'], first['share_high'])}"
    if rest:
        evidence += "; then " + ", ".join(f"{_NAMES[row['category']]} {share(row['share'])}" for row in rest)
    return Finding(
        category,
        "note",
        f"{share(first['share'])} of the critical path goes {_GOES[category]}.",
        f"{evidence}.",
        _MORE.get(category, _ELSE) if run.collectives or category == "p2p" else _ELSE,
        first["share"],
        "share",
        first["share"],
    )


def of_wan_share(rows: Sequence[Row], run: Run) -> Finding | None:
    """Say how much of the critical path lies between clusters. Rows as wan-share gives them."""
    path = next((row for row in rows if row["scope"] == "critical_path"), None)
    if run.clusters < 2 or not run.hops or path is None or path["share"] is None:
        return None
    instead = "; a tree that gathers each cluster first crosses once each way" if path["crossings"] > _FEW else ""
    return Finding(
        "share",
        "note",
        f"{share(path['share'])} of the run's critical path is spent on hops between clusters.",
        f"Per collective, it crosses between clusters {number(path['crossings'])} times{instead}.",
        "wan-share",
        path["share"],
        "share",
        path["share"],
    )


def without_collectives(run: Run) -> Finding:
    """Say that the trace, or the part of the run, has nothing of what most analyses are about."""
    where = "This part of the run" if run.whole_collectives else "This trace"
    return Finding(
        "none",
        "note",
        f"{where} has no collective operation of MPI, so there are no arrivals and no trees to speak of.",
        "The critical path and the program's own regions still say where its ranks' time went.",
        "critical-path --by rank",
    )
