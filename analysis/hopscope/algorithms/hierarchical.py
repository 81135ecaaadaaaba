"""Whether Open MPI's `han`, which runs an operation by others inside hosts and between them, did so as it was asked to.

Its settings name a form. In the simple one it calls the operations of han_calls.CALLS, and which algorithm each of
them runs by, `tuned`'s own settings say for the ranks of a host and for the hosts' leaders. Nothing marks the messages
of each call. So those of all calls that the settings name have to be there, and no others where each call is named.
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
from hopscope.mpi_libraries.open_mpi.han_calls import ALL, BETWEEN, CALLS, HOST, Part

_SIMPLE: Final = "simple"
_TUNED: Final = "3"
"""The number of `tuned` among the components that `han` calls."""


@dataclass(frozen=True)
class _Call:
    """What `han` calls, on so many ranks with so many bytes; request: what `tuned` is asked for there."""

    part: Part
    bytes: int
    request: Request | None

    @property
    def is_known(self) -> bool:
        """Whether it is known which messages are asked for, or that the library runs others."""
        request = self.request
        return request is not None and bool(request.instead or request.sent not in (None, open_mpi.OWN_CHOICE))


@dataclass(frozen=True)
class Hierarchy:
    """What was asked of one collective.

    form: `han`'s word for how it runs. hosts: the ranks of each. ignored: why it does not run so, if it does not.
    """

    form: str
    hosts: Sequence[Sequence[int]]
    root: int
    calls: Sequence[_Call]
    ignored: str | None

    @property
    def asked(self) -> str:
        """In the user's words, with the library's names of algorithms."""
        named = [f"{call.part.operation} {call.request.asked}" for call in self.calls if call.request]
        return f"han {self.form}{': ' if named else ''}{', '.join(dict.fromkeys(named))}"

    def obeyed(self, seen: Observed, found: str) -> tuple[str, str | None]:
        """Whether its messages are those, and why not, or why that cannot be told. found: the algorithm by name."""
        if self.form != _SIMPLE:
            return UNDECIDED, f"the messages of this form of `han` are not known, but of {_SIMPLE} only"
        named = [call for call in self.calls if call.request is not None]
        if not named:
            return UNDECIDED, "no setting names an algorithm for what `han` calls"
        unknown = [call for call in named if not call.is_known]
        all_edges = [self._edges(call, seen) for call in named if call.is_known]
        wanted = sum((edges for edges in all_edges if edges is not None), Counter[Edge]())
        more = set(Counter(seen.counts) - wanted) - self._unnamed(seen)
        if None in all_edges or not wanted <= Counter(seen.counts):
            answer = "no", self._why(named)
        elif unknown:
            answer = UNDECIDED, _not_told(unknown[0])
        elif not more or (found == UNRECOGNISED and _come_before(seen, more, wanted)):
            answer = "yes", None
        elif found == UNRECOGNISED:
            answer = UNDECIDED, "there are other messages beside these"
        else:
            answer = "no", self._why(named)
        return answer

    def _why(self, named: Sequence[_Call]) -> str | None:
        """Why it ran otherwise, where the settings show it."""
        requests = [call.request for call in named if call.request is not None]
        reasons = [self.ignored, *(why for request in requests for why in (request.ignored, request.instead))]
        return next((why for why in reasons if why), None)

    def _groups(self, level: str) -> list[tuple[Sequence[int], int]]:
        """The ranks that call at a level, and which of them is the root there."""
        host, at = next((number, of.index(self.root)) for number, of in enumerate(self.hosts) if self.root in of)
        return [([of[at] for of in self.hosts], host)] if level == BETWEEN else [(of, at) for of in self.hosts]

    def _edges(self, call: _Call, seen: Observed) -> Counter[Edge] | None:
        """Those of the algorithm that is asked for; None if they are not all there."""
        if call.request is None or call.request.instead:
            return None
        wanted = Counter[Edge]()
        times = sum(other.part == call.part for other in self.calls)
        for ranks, root in self._groups(call.part.level):
            among = _among(seen, ranks, root, call, times)
            patterns = [one.pattern.counts for one in candidates(among) if sends(one.title, call.request.sent)]
            fitting = next((counts for counts in patterns if Counter(counts) <= Counter(among.counts)), None)
            if fitting is None:
                return None
            wanted += Counter({(ranks[src], ranks[dst]): count for (src, dst), count in fitting.items()})
        return wanted

    def _unnamed(self, seen: Observed) -> set[Edge]:
        """The edges among ranks that a call without a named algorithm is for."""
        groups = [
            set(ranks) for call in self.calls if call.request is None for ranks, _ in self._groups(call.part.level)
        ]
        return {(src, dst) for src, dst in seen.edges if any(src in ranks and dst in ranks for ranks in groups)}


def hierarchy(settings: Settings, op: str, seen: Observed) -> Hierarchy | None:
    """What `han` is asked to make of a collective; None if it is asked for nothing, or leaves that to `tuned`, as it
    does on one host, on hosts with one rank each, and on hosts with different numbers of ranks."""
    operation = operation_of(op)
    if operation is None or operation not in CALLS or settings.is_mpich:
        return None
    form = _form(settings.made, operation)
    hosts: dict[int, list[int]] = {}
    for rank, host in enumerate(seen.hosts):
        hosts.setdefault(host, []).append(rank)
    sizes = {len(ranks) for ranks in hosts.values()}
    if form is None or len(hosts) < 2 or len(sizes) != 1 or sizes == {1}:
        return None
    passed_on = settings.made.get(f"coll_han_{operation}_dynamic_global_communicator_module", {})
    if passed_on.get("value") == _TUNED:
        return None
    calls: list[_Call] = []
    for part in CALLS[operation] if form == _SIMPLE else ():
        ranks = len(hosts) if part.level == BETWEEN else max(sizes)
        whole = operation != "allgather" or part.blocks in (HOST, ALL)
        size = seen.bytes if whole else seen.bytes * ranks // seen.ranks
        calls.append(_Call(part, size, settings.of_tuned(part.operation, ranks, size)))
    return Hierarchy(form, [*hosts.values()], seen.root or 0, calls, _ignored(settings, calls, operation))


def _form(made: Mapping[str, Mapping[str, str | None]], operation: str) -> str | None:
    """The name of a form that a setting asks for, or its number; None if it leaves that to `han`."""
    one = made.get(f"coll_han_use_{operation}_algorithm")
    text = (one["asked"] or one["value"]) if one else None
    if text and text not in ("0", "default"):
        numbers = ("default", _SIMPLE) if operation == "barrier" else ("default", "intra", _SIMPLE, "reproducible")
        return numbers[int(text)] if text.isdecimal() and int(text) < len(numbers) else text
    one = made.get(f"coll_han_use_simple_{operation}")
    return _SIMPLE if one and (one["value"] or one["asked"]) in ("1", "true") else None


def _ignored(settings: Settings, calls: Sequence[_Call], operation: str) -> str | None:
    """Why `han` does not follow its settings."""
    made, components = settings.made, settings.made.get("coll", {}).get("value") or ""
    is_listed = "han" in components.removeprefix("^").split(",")
    if components and is_listed == components.startswith("^"):
        return f"the component han is not loaded (coll={components})"
    if settings.is_open_mpi_4 and "coll_han_priority" not in made:
        return "coll_han_priority is not set, and `han` comes last by itself"
    for call in calls:
        name = f"coll_han_{call.part.operation}_dynamic_{call.part.level}_module"
        if made.get(name, {}).get("value") not in (None, _TUNED):
            return f"{name} is not {_TUNED}, which is tuned"
    return None


def _not_told(call: _Call) -> str:
    assert call.request is not None
    return f"which messages {call.part.operation} by {call.request.asked} has, the trace does not tell"


def _come_before(seen: Observed, more: Collection[Edge], wanted: Mapping[Edge, int]) -> bool:
    """Whether every rank sent what is not wanted on some edges before all that is: on the first call, `han` makes
    communicators of its own."""
    begun: dict[int, int] = {}
    for edge, count in wanted.items():
        own = min(message.sent_ns for message in seen.edges[edge][-count:])
        begun[edge[0]] = min(own, begun.get(edge[0], own))
    others = [one for edge in more for one in seen.edges[edge][: len(seen.edges[edge]) - wanted.get(edge, 0)]]
    return all(other.sent_ns < begun.get(other.src, other.sent_ns + 1) for other in others)


def _among(seen: Observed, ranks: Sequence[int], root: int, call: _Call, times: int) -> Observed:
    """What these ranks sent to one another, as a collective of theirs; the first of so many that are alike."""
    own = {rank: number for number, rank in enumerate(ranks)}
    messages = [
        message._replace(src=own[src], dst=own[dst])
        for (src, dst), sent in seen.edges.items()
        if src in own and dst in own
        for message in sent[: -(-len(sent) // times)]
    ]
    place = (0,) * len(ranks)
    op = f"MPI_{call.part.operation.capitalize()}"
    return replace(
        seen,
        operation=op,
        ranks=len(ranks),
        root=root,
        bytes=call.bytes,
        messages=messages,
        hosts=place,
        clusters=place,
    )
