"""Writes the text of each entry of a diagnosis, from the entry's fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from hopscope.errors import shortened_list
from hopscope.explain.diagnosis.core_use import CoreUse
from hopscope.explain.diagnosis.entry import NOTE, Cost, Entry, Facts, Kind, Site
from hopscope.format.quantities import duration, in_words, interval, number, plural, share

_RANK_LIMIT: Final = 4
"""The largest number of ranks that a sentence names. Further ranks are only counted."""

_SENTENCES: Final[Mapping[Kind, str]] = {
    "imbalance": "{who} {verb} longer than the others{inside} before {where}",
    "serial-section": "{who} {verb} alone{inside} before {where} while the others wait",
    "rotating-delay": "Another rank computes longer each time{inside} before {where}",
    "noise": "{who} {verb} longer at times{inside} before {where}",
    "late-sender": "{who} {verb} late in {where}, and the receivers wait",
    "late-receiver": "{who} {verb} late in {where}, and the senders wait",
    "wrong-order": "{who} {verb} in {where} for one message while the senders of others wait",
    "no-overlap": "{where} makes progress only in its wait, although ranks compute before",
    "crossings": "{where} crosses between clusters {count} times one after another",
    "algorithm": "{where} runs {algorithms[0]}, and {algorithms[1]} would take less time",
    "placement": "Another rank order would spend less time on slow links",
    "slow-link": "The link between {hosts} is {times} times slower than its peers",
    "slow-host": "{who}, all on {hosts}, {verb} longer than those of other hosts{inside} before {where}",
    "latency-bound": "The run waits for many small messages, most of all in {where}",
    "bandwidth-bound": "The run waits for the bytes of large messages, most of all in {where}",
    "io": "Ranks read or write files, most of all in {where}",
    "other-mpi": "Ranks spend time in other calls of MPI, most of all in {where}",
}
_VERBS: Final[Mapping[Kind, tuple[str, str]]] = {
    "imbalance": ("computes", "compute"),
    "serial-section": ("computes", "compute"),
    "slow-host": ("computes", "compute"),
    "noise": ("computes", "compute"),
    "late-sender": ("sends", "send"),
    "late-receiver": ("receives", "receive"),
    "wrong-order": ("waits", "wait"),
}
"""Verbs for one rank, and for several."""
_ACTIONS: Final[Mapping[Kind, str]] = {
    "serial-section": "Let all ranks share this work, or let the others go on meanwhile.",
    "rotating-delay": "Look for what moves from rank to rank: output in turns, or work that is reassigned each time.",
    "noise": "Look for what else runs on these cores. `analyze noise TRACE --by period` shows whether it is periodic.",
    "late-sender": "Send each message before any computing that it does not depend on.",
    "late-receiver": "Post the receives before the computing, with MPI_Irecv.",
    "wrong-order": "Take the messages in the order in which they come: MPI_Irecv and MPI_Waitany.",
    "no-overlap": "Call MPI_Test in the computing, or let the library go on by a thread of its own.",
    "crossings": "`analyze remap TRACE -o tree.json` writes a tree that crosses less often; run it with `--tree`.",
    "algorithm": "`analyze remap TRACE` shows what each would gain, and `hopscope tune` measures it.",
    "placement": "`analyze reorder TRACE -o FILE` writes it; a new run shows what it gains.",
    "slow-link": "Look for what else uses this link, or keep heavy traffic off it: `analyze reorder TRACE`.",
    "slow-host": "Look for what is different on this host, or give its ranks less work.",
    "latency-bound": "Send fewer and larger messages. `analyze algorithms TRACE` shows what the collectives ran.",
    "bandwidth-bound": "Send less, or keep heavy traffic inside a host: `analyze reorder TRACE`.",
    "io": "Read and write less often, or by fewer ranks.",
    "other-mpi": "Make communicators and windows once, before the loop, and use fewer and shorter epochs of windows.",
}


@dataclass(frozen=True)
class Text:
    """The text of an entry: what is wrong, what shows it, and what to do."""

    sentence: str
    evidence: str | None = None
    action: str | None = None


class Words:
    """Writes the texts of the entries of one run."""

    def __init__(self, facts: Facts, places: pa.Table) -> None:
        """places: the dataset's table of call sites."""
        self._facts = facts
        self._places = {row["call_site"]: row for row in places.to_pylist()}

    def site(self, site: Site) -> dict[str, Any]:
        """A call site, as the column `call_sites` of the answer has it."""
        place = self._places.get(site.call_site, {})
        return {
            "mpi": site.function,
            "function": place.get("function"),
            "file": place.get("file"),
            "line": place.get("line"),
            "place": place.get("place") or site.call_site,
        }

    def text_of(self, entry: Entry) -> Text:
        """The text of an entry."""
        if entry.text:
            return Text(entry.text)
        if entry.kind == "balanced":
            return self._balanced(entry)
        if entry.kind == "start-up":
            facts = self._facts
            part = share(facts.startup_ns / facts.duration_ns)
            return Text(
                f"Start-up takes {duration(facts.startup_ns)}, {part} of the job.",
                action="Judge the run by its iterations, or let it run longer.",
            )
        assert entry.cost is not None, "an entry that names a cause has a cost"
        ns = entry.cost.ns
        sentence = f"{self._problem(entry)}: {duration(ns)}, {share(ns / self._facts.run_ns)} of the run."
        return Text(sentence, self._evidence(entry, entry.cost), _action(entry))

    def _problem(self, entry: Entry) -> str:
        """The problem and its location, without cost and full stop."""
        singular, plural_verb = _VERBS.get(entry.kind, ("", ""))
        verb = singular if len(entry.ranks) == 1 else plural_verb
        return _SENTENCES[entry.kind].format(
            who=_ranks_text(entry),
            verb=verb,
            inside=f" in {' > '.join(entry.functions)}" if entry.functions else "",
            where=self._location(entry),
            count=entry.count,
            hosts=in_words(entry.hosts),
            times=number(entry.times),
            algorithms=entry.algorithms,
        )

    def _location(self, entry: Entry) -> str:
        if not entry.sites:
            return "calls of MPI"
        first = entry.sites[0]
        place = self.site(first)["place"]
        further_calls = len(entry.sites) - 1
        more_calls = f" and {further_calls} more calls" if further_calls > 1 else ""
        return f"{first.function}{f' at {place}' if place else ''}{more_calls}"

    def _evidence(self, entry: Entry, cost: Cost) -> str | None:
        parts: list[str] = []
        if entry.own_ns is not None and entry.others_ns is not None:
            own_time, other_time = duration(entry.own_ns), duration(entry.others_ns)
            parts.append(f"{own_time} there, where {_usual(entry)} {other_time}")
        if entry.core_use is not None:
            parts.append(_core_use(entry.core_use, len(entry.ranks) == 1))
        if entry.iterations is not None:
            parts.append(f"in {plural(entry.iterations[2], 'iteration')}")
        elif entry.count and entry.kind in ("late-sender", "late-receiver", "wrong-order"):
            parts.append(plural(entry.count, "message"))
        elif entry.count and entry.kind in ("io", "other-mpi", "no-overlap"):
            parts.append(plural(entry.count, "call"))
        if cost.low_ns < cost.ns:
            low, high = (end / self._facts.run_ns for end in (cost.low_ns, cost.high_ns))
            parts.append(f"95 % interval of the cost {interval(low, high)}")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}." if text else None

    def _balanced(self, entry: Entry) -> Text:
        if entry.computing_share is None:
            return Text("The run does not communicate, so no rank waits for another.")
        efficiency = share(min(1.0, entry.computing_share))
        return Text(f"Nothing costs more than {share(NOTE)} of the run: its ranks compute {efficiency} of their time.")


def _ranks_text(entry: Entry) -> str:
    if len(entry.ranks) > _RANK_LIMIT:
        return f"Ranks {shortened_list([str(rank) for rank in entry.ranks], _RANK_LIMIT)}"
    names = [str(rank) for rank in entry.ranks]
    return f"Rank {names[0]}" if len(names) == 1 else f"Ranks {in_words(names)}" if names else "Ranks"


def _usual(entry: Entry) -> str:
    match entry.kind:
        case "noise":
            return "it usually takes"
        case "rotating-delay":
            return "most ranks compute"
        case _:
            return "the others compute"


def _core_use(use: CoreUse, is_one: bool) -> str:
    """The activity of the ranks while they computed longer, in words."""
    excess, part = duration(use.excess_ns), duration(use.part_ns)
    match use.word:
        case "queued":
            return f"of {excess} in all, {'it' if is_one else 'they'} waited {part} for a core"
        case "asleep":
            return f"of {excess} in all, {'it' if is_one else 'they'} slept {part}, by CPU time"
        case "idle-threads":
            return f"{number(use.cores)} cores busy at a time, where the others keep {number(use.other_cores)}"
        case _:
            return f"{excess} in all, on {'its core' if is_one else 'their cores'}"


def _action(entry: Entry) -> str | None:
    if entry.kind == "imbalance" and entry.even_ns is not None:
        pronoun = "it" if len(entry.ranks) == 1 else "them"
        return f"Give {pronoun} less work. The same work spread evenly would save {duration(entry.even_ns)}."
    return _ACTIONS.get(entry.kind)
