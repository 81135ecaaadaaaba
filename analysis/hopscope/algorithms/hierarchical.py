"""Checks if Open MPI's component `han` followed its settings. `han` builds a collective from other collectives, inside
the hosts and between the hosts' leaders.

A setting of `han` selects a form (variant). The simple form makes the calls in han_calls.CALLS, and settings of the
component `tuned` may name the algorithm of each call. The trace does not show which messages belong to which call. So
the settings count as followed if all messages of the named algorithms were sent and, if every call has a named
algorithm, no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hopscope.algorithms.asked import UNDECIDED, Request, Settings, operation_of, sends
from hopscope.algorithms.candidates import candidates
from hopscope.algorithms.observed import Edge, Observed
from hopscope.algorithms.recognition import UNRECOGNISED
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi
from hopscope.mpi_libraries.open_mpi.han_calls import CALLS, HOST_BLOCKS, INTER_NODE, WORLD_BLOCKS, Part

_SIMPLE: Final = "simple"
_TUNED: Final = "3"
"""`han`'s number for the component `tuned`."""


@dataclass(frozen=True)
class _Call:
    """An operation that `han` calls, with the bytes of the call. request: the algorithm that settings of `tuned`
    request for the call."""

    part: Part
    bytes: int
    request: Request | None

    @property
    def has_known_messages(self) -> bool:
        """True if the requested algorithm's messages are known, or if the library surely runs another algorithm."""
        request = self.request
        return request is not None and bool(request.instead or request.sent not in (None, open_mpi.OWN_CHOICE))


@dataclass(frozen=True)
class Hierarchy:
    """The form and algorithms that settings of `han` and `tuned` request for one collective.

    form: `han`'s name of its variant, such as `simple`. hosts: the ranks of each host. calls: those that `han` makes in
    this form. ignored: the reason why `han` does not follow the request; None if it does.
    """

    form: str
    hosts: Sequence[Sequence[int]]
    root: int
    calls: Sequence[_Call]
    ignored: str | None

    @property
    def wording(self) -> str:
        """The request as the user wrote it, with the library's names of algorithms."""
        names = [f"{call.part.operation} {call.request.wording}" for call in self.calls if call.request]
        return f"han {self.form}{': ' if names else ''}{', '.join(dict.fromkeys(names))}"

    def obeyed(self, collective: Observed, recognised_name: str) -> tuple[str, str | None]:
        """Tells if the collective's messages are the requested ones: `yes`, `no` or `undecided`; and the reason if it
        is not `yes`. recognised_name: the name of the recognised algorithm."""
        if self.form != _SIMPLE:
            return UNDECIDED, f"the messages of this form of `han` are not known, only those of {_SIMPLE}"
        requested_calls = [call for call in self.calls if call.request is not None]
        if not requested_calls:
            return UNDECIDED, "no setting names an algorithm for the operations that `han` calls"
        unknown = [call for call in requested_calls if not call.has_known_messages]
        all_edges = [self._edges(call, collective) for call in requested_calls if call.has_known_messages]
        expected = sum((edges for edges in all_edges if edges is not None), Counter[Edge]())
        extra_edges = set(Counter(collective.counts) - expected) - self._unnamed(collective)
        if None in all_edges or not expected <= Counter(collective.counts):
            answer = "no", self._reason(requested_calls)
        elif unknown:
            answer = UNDECIDED, _not_told(unknown[0])
        elif not extra_edges or (recognised_name == UNRECOGNISED and _come_before(collective, extra_edges, expected)):
            answer = "yes", None
        elif recognised_name == UNRECOGNISED:
            answer = UNDECIDED, "there are other messages besides the requested ones"
        else:
            answer = "no", self._reason(requested_calls)
        return answer

    def _reason(self, requested_calls: Sequence[_Call]) -> str | None:
        """The reason why another algorithm than the requested one ran; None if the settings do not show it."""
        requests = [call.request for call in requested_calls if call.request is not None]
        reasons = [self.ignored, *(reason for request in requests for reason in (request.ignored, request.instead))]
        return next((reason for reason in reasons if reason), None)

    def _groups(self, level: str) -> list[tuple[Sequence[int], int]]:
        """The groups of ranks that call an operation at this level, each with the index of its root in the group: the
        leaders of all hosts, or the ranks of each host."""
        host, root_index = next(
            (number, ranks.index(self.root)) for number, ranks in enumerate(self.hosts) if self.root in ranks
        )
        return (
            [([ranks[root_index] for ranks in self.hosts], host)]
            if level == INTER_NODE
            else [(ranks, root_index) for ranks in self.hosts]
        )

    def _edges(self, call: _Call, collective: Observed) -> Counter[Edge] | None:
        """The edges of a call's requested algorithm, with their numbers of messages; None if the collective lacks some
        of these messages."""
        if call.request is None or call.request.instead:
            return None
        expected = Counter[Edge]()
        times = sum(sibling.part == call.part for sibling in self.calls)
        for ranks, root in self._groups(call.part.level):
            subset = _subset(collective, ranks, root, call, times)
            patterns = [
                candidate.pattern.counts
                for candidate in candidates(subset)
                if sends(candidate.title, call.request.sent)
            ]
            fitting = next((counts for counts in patterns if Counter(counts) <= Counter(subset.counts)), None)
            if fitting is None:
                return None
            expected += Counter({(ranks[src], ranks[dst]): count for (src, dst), count in fitting.items()})
        return expected

    def _unnamed(self, collective: Observed) -> set[Edge]:
        """The recorded edges that may belong to a call without a requested algorithm."""
        groups = [
            set(ranks) for call in self.calls if call.request is None for ranks, _ in self._groups(call.part.level)
        ]
        return {(src, dst) for src, dst in collective.edges if any(src in ranks and dst in ranks for ranks in groups)}


def hierarchy(settings: Settings, op: str, collective: Observed) -> Hierarchy | None:
    """The request to `han` for a collective; None without a request, or if `han` passes the collective to `tuned`. It
    does so on one host, on hosts with one rank each, and on hosts with different numbers of ranks."""
    operation = operation_of(op)
    if operation is None or operation not in CALLS or settings.is_mpich:
        return None
    form = _form(settings.parameters, operation)
    hosts: dict[int, list[int]] = {}
    for rank, host in enumerate(collective.hosts):
        hosts.setdefault(host, []).append(rank)
    sizes = {len(ranks) for ranks in hosts.values()}
    if form is None or len(hosts) < 2 or len(sizes) != 1 or sizes == {1}:
        return None
    passed_on = settings.parameters.get(f"coll_han_{operation}_dynamic_global_communicator_module", {})
    if passed_on.get("value") == _TUNED:
        return None
    calls: list[_Call] = []
    for part in CALLS[operation] if form == _SIMPLE else ():
        ranks = len(hosts) if part.level == INTER_NODE else max(sizes)
        whole = operation != "allgather" or part.blocks in (HOST_BLOCKS, WORLD_BLOCKS)
        size = collective.bytes if whole else collective.bytes * ranks // collective.ranks
        calls.append(_Call(part, size, settings.of_tuned(part.operation, ranks, size)))
    return Hierarchy(form, [*hosts.values()], collective.root or 0, calls, _ignored(settings, calls, operation))


def _form(parameters: Mapping[str, Mapping[str, str | None]], operation: str) -> str | None:
    """The form that a setting requests, by its name or, if that is unknown, its number; None if `han` chooses."""
    parameter = parameters.get(f"coll_han_use_{operation}_algorithm")
    text = (parameter["asked"] or parameter["value"]) if parameter else None
    if text and text not in ("0", "default"):
        numbers = ("default", _SIMPLE) if operation == "barrier" else ("default", "intra", _SIMPLE, "reproducible")
        return numbers[int(text)] if text.isdecimal() and int(text) < len(numbers) else text
    parameter = parameters.get(f"coll_han_use_simple_{operation}")
    return _SIMPLE if parameter and (parameter["value"] or parameter["asked"]) in ("1", "true") else None


def _ignored(settings: Settings, calls: Sequence[_Call], operation: str) -> str | None:
    """The reason why `han` does not follow its settings; None if it does."""
    parameters, components = settings.parameters, settings.parameters.get("coll", {}).get("value") or ""
    has_han = "han" in components.removeprefix("^").split(",")
    if components and has_han == components.startswith("^"):
        return f"the component han is not loaded (coll={components})"
    if settings.is_open_mpi_4 and "coll_han_priority" not in parameters:
        return "coll_han_priority is not set, and by default `han` comes last"
    for call in calls:
        name = f"coll_han_{call.part.operation}_dynamic_{call.part.level}_module"
        if parameters.get(name, {}).get("value") not in (None, _TUNED):
            return f"{name} is not {_TUNED}, the number of tuned"
    return None


def _not_told(call: _Call) -> str:
    assert call.request is not None
    return f"the trace does not tell which messages belong to {call.part.operation} by {call.request.wording}"


def _come_before(collective: Observed, extra_edges: Collection[Edge], expected: Mapping[Edge, int]) -> bool:
    """Tells if every rank sent its extra messages before the expected ones. They then come from making `han`'s own
    communicators, in its first collective."""
    first_sends: dict[int, int] = {}
    for edge, count in expected.items():
        first_send = min(message.sent_ns for message in collective.edges[edge][-count:])
        first_sends[edge[0]] = min(first_send, first_sends.get(edge[0], first_send))
    extra_messages = [
        message
        for edge in extra_edges
        for message in collective.edges[edge][: len(collective.edges[edge]) - expected.get(edge, 0)]
    ]
    return all(message.sent_ns < first_sends.get(message.src, message.sent_ns + 1) for message in extra_messages)


def _subset(collective: Observed, ranks: Sequence[int], root: int, call: _Call, times: int) -> Observed:
    """The messages of one call of `han`, as a collective on its ranks. times: the number of equal calls; only the first
    one's share of the messages is taken."""
    places = {rank: number for number, rank in enumerate(ranks)}
    messages = [
        message._replace(src=places[src], dst=places[dst])
        for (src, dst), sent in collective.edges.items()
        if src in places and dst in places
        for message in sent[: -(-len(sent) // times)]
    ]
    place = (0,) * len(ranks)
    op = f"MPI_{call.part.operation.capitalize()}"
    return replace(
        collective,
        operation=op,
        ranks=len(ranks),
        root=root,
        bytes=call.bytes,
        messages=messages,
        hosts=place,
        clusters=place,
    )
