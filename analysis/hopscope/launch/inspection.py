"""Shows a run as it is at this moment: which collectives are open, where every rank is, and who waits for whom.

The facts come from `hopscope-assemble --inspect` (schemas/inspection.schema.json), which reads the spools (the ranks'
recordings) of a running or a killed job. This module combines the facts of all ranks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hopscope.callsites import resolve
from hopscope.format.quantities import quantity
from hopscope.vocabulary.mpi_functions import FUNCTIONS, of_kinds

POLLS = of_kinds("test", "look")
NOBODY_WAITS = "no rank seems to wait for another"
# In ns. A rank still polls if it has polled for longer than this, and its last poll ended less than this ago.
_POLLS_STILL_NS = 100_000_000

Facts = dict[str, Any]


@dataclass(frozen=True)
class Member:
    """One member of an open collective."""

    rank: int
    state: str
    """`inside`, `left`, `absent` (it has not entered yet) or `elsewhere` (it called another operation instead)."""
    function: str | None
    at_ns: int | None
    """The time of its enter; None if it has not entered, or if that is no longer known."""
    root: int | None = None
    """The root that it named, as the communicator numbers its ranks; None if not known or the operation has none."""


@dataclass(frozen=True)
class OpenCollective:
    """A collective that some member has entered and not left."""

    comm: int
    name: str
    seq: int
    function: str
    members: tuple[Member, ...]

    def ranks_in(self, state: str) -> list[int]:
        """The ranks in a state."""
        return [member.rank for member in self.members if member.state == state]


class Inspection:
    """Conclusions about a run from the facts of all its ranks."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.ranks: list[Facts] = facts["ranks"]
        _add_places(facts)
        self.collectives = _open_collectives(facts)

    @property
    def is_live(self) -> bool:
        """True if some process of the run is still running."""
        return any(rank["state"] == "running" for rank in self.ranks)

    def time_text(self, at_ns: int | None) -> str:
        """The age of an event in a live run; its time in a finished run."""
        if at_ns is None:
            return "-"
        now_ns: int | None = self.facts["now_ns"]
        if self.is_live and now_ns is not None:
            return quantity(max(now_ns - at_ns, 0), "ns")
        return f"at {quantity(at_ns, 'at')}"

    def location(self, rank: int) -> tuple[str, int | None]:
        """A rank's location in words, and the time when it got there."""
        facts = self.ranks[rank]
        if not facts["threads"]:
            return "no recording of it was found", None
        places = [self._thread(thread) for thread in facts["threads"]]
        texts = [text for text, _ in places]
        text = texts[0] if len(texts) == 1 else "; ".join(f"thread {i}: {text}" for i, text in enumerate(texts))
        if facts["state"] in ("finished", "aborted"):
            text = {"finished": "has finished", "aborted": "has called MPI_Abort"}[facts["state"]]
        elif facts["state"] == "died":
            text = f"its process died; it was {text}"
        if facts["recording_stopped"]:
            text += f" (recording stopped: {facts['recording_stopped']})"
        return text, places[0][1]

    def waits_for(self, rank: int) -> set[int]:
        """The ranks that this rank waits for. One or all of them must act before it goes on. Empty if there are none,
        or if they are unknown."""
        if self.ranks[rank]["state"] not in ("running", "died", "unknown"):
            return set()
        ranks: set[int] = set()
        for thread in self.ranks[rank]["threads"]:
            call = thread["call"]
            if call is None:
                continue
            operations = [call, *thread["open"], *([call["receive"]] if "receive" in call else [])]
            peers = {operation["peer"] for operation in operations if isinstance(operation.get("peer"), int)}
            ranks |= self._lock_holders(rank, call) or peers
        in_mpi = any(thread["call"] is not None for thread in self.ranks[rank]["threads"])
        for collective in self.collectives:
            if in_mpi and rank in collective.ranks_in("inside"):
                ranks |= set(collective.ranks_in("absent")) | set(collective.ranks_in("elsewhere"))
        return ranks - {rank}

    def _lock_holders(self, rank: int, call: Facts) -> set[int]:
        """The other ranks that have the lock which this rank's call needs. A library may let MPI_Win_lock return before
        it has the lock, so later calls with the same target need it, too."""
        if not call["function"].startswith(("MPI_Win_lock", "MPI_Win_unlock", "MPI_Win_flush")) or "peer" not in call:
            return set()

        def locks(number: int) -> list[Facts]:
            owned_locks = [lock for thread in self.ranks[number]["threads"] for lock in thread["locks"]]
            return [lock for lock in owned_locks if (lock["comm"], lock["peer"]) == (call["comm"], call["peer"])]

        is_exclusive = any(request.get("exclusive") for request in (call, *locks(rank)))
        other_ranks = [number for number in range(len(self.ranks)) if number != rank]
        return {number for number in other_ranks if any(is_exclusive or lock["exclusive"] for lock in locks(number))}

    def sentences(self) -> list[str]:
        """Findings: operations that do not match, ranks that others ultimately wait for, circles of waiting ranks."""
        sentences = [
            sentence
            for collective in self.collectives
            for sentence in (self._mismatch(collective), self._roots(collective))
            if sentence
        ]
        waiting = {rank: targets for rank in range(len(self.ranks)) if (targets := self.waits_for(rank))}
        ends: dict[int, set[int]] = {}
        for rank in waiting:
            for end in self._reachable_ranks(rank, waiting):
                if end not in waiting:
                    ends.setdefault(end, set()).add(rank)
        for end, ranks in sorted(ends.items()):
            text, at_ns = self.location(end)
            waiting_text = "" if at_ns is None or self.ranks[end]["state"] == "finished" else self._since_words(at_ns)
            sentences.append(f"{_ranks(ranks)} ultimately {_s(ranks, 'wait')} for rank {end}: {text}{waiting_text}")
        circle = _circle(waiting)
        if circle and not sentences:
            sentences.append(
                f"{_ranks(set(circle))} wait for one another: {' > '.join(map(str, [*circle, circle[0]]))}"
            )
        return sentences or [NOBODY_WAITS]

    def document(self) -> Facts:
        """The facts, with the conclusions from them."""
        return {
            **self.facts,
            "open_collectives": [
                {
                    "comm": c.comm,
                    "name": c.name,
                    "seq": c.seq,
                    "function": c.function,
                    "members": [vars(member) for member in c.members],
                }
                for c in self.collectives
            ],
            "sentences": self.sentences(),
        }

    def comm_name(self, comm: int | None) -> str:
        """A communicator's name, or its number."""
        if comm is None:
            return "an unknown communicator"
        return self.facts["comms"][comm]["name"] or f"communicator {comm}"

    def waits_inside(self, rank: int) -> str:
        """The hops for which a rank waits inside a collective; empty if the library does not show them."""
        hops = [hop for thread in self.ranks[rank]["threads"] for hop in thread["open"] if "role" in hop]
        return "; ".join(f"{self._hop(hop)}{self._since_words(hop['at_ns'])}" for hop in hops)

    def _since_words(self, at_ns: int) -> str:
        text = self.time_text(at_ns)
        return f", {text}" if text.startswith("at ") else f", for {text}"

    def _thread(self, thread: Facts) -> tuple[str, int | None]:
        call, last = thread["call"], thread["last"]
        if call is not None:
            return f"in {self._call(call, thread)}{_called_from(call)}", call["at_ns"]
        if last is None:
            return "before its first call", None
        now_ns: int | None = self.facts["now_ns"]
        if last["function"] in POLLS and now_ns is not None:
            polled, quiet = last["left_ns"] - last["at_ns"], now_ns - last["left_ns"]
            if polled > _POLLS_STILL_NS > quiet:
                return f"polling with {last['function']}{self._requests(thread)}{_called_from(last)}", last["at_ns"]
        return f"computing, after {self._call(last, None)}{_called_from(last)}", last["left_ns"]

    def _call(self, call: Facts, thread: Facts | None) -> str:
        """A call with its peers, as text. thread: the thread of an open call; None for a call that has ended."""
        name = call["function"]
        if "seq" in call:
            text = f"{name} #{call['seq']} on {self.comm_name(call['comm'])}"
            hops = [hop for hop in (thread["open"] if thread else []) if "role" in hop]
            return text + "".join(f", waiting for its {self._hop(hop)}" for hop in hops[:3])
        if "peer" in call and not thread:
            return name
        if "peer" in call:
            text = f"{name} {_preposition(name)} {_party(call)}"
            if "receive" in call:
                text += f" and from {_party(call['receive'])}"
            return f"{text} on {self.comm_name(call['comm'])}"
        return name + (self._requests(thread) if thread else "")

    def _hop(self, hop: Facts) -> str:
        role = "" if hop["role"] == "unknown" else f"{hop['role']} "
        return f"{role}hop {'from' if hop['kind'] == 'receive' else 'to'} {hop['peer']}"

    def _requests(self, thread: Facts) -> str:
        requests = [request for request in thread["open"] if "role" not in request]
        words = [self._request(request) for request in requests[:3]]
        remainder = f" and {len(requests) - 3} more" if len(requests) > 3 else ""
        return f" ({'; '.join(words)}{remainder})" if words else ""

    def _request(self, request: Facts) -> str:
        if request["kind"] == "collective":
            return f"{request['function']} #{request['seq']} on {self.comm_name(request['comm'])}"
        return f"{request['kind']} {'from' if request['kind'] == 'receive' else 'to'} {_party(request)}"

    def _mismatch(self, collective: OpenCollective) -> str | None:
        mismatches = [member for member in collective.members if member.state == "elsewhere"]
        if not mismatches:
            return None
        callers = [m.rank for m in collective.members if m.state == "inside"]
        functions = {member.function for member in mismatches}
        return (
            f"collective #{collective.seq} on {collective.name} does not match: {_ranks(callers)} "
            f"{_s(callers, 'call')} {collective.function}, {_ranks(m.rank for m in mismatches)} "
            f"{' and '.join(sorted(filter(None, functions)))}"
        )

    def _roots(self, collective: OpenCollective) -> str | None:
        """A sentence that says which ranks name which root; None if all name the same one.

        If roots differ, a rank may wait for messages that are never sent.
        """
        ranks_by_root: dict[int, list[int]] = {}
        for member in collective.members:
            if member.root is not None and member.function == collective.function:
                ranks_by_root.setdefault(member.root, []).append(member.rank)
        if len(ranks_by_root) < 2:
            return None
        words = [f"{_ranks(ranks)} {_s(ranks, 'name')} root {root}" for root, ranks in sorted(ranks_by_root.items())]
        return (
            f"the roots of {collective.function} #{collective.seq} on {collective.name} differ: {', '.join(words)}; "
            "all members must name the same one"
        )

    def _reachable_ranks(self, rank: int, waiting: dict[int, set[int]]) -> set[int]:
        visited: set[int] = set()
        ahead = list(waiting.get(rank, ()))
        while ahead:
            member = ahead.pop()
            if member not in visited:
                visited.add(member)
                ahead += waiting.get(member, ())
        return visited


def _add_places(facts: Facts) -> None:
    """Gives every call its place in the source code, if this machine has the files of the running program."""
    threads = [thread for rank in facts["ranks"] for thread in rank["threads"]]
    calls: list[Facts] = [call for thread in threads for call in (thread["call"], thread["last"]) if call is not None]
    sites = {call["site"]: call["symbol"] or "" for call in calls if call["site"]}
    places = {site.call_site: site.place for site in resolve(sites, facts["modules"], facts["started_ns"])}
    for call in calls:
        call["place"] = places.get(call["site"])


def _open_collectives(facts: Facts) -> list[OpenCollective]:
    open_calls: dict[tuple[int, int], dict[int, Facts]] = {}
    last: dict[tuple[int, int], Facts] = {}
    for rank in facts["ranks"]:
        for collective in rank["collectives"]:
            latest = last.get((rank["rank"], collective["comm"]))
            if latest is None or latest["seq"] <= collective["seq"]:
                last[rank["rank"], collective["comm"]] = collective
            if collective["inside"]:
                open_calls.setdefault((collective["comm"], collective["seq"]), {})[rank["rank"]] = collective
    collectives: list[OpenCollective] = []
    for (comm, seq), calls in sorted(open_calls.items()):
        names = [call["function"] for call in calls.values()]
        function = max(names, key=lambda name: (names.count(name), name))
        members: list[Member] = []
        for rank in facts["comms"][comm]["members"]:
            call = calls.get(rank) or last.get((rank, comm))
            if call is None or call["seq"] < seq:
                members.append(Member(rank, "absent", None, None))
            elif call["seq"] > seq:
                members.append(Member(rank, "left", None, None))
            elif call["function"] != function:
                members.append(Member(rank, "elsewhere", call["function"], call["at_ns"], call["root"]))
            else:
                state = "inside" if call["inside"] else "left"
                members.append(Member(rank, state, call["function"], call["at_ns"], call["root"]))
        if len(members) > 1:
            name = facts["comms"][comm]["name"] or f"communicator {comm}"
            collectives.append(OpenCollective(comm, name, seq, function, tuple(members)))
    return collectives


def _preposition(function: str) -> str:
    facts = FUNCTIONS.get(function)
    if facts and facts.kind == "rma":
        return "of rank"
    return "from" if facts and facts.moves == "receives" else "to"


def _party(call: Facts) -> str:
    peer = call.get("peer")
    party = {"any": "any rank", "nobody": "no rank", None: "an unknown rank"}.get(peer, f"{peer}")
    return party if call.get("tag") in (None, "any") else f"{party} (tag {call['tag']})"


def _called_from(call: Facts) -> str:
    return f", called from {call['place']}" if call["place"] else ""


def ranks_text(ranks: Iterable[int]) -> str:
    """A list of ranks as text, such as `0, 3-5, 7`."""
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and runs[-1][1] == rank - 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _ranks(ranks: Iterable[int]) -> str:
    rank_list = list(ranks)
    return f"{'rank' if len(rank_list) == 1 else 'ranks'} {ranks_text(rank_list)}"


def _s(ranks: Iterable[int], verb: str) -> str:
    return verb + ("s" if len(list(ranks)) == 1 else "")


def _circle(waiting: dict[int, set[int]]) -> list[int]:
    """A circle of ranks, each of which waits for the next, and the last for the first; empty if there is none."""
    for start in waiting:
        path: list[int] = []
        node = start
        while node in waiting and node not in path:
            path.append(node)
            node = min(waiting[node])
        if node in path:
            return path[path.index(node) :]
    return []
