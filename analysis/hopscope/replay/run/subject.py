"""The subject of a replay: the collectives of a recorded run whose algorithm changes, with the tables of the run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, arrays_of, integers
from hopscope.errors import InputError
from hopscope.replay.run.calls import Call, Kinds, kinds_of
from hopscope.replay.run.operations import OPERATIONS
from hopscope.replay.run.places import Places, places_of

TABLES = ("collectives", "calls", "hops", "messages", "intervals", "comms", "ranks", "steps", "kinds", "run")


class NothingToFitError(InputError):
    """The error if no collective has hops to replay. lack: a sentence on what the trace lacks, without the remedy."""

    def __init__(self, untold: Mapping[str, str]) -> None:
        self.lack = (
            f"the trace has no complete {', '.join(OPERATIONS[:-1])} or {OPERATIONS[-1]} with all its hops, so there "
            "is nothing to fit a model to"
        )
        reasons = "".join(f". {op} is left out: {reason}" for op, reason in sorted(untold.items()))
        super().__init__(
            f"{self.lack}; run the program again with `hopscope run --tree binomial -- ...` and remap that "
            f"trace{reasons}"
        )


@dataclass(frozen=True)
class Subject:
    """The subject: the collectives of one communicator and operation, which Hopscope's engine ran or, if the engine ran
    none in the trace, the MPI library. By default, it is the pair of communicator and operation with the most time
    among those that ran at least twice."""

    comm: int
    op: str
    members: tuple[int, ...]  # trace-wide ranks in the communicator's order
    collectives: Array  # rows of the pair's complete collectives
    simulated: Array  # rows of all collectives whose algorithm a candidate changes
    hosts: tuple[int, ...]  # host of each member
    clusters: tuple[int, ...]
    native: bool  # True if the MPI library's own algorithm ran it
    calls: tuple[Call, ...]  # kinds of calls among the simulated collectives
    call_of: Array  # index of each simulated collective's kind in `calls`
    untold: tuple[tuple[str, str], ...] = ()  # operations with calls that are left out, and the reasons
    # Selections with their own algorithms, which are evaluated together. If there are any, the fields collectives,
    # simulated and untold describe the whole subject, and the other fields the first part.
    parts: tuple[Subject, ...] = ()

    @property
    def selections(self) -> tuple[Subject, ...]:
        """The subject's parts, or the subject itself if it has none."""
        return self.parts or (self,)


Tables = dict[str, pa.Table]


@dataclass(frozen=True)
class Source:
    """A run for remapping: its tables, their columns as arrays (named as in columns.h), the places of its ranks, and
    the subject."""

    tables: Tables
    arrays: dict[str, Array]
    places: Places
    subject: Subject


def source_of(table: Callable[[str], pa.Table], pair: tuple[int, str] | None = None) -> Source:
    """Reads a trace. table: returns a table of the trace by name. pair: the communicator and operation of the subject;
    None: the pair with the most time among those that ran at least twice. Raises InputError if no collective has hops
    to replay."""
    tables = tables_of(table)
    arrays = arrays_of(tables)
    places = places_of(tables["ranks"])
    return Source(tables, arrays, places, subject_of(tables, arrays, places, pair))


def tables_of(table: Callable[[str], pa.Table]) -> Tables:
    """Every table that remapping reads, each column in one chunk."""
    return {name: table(name).combine_chunks() for name in TABLES}


def subject_of(
    tables: Tables, arrays: dict[str, Array], places: Places, pair: tuple[int, str] | None = None
) -> Subject:
    """Selects the subject. Prefers operations that ran at least twice, because an iteration lasts from one call to the
    next.

    Raises InputError if no collective has hops to replay."""
    collectives = tables["collectives"]
    carried, native = carried_of(tables, arrays, pair)
    comm, ops, time = integers(collectives, "comm"), operations_of(collectives), spent_ns(collectives)
    spent: dict[tuple[int, str], int] = {}
    for row in np.flatnonzero(carried):
        key = (int(comm[row]), str(ops[row]))
        spent[key] = spent.get(key, 0) + int(time[row])
    untold: dict[str, str] = {}
    single_call: Subject | None = None
    for comm_number, op in sorted(sorted(spent), key=lambda key: spent[key], reverse=True):
        # A tree file covers all operations, so a subject of the engine includes all of the communicator's operations.
        # Algorithms of the MPI library are evaluated for one operation at a time.
        simulated = np.flatnonzero(carried & (comm == comm_number) & ((ops == op) | (not native)))
        kinds = kinds_of(tables, arrays, simulated, members_of(tables, comm_number))
        untold |= kinds.untold
        times = sum(call is not None and call.op == op for call in kinds.calls)
        if times > 1 or (times and single_call is None):
            subject = subject_from(tables, places, (comm_number, op), simulated, kinds, native=native, untold=untold)
            if times > 1:
                return subject
            single_call = subject
    if single_call is None:
        raise NothingToFitError(untold)
    return single_call


def carried_of(tables: Tables, arrays: dict[str, Array], pair: tuple[int, str] | None = None) -> tuple[Array, bool]:
    """Mask of the collectives that can be replayed with another algorithm, and True if the MPI library ran them. If the
    engine ran any such collectives, the mask has only these; otherwise it has the library's. pair: only collectives of
    this communicator and operation; None: all."""
    collectives = tables["collectives"]
    count = len(collectives)
    calls_by_tree = np.bincount(arrays["calls.collective"], weights=arrays["calls.by_tree"], minlength=count)
    comm, size, ops = integers(collectives, "comm"), integers(collectives, "comm_size"), operations_of(collectives)
    whole = np.asarray(collectives["complete"].to_pylist(), bool) if count else np.zeros(0, bool)
    whole &= np.isin(ops, OPERATIONS) if pair is None else (comm == pair[0]) & (ops == pair[1])
    hops_of_engine, hops_of_library = (
        np.bincount(arrays["hops.collective"][arrays["hops.from_engine"] == engine], minlength=count) > 0
        for engine in (1, 0)
    )
    carried = whole & hops_of_engine & (calls_by_tree == size)
    if carried.any():
        return carried, False
    # The replay needs the times of all messages at both ends. It need not know which rank waited ("undecided").
    has_all_messages = pc.is_in(collectives["native_reason"], pa.array([None, "undecided"])).to_numpy()
    comms = tables["comms"]
    between_groups = np.isin(comm, integers(comms.filter(pc.is_valid(comms["second_group"])), "comm"))
    return whole & hops_of_library & (calls_by_tree == 0) & has_all_messages & ~between_groups, True


def spent_ns(collectives: pa.Table) -> Array:
    """Time of each collective from its last enter to its last leave, ns."""
    return np.maximum(0, integers(collectives, "last_leave_ns") - integers(collectives, "last_enter_ns"))


def operations_of(collectives: pa.Table) -> Array:
    """The operation of each collective."""
    return np.asarray(collectives["op"].to_pylist(), object)


def algorithms_of(tables: Tables, subject: Subject) -> list[str | None]:
    """The recognised algorithm of each of the subject's collectives (`simulated`); None where it is unknown."""
    kinds = tables["kinds"]
    names = dict(zip(kinds["kind"].to_pylist(), kinds["algorithm"].to_pylist(), strict=True))
    return [names.get(kind) for kind in tables["collectives"]["kind"].take(pa.array(subject.simulated)).to_pylist()]


def members_of(tables: Tables, comm: int) -> tuple[int, ...]:
    """The trace-wide ranks of a communicator, in its order."""
    return tuple(tables["comms"]["members"][tables["comms"]["comm"].to_pylist().index(comm)].as_py())


def subject_from(
    tables: Tables,
    places: Places,
    pair: tuple[int, str],
    rows: Array,
    kinds: Kinds,
    *,
    native: bool,
    untold: Mapping[str, str],
) -> Subject:
    """Makes the subject of these collectives, which ran on the members of one communicator. pair: this communicator and
    the operation that begins an iteration. kinds: the kind of call of each collective. A collective without a known
    kind is replayed as observed."""
    members = members_of(tables, pair[0])
    row_calls = [(row, call) for row, call in zip(rows.tolist(), kinds.calls, strict=True) if call]
    calls = tuple(sorted({call for _, call in row_calls}))
    number = {call: place for place, call in enumerate(calls)}
    hosts = tuple(places.host_of_rank[rank] for rank in members)
    return Subject(
        *pair,
        members,
        np.asarray([row for row, call in row_calls if call.op == pair[1]], np.int64),
        np.asarray([row for row, _ in row_calls], np.int64),
        hosts,
        tuple(places.cluster_of_host[host] for host in hosts),
        native,
        calls,
        np.asarray([number[call] for _, call in row_calls], np.int32),
        tuple(sorted(untold.items())),
    )
