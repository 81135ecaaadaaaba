"""Rules that other readers of OTF2 (Vampir, Scalasca, Pipit) have for events. They are checked in one pass over the
events, in the order of time.

A rank that did not reach MPI_Finalize may leave regions, requests and messages open, and a gap in the recording may
hide events. Then only the rules that still hold are checked.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from otf2 import events
from otf2.enums import CollectiveRoot, GroupType
from violations import Violations

_SPECIAL_ROOTS = {root.value for root in (CollectiveRoot.NONE, CollectiveRoot.SELF, CollectiveRoot.THIS_GROUP)}


@dataclass
class _Thread:
    """The state of one location."""

    name: str
    process: int
    regions: list[int] = field(default_factory=list)
    """References of the open regions, the outermost first."""
    open_collectives: int = 0
    event_count: int = 0
    last_time: int = 0


class EventRules:
    """The state of an archive's locations and communicators, and what is wrong so far."""

    def __init__(self, definitions: Any, violations: Violations) -> None:
        self._violations = violations
        clock = definitions.clock_properties
        self._first_time, self._last_time = clock.global_offset, clock.global_offset + clock.trace_length
        self._declared = {location._ref: location.number_of_events for location in definitions.locations}
        self._threads = {
            location._ref: _Thread(f"{location.group.name}, {location.name}", location.group._ref)
            for location in definitions.locations
        }
        self._finished = {location.group._ref for location in definitions.locations} - {
            entry.location_group._ref
            for entry in definitions.location_group_properties
            if entry.name == "HOPSCOPE::COMPLETE" and entry.value != "yes"
        }
        self._idle = {region._ref for region in definitions.regions if region.name == "no thread"}
        self._has_gaps = False
        self._open_files = {state.io_handle._ref for state in definitions.io_pre_created_handle_states}
        self._ranks = {comm._ref: _ranks_of(comm) for comm in definitions.comms}
        self._sizes = {comm._ref: _sizes_of(comm) for comm in definitions.comms}
        self._names = {comm._ref: f"{comm.name} ({comm._ref})" for comm in definitions.comms}
        self._messages: dict[tuple[int, int, int, int], list[list[int]]] = {}
        self._collectives: dict[int, dict[int, list[Any]]] = {}
        self._requests: Counter[tuple[int, str, int]] = Counter()
        self._handlers: dict[type, Callable[[_Thread, Any], None]] = {
            events.Enter: self._enter,
            events.Leave: self._leave,
            events.MpiSend: self._send,
            events.MpiIsend: self._begin_send,
            events.MpiIsendComplete: self._end_send,
            events.MpiRecv: self._receive,
            events.MpiIrecvRequest: self._begin_receive,
            events.MpiIrecv: self._end_receive,
            events.MpiRequestCancelled: self._cancel,
            events.MpiCollectiveBegin: self._begin_collective,
            events.MpiCollectiveEnd: self._end_collective,
            events.NonBlockingCollectiveRequest: self._begin_nonblocking,
            events.NonBlockingCollectiveComplete: self._end_nonblocking,
            events.MeasurementOnOff: self._pause,
            events.RmaPut: self._begin_transfer,
            events.RmaGet: self._begin_transfer,
            events.RmaAtomic: self._begin_transfer,
            events.RmaOpCompleteNonBlocking: self._end_transfer,
            events.IoCreateHandle: self._open_file,
            events.IoOperationBegin: self._begin_operation,
            events.IoOperationComplete: self._end_operation,
        }

    def check(self, location: Any, event: Any) -> None:
        """Check one event."""
        thread = self._threads[location._ref]
        thread.event_count += 1
        self._require(event.time >= thread.last_time, "time goes back", thread, event)
        is_in_trace = self._first_time <= event.time <= self._last_time
        self._require(is_in_trace, "an event lies outside the clock's range", thread, event)
        thread.last_time = event.time
        handler = self._handlers.get(type(event))
        if handler:
            in_region = bool(thread.regions) or isinstance(event, (events.Enter, events.MeasurementOnOff))
            self._require(in_region, "an event lies in no region", thread, event)
            handler(thread, event)

    def finish(self) -> None:
        """Check what the end of the archive must leave."""
        for reference, thread in self._threads.items():
            is_as_declared = thread.event_count == self._declared[reference]
            place = f"{thread.name}: {thread.event_count} instead of {self._declared[reference]}"
            self._violations.require(is_as_declared, "the declared number of events is wrong", place)
            # The place of a thread that has ended stays idle up to the end of the trace.
            is_open = not self._idle.issuperset(thread.regions) or thread.open_collectives > 0
            is_finished = thread.process in self._finished
            self._violations.require(not (is_open and is_finished), "a region or collective has no end", thread.name)
        if not self._has_gaps and all(thread.process in self._finished for thread in self._threads.values()):
            self._finish_messages()
            self._finish_requests()
            self._finish_collectives()

    def _require(self, holds: bool, rule: str, thread: _Thread, event: Any) -> None:
        if not holds:
            self._violations.add(rule, f"{thread.name} at {event.time}, {type(event).__name__}")

    def _enter(self, thread: _Thread, event: Any) -> None:
        thread.regions.append(event.region._ref)

    def _leave(self, thread: _Thread, event: Any) -> None:
        is_innermost = bool(thread.regions) and thread.regions[-1] == event.region._ref
        self._require(is_innermost, "a region ends that is not the innermost", thread, event)
        if thread.regions:
            thread.regions.pop()

    def _pause(self, thread: _Thread, event: Any) -> None:
        del thread, event
        self._has_gaps = True

    def _rank(self, thread: _Thread, event: Any) -> int:
        """The rank of the thread's process in the event's communicator."""
        ranks = self._ranks[event.communicator._ref]
        self._require(
            ranks is None or thread.process in ranks, "a rank is no member of its communicator", thread, event
        )
        return thread.process if ranks is None else ranks.get(thread.process, -1)

    def _message(self, thread: _Thread, event: Any, peer: int, *, is_send: bool) -> None:
        comm = event.communicator._ref
        rank, remote_size = self._rank(thread, event), self._remote_size(comm, thread)
        self._require(0 <= peer < remote_size, "a peer is no rank of the communicator", thread, event)
        peer = thread.process if self._ranks[comm] is None else peer
        source, target = self._ends(comm, rank, peer, is_send=is_send)
        ends = self._messages.setdefault((comm, source, target, event.msg_tag), [[], []])
        ends[not is_send].append(event.msg_length)

    def _remote_size(self, comm: int, thread: _Thread) -> int:
        """The number of ranks that a thread of this communicator can send to."""
        ranks, (size_a, size_b) = self._ranks[comm], self._sizes[comm]
        is_in_a = ranks is None or ranks.get(thread.process, 0) < size_a
        return size_b if size_b and is_in_a else size_a

    def _ends(self, comm: int, rank: int, peer: int, *, is_send: bool) -> tuple[int, int]:
        """Sender and receiver, so that both ends of a message have the same. In an intercommunicator, ranks of group B
        follow those of group A."""
        size_a, size_b = self._sizes[comm]
        remote = peer + (size_a if size_b and rank < size_a else 0)
        return (rank, remote) if is_send else (remote, rank)

    def _send(self, thread: _Thread, event: Any) -> None:
        self._message(thread, event, event.receiver, is_send=True)

    def _receive(self, thread: _Thread, event: Any) -> None:
        self._message(thread, event, event.sender, is_send=False)

    def _begin_send(self, thread: _Thread, event: Any) -> None:
        self._message(thread, event, event.receiver, is_send=True)
        self._requests[thread.process, "send", event.request_id] += 1

    def _end_send(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, "send", event.request_id] -= 1

    def _begin_receive(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, "receive", event.request_id] += 1

    def _end_receive(self, thread: _Thread, event: Any) -> None:
        self._message(thread, event, event.sender, is_send=False)
        self._requests[thread.process, "receive", event.request_id] -= 1

    def _cancel(self, thread: _Thread, event: Any) -> None:
        kind = "send" if self._requests[thread.process, "send", event.request_id] > 0 else "receive"
        self._requests[thread.process, kind, event.request_id] -= 1

    def _begin_nonblocking(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, "collective", event.request_id] += 1

    def _end_nonblocking(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, "collective", event.request_id] -= 1
        self._check_root(thread, event)

    def _begin_transfer(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, f"transfer of window {event.win._ref}", event.matching_id] += 1

    def _end_transfer(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, f"transfer of window {event.win._ref}", event.matching_id] -= 1

    def _open_file(self, thread: _Thread, event: Any) -> None:
        del thread
        self._open_files.add(event.handle._ref)

    def _begin_operation(self, thread: _Thread, event: Any) -> None:
        self._require(event.handle._ref in self._open_files, "a file is used that is not open", thread, event)
        self._requests[thread.process, f"operation of file {event.handle._ref}", event.matching_id] += 1

    def _end_operation(self, thread: _Thread, event: Any) -> None:
        self._requests[thread.process, f"operation of file {event.handle._ref}", event.matching_id] -= 1

    def _begin_collective(self, thread: _Thread, event: Any) -> None:
        self._require(thread.open_collectives == 0, "a collective begins inside another", thread, event)
        thread.open_collectives += 1

    def _end_collective(self, thread: _Thread, event: Any) -> None:
        self._require(thread.open_collectives == 1, "a collective ends that has not begun", thread, event)
        thread.open_collectives = 0
        self._check_root(thread, event)
        comm = event.communicator._ref
        if self._ranks[comm] is not None:
            calls = self._collectives.setdefault(comm, {})
            calls.setdefault(thread.process, []).append(event.collective_op)

    def _check_root(self, thread: _Thread, event: Any) -> None:
        self._rank(thread, event)
        size_a, size_b = self._sizes[event.communicator._ref]
        is_root = event.root in _SPECIAL_ROOTS or 0 <= event.root < max(size_a, size_b)
        self._require(is_root, "a root is no rank of the communicator", thread, event)

    def _finish_messages(self) -> None:
        for (comm, source, target, tag), (sent, received) in self._messages.items():
            place = f"{self._names[comm]}, rank {source} to {target}, tag {tag}"
            counts = f"{place}: {len(sent)} sent, {len(received)} received"
            self._violations.require(len(sent) == len(received), "messages have only one end", counts)
            is_equal = len(sent) != len(received) or sent == received
            self._violations.require(is_equal, "the ends of a message differ in length", place)

    def _finish_requests(self) -> None:
        for (process, kind, request), count in self._requests.items():
            place = f"process {process}, {kind} {request}"
            self._violations.require(count <= 0, "a request has no end", place)
            self._violations.require(count >= 0, "a request ends that has not begun", place)

    def _finish_collectives(self) -> None:
        for comm, calls in self._collectives.items():
            members = self._ranks[comm] or {}
            sequences = [calls.get(process, []) for process in members]
            is_equal = all(sequence == sequences[0] for sequence in sequences)
            counts = [len(sequence) for sequence in sequences]
            place = f"{self._names[comm]}: {counts} calls"
            self._violations.require(is_equal, "the members' collectives differ", place)


def _groups_of(comm: Any) -> list[Any]:
    return [comm.group] if hasattr(comm, "group") else [comm.groupA, comm.groupB]


def _ranks_of(comm: Any) -> dict[int, int] | None:
    """The ranks of the communicator's processes; in an intercommunicator, those of the second group follow. None if
    each process is its only member."""
    groups = _groups_of(comm)
    if any(group.group_type == GroupType.COMM_SELF for group in groups):
        return None
    processes = [location.group._ref for group in groups for location in group.members]
    return {process: rank for rank, process in enumerate(processes)}


def _sizes_of(comm: Any) -> tuple[int, int]:
    """The numbers of ranks of the communicator's groups; the second is 0 unless it is an intercommunicator."""
    groups = _groups_of(comm)
    sizes = [1 if group.group_type == GroupType.COMM_SELF else len(group.members) for group in groups]
    return sizes[0], sizes[1] if len(sizes) > 1 else 0
