"""Archives drawn by hand: a few lines of a test describe the events of each rank, and the OTF2 library writes them.

Events may be given in any order; they are sorted by time, and events of one time remain in the given order. Drawings
follow schemas/otf2.md, so that these archives look like the collector's own.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _otf2
import otf2
from otf2 import events
from otf2.definition_writer import DefinitionWriter
from otf2.enums import (
    CollectiveOp,
    CommFlag,
    GroupType,
    LocationGroupType,
    LocationType,
    Paradigm,
    RegionRole,
    Type,
)

UP, DOWN, EXCHANGE = 0, 1, 2

_OPERATIONS = {
    "MPI_Barrier": CollectiveOp.BARRIER,
    "MPI_Bcast": CollectiveOp.BCAST,
    "MPI_Reduce": CollectiveOp.REDUCE,
    "MPI_Allreduce": CollectiveOp.ALLREDUCE,
    "MPI_Iallreduce": CollectiveOp.ALLREDUCE,
    "MPI_Allreduce_init": CollectiveOp.ALLREDUCE,
    "MPI_Ibarrier": CollectiveOp.BARRIER,
    "MPI_Gather": CollectiveOp.GATHER,
    "MPI_Scatterv": CollectiveOp.SCATTERV,
    "MPI_Scan": CollectiveOp.SCAN,
    "MPI_Exscan": CollectiveOp.EXSCAN,
    "MPI_Neighbor_alltoall": CollectiveOp.ALLTOALL,
    "MPI_Comm_split": CollectiveOp.CREATE_HANDLE,
    "MPI_Comm_create_group": CollectiveOp.CREATE_HANDLE,
    "MPI_Comm_free": CollectiveOp.DESTROY_HANDLE,
}
_MEASUREMENT = ("hop wait", "combine", "copy", "collector overhead")


def hop_tag(role: int, seq: int, *, round: int = 0, segment: int = 0) -> int:
    """The tag of a hop, packed as in schemas/otf2.md."""
    return role | round << 2 | (segment & 0xFF) << 8 | (seq & 0xFFFF) << 16


@dataclass
class Place:
    """The placement of a rank, with its load."""

    host: str
    cluster: str = "site"
    clock_host: str | None = None
    complete: str | None = "yes"
    pid: int = 100
    core: int = 0
    cores: str | None = None
    busy_threads: int | None = None
    cpu_ns: int | None = None
    queued_ns: int | None = None
    computing_ns: int | None = None
    computing_on_core_ns: int | None = None
    computing_queued_ns: int | None = None
    computing_cpu_ns: int | None = None


@dataclass
class Drawing:
    """An archive in the making."""

    path: Path
    places: list[Place]
    by_hopscope: bool = True
    archive_name: str = "traces"
    ticks_per_second: int = 1_000_000_000
    rank_names: str = "MPI Rank {}"
    properties: dict[str, str] = field(default_factory=dict)
    requests_tell_waits: bool = False
    """Format 2: the request of a hop's end contains a bit for a completion that ended a wait."""
    miscounts: dict[Any, int] = field(default_factory=dict)
    """The number of events by which the archive's declared count exceeds those in the file, by location."""
    with_processes: bool = True
    """True if the threads belong to location groups."""

    def __post_init__(self) -> None:
        self._writer: Any = otf2.writer.Writer(
            str(self.path), archive_name=self.archive_name, timer_resolution=self.ticks_per_second
        )
        self._events: dict[Any, list[Any]] = {}
        self._offsets: dict[Any, list[tuple[int, int, float]]] = {}
        self._regions: dict[tuple[str, str], Any] = {}
        self._remote_groups: dict[int, int] = {}
        d = self.definitions = self._writer.definitions
        machine = d.system_tree_node("machine", class_name="machine")
        clusters: dict[str, Any] = {}
        hosts: dict[tuple[str, str], Any] = {}
        self.groups: list[Any] = []
        self.main: list[Any] = []
        for rank, place in enumerate(self.places):
            if place.cluster not in clusters:
                clusters[place.cluster] = d.system_tree_node(place.cluster, class_name="cluster", parent=machine)
            key = (place.cluster, place.host)
            if key not in hosts:
                hosts[key] = d.system_tree_node(place.host, class_name="node", parent=clusters[place.cluster])
            group = None
            if self.with_processes:
                group = d.location_group(
                    self.rank_names.format(rank),
                    location_group_type=LocationGroupType.PROCESS,
                    system_tree_parent=hosts[key],
                )
            self.groups.append(group)
            self.main.append(self.thread(rank, "main" if self.with_processes else f"main {rank}"))
            if self.by_hopscope:
                self._describe(group, place)
        d.group("everyone", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=tuple(self.main))
        self.world = self.comm("MPI_COMM_WORLD", range(len(self.places)))
        if self.by_hopscope:
            self.properties = {"HOPSCOPE::VERSION": "1", **self.properties}
        if self.requests_tell_waits:
            self.properties["HOPSCOPE::FORMAT"] = "2"

    def _describe(self, group: Any, place: Place) -> None:
        d = self.definitions
        properties = {
            "HOPSCOPE::PID": str(place.pid),
            "HOPSCOPE::CORE": str(place.core),
            "HOPSCOPE::CLOCK_HOST": place.clock_host or place.host,
        }
        names = [name for name in vars(place) if name.startswith("computing_")]
        for name in ("cores", "busy_threads", "cpu_ns", "queued_ns", *names):
            if (value := getattr(place, name)) is not None:
                properties[f"HOPSCOPE::{name.upper()}"] = str(value)
        if place.complete is not None:
            properties["HOPSCOPE::COMPLETE"] = place.complete
        for name, value in properties.items():
            d.location_group_property(group, name, Type.STRING, value)

    def thread(self, rank: int, name: str) -> Any:
        """Adds a location to a rank."""
        location = self.definitions.location(name, type=LocationType.CPU_THREAD, group=self.groups[rank])
        self._events[location] = []
        self._offsets[location] = []
        return location

    def comm(self, name: str, ranks: Any, parent: Any = None) -> Any:
        """A communicator with these world ranks, in this order."""
        group = self.definitions.group(
            f"group of {name} {len(list(self.definitions.comms))}",
            group_type=GroupType.COMM_GROUP,
            paradigm=Paradigm.MPI,
            members=tuple(self.main[rank] for rank in ranks),
        )
        return self.definitions.comm(name, group=group, parent=parent, flags=CommFlag.NONE)

    def inter_comm(self, name: str, first: Any, second: Any) -> Any:
        """An intercommunicator between two groups of world ranks."""
        groups = [
            self.definitions.group(
                f"side {side} of {name}",
                group_type=GroupType.COMM_GROUP,
                paradigm=Paradigm.MPI,
                members=tuple(self.main[rank] for rank in ranks),
            )
            for side, ranks in enumerate((first, second))
        ]
        comm = self.definitions.comm(name, group=groups[0], parent=self.world, flags=CommFlag.NONE)
        self._remote_groups[comm._ref] = groups[1]._ref
        return comm

    def comm_self(self, name: str = "MPI_COMM_SELF") -> Any:
        """The communicator of each rank with itself."""
        group = self.definitions.group("self", group_type=GroupType.COMM_SELF, paradigm=Paradigm.MPI, members=())
        return self.definitions.comm(name, group=group, parent=None, flags=CommFlag.NONE)

    def shadow(self, comm: Any, tree: str) -> Any:
        """The communicator of the hops of `comm` on a tree."""
        return self.definitions.comm(f"hops:{tree}", group=comm.group, parent=comm, flags=CommFlag.NONE)

    def native(self, comm: Any) -> Any:
        """The communicator of the MPI library's own messages inside collectives on `comm`."""
        return self.definitions.comm("native:Open MPI", group=comm.group, parent=comm, flags=CommFlag.NONE)

    def nonblocking(
        self,
        rank: int,
        start: tuple[int, int],
        wait: tuple[int, int],
        name: str,
        *,
        request: int,
        comm: Any = None,
        seq: int | None = None,
        call: str = "MPI_Wait",
        payload: int = 8,
    ) -> None:
        """Adds a nonblocking collective: the call that starts it and the call that completes it, each as (enter,
        leave).

        MPI_Start starts a persistent collective (MPI_..._init), which needs a seq.
        """
        comm = comm or self.world
        attributes: dict[Any, Any] = {self.attribute("hopscope::comm", Type.UINT32): comm._ref}
        if seq is not None:
            attributes[self.attribute("hopscope::seq", Type.INT64)] = seq
        persistent = name.endswith("_init")
        if persistent:
            attributes[self.attribute("hopscope::function", Type.REGION)] = self.region(name)
        region = self.region("MPI_Start" if persistent else name)
        self.add(rank, events.Enter(start[0], region))
        self.add(rank, events.NonBlockingCollectiveRequest(start[0], request, attributes=attributes))
        self.add_last(rank, events.Leave(start[1], region))
        self.add(rank, events.Enter(wait[0], self.region(call)))
        root, operation = _root(None), _OPERATIONS[name]
        self.add_last(
            rank, events.NonBlockingCollectiveComplete(wait[1], operation, comm, root, payload, payload, request)
        )
        self.add_last(rank, events.Leave(wait[1], self.region(call)))

    def region(self, name: str, call_site: str = "", line: int = 0) -> Any:
        """The region with a name. The name decides if the region is MPI's, the collector's or the program's."""
        key = (name, f"{call_site}:{line}")
        if key not in self._regions:
            paradigm = Paradigm.USER
            if name.startswith("MPI_"):
                paradigm = Paradigm.MPI
            elif name in _MEASUREMENT:
                paradigm = Paradigm.MEASUREMENT_SYSTEM
            self._regions[key] = self.definitions.region(
                name,
                canonical_name=name,
                region_role=RegionRole.FUNCTION,
                paradigm=paradigm,
                source_file=call_site,
                begin_line_number=line,
            )
        return self._regions[key]

    def attribute(self, name: str, type_: Any) -> Any:
        """An attribute definition."""
        return self.definitions.attribute(name, description="", type=type_)

    def clock_offset(self, rank: int, raw_time: int, offset: int, error: float = 0.0) -> None:
        """Adds a clock offset, which corrects a rank's clock at one of its raw times."""
        self._offsets[self.main[rank]].append((raw_time, offset, error))

    def add(self, thread: Any, event: Any) -> None:
        """Adds an event of a rank's first thread, or of the given thread."""
        self._events[self.main[thread] if isinstance(thread, int) else thread].append(event)

    def span(self, thread: Any, begin: int, end: int | None, name: str, call_site: str = "") -> None:
        """Adds a region from begin to end. Without an end the trace stops inside it."""
        region = self.region(name, call_site)
        self.add(thread, events.Enter(begin, region))
        if end is not None:
            self.add(thread, events.Leave(end, region))

    def collective(
        self,
        thread: Any,
        enter: int,
        leave: int | None,
        name: str,
        *,
        comm: Any = None,
        root: int | None = None,
        sent: int = 8,
        received: int = 8,
        engine: str | None = None,
        algorithm: str | None = None,
        seq: int | None = None,
        names_comm: bool = False,
        call_site: str = "",
    ) -> None:
        """Adds a call of a collective. Events inside it are added separately, with times in between."""
        comm = comm or self.world
        region = self.region(name, call_site)
        first: dict[Any, Any] = {}
        if seq is not None:
            first[self.attribute("hopscope::seq", Type.INT64)] = seq
        if names_comm:
            first[self.attribute("hopscope::comm", Type.UINT32)] = comm._ref
        self.add(thread, events.Enter(enter, region, attributes=first or None))
        self.add(thread, events.MpiCollectiveBegin(enter))
        if leave is None:
            return
        choices = {"engine": engine, "algorithm": algorithm}
        last = {self.attribute(f"hopscope::{word}", Type.STRING): text for word, text in choices.items() if text}
        self.add_last(thread, events.MpiCollectiveEnd(leave, _OPERATIONS[name], comm, _root(root), sent, received))
        self.add_last(thread, events.Leave(leave, region, attributes=last or None))

    def add_last(self, thread: Any, event: Any) -> None:
        """Adds an event that comes last among those of its time."""
        event.comes_last = True
        self.add(thread, event)

    def request(self, number: int, *, waited: bool = False) -> int:
        """The id of a request. waited: its completion ended a wait."""
        return number << 1 | waited if self.requests_tell_waits else number

    def hop(
        self,
        shadow: Any,
        src: int,
        dst: int,
        tag: int,
        *,
        send: tuple[int, int],
        receive: tuple[int, int],
        bytes: int = 8,
        request: int,
        send_wait: int | None = None,
        receive_wait: int | None = None,
        ends: str = "both",
    ) -> None:
        """Adds a hop. send: (begin, end). receive: (post, end). send_wait, receive_wait: the time at which the rank
        began to wait for the end."""
        number = request
        if ends in ("both", "send"):
            request = self.request(number, waited=send_wait is not None)
            self.add(src, events.MpiIsend(send[0], dst, shadow, tag, bytes, request))
            if send_wait is not None:
                self.add(src, events.Enter(send_wait, self.region("hop wait")))
            self.add(src, events.MpiIsendComplete(send[1], request))
            if send_wait is not None:
                self.add(src, events.Leave(send[1], self.region("hop wait")))
        if ends in ("both", "receive"):
            request = self.request(number, waited=receive_wait is not None)
            self.add(dst, events.MpiIrecvRequest(receive[0], request))
            if receive_wait is not None:
                self.add(dst, events.Enter(receive_wait, self.region("hop wait")))
            self.add(dst, events.MpiIrecv(receive[1], src, shadow, tag, bytes, request))
            if receive_wait is not None:
                self.add(dst, events.Leave(receive[1], self.region("hop wait")))

    def write(self) -> Path:
        """Writes the archive and returns the anchor."""
        for location, its_events in self._events.items():
            writer = self._writer.event_writer_from_location(location)
            for raw_time, offset, error in self._offsets[location]:
                _otf2.DefWriter_WriteClockOffset(writer._def_handle, raw_time, offset, error)
            for event in sorted(its_events, key=lambda e: (e.time, getattr(e, "comes_last", False))):
                writer.write(event)
            location._number_of_events_written += self.miscounts.get(location, 0)
        for name, value in self.properties.items():
            _otf2.Archive_SetProperty(self._writer.handle, name, value, True)
        self._writer.creator = "a drawing"
        ordinary = DefinitionWriter.write_comm
        DefinitionWriter.write_comm = self._write_comm
        try:
            self._writer.close()
        finally:
            DefinitionWriter.write_comm = ordinary
        return self.path / f"{self.archive_name}.otf2"

    @property
    def _write_comm(self) -> Any:
        """Writes intercommunicators without the otf2 package, which can read them but counts their fields wrongly when
        it writes."""

        def write(writer: Any, ref: int, name: int, group: int, *rest: Any) -> None:
            if ref in self._remote_groups:
                remote = self._remote_groups[ref]
                _otf2.GlobalDefWriter_WriteInterComm(writer._handle, ref, name, group, remote, *rest)
            else:
                _otf2.GlobalDefWriter_WriteComm(writer._handle, ref, name, group, *rest)

        return write


def _root(root: int | None) -> Any:
    return otf2.enums.CollectiveRoot.NONE if root is None else root
