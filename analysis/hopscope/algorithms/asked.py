"""Which algorithm the user's settings asked the MPI library for, and whether it ran."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

from hopscope.algorithms.recognition import UNRECOGNISED
from hopscope.mpi_libraries.mpich import algorithms as mpich
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi
from hopscope.mpi_libraries.open_mpi.rules import Rule, Rules, read_rules, rules_for, size_in_rules

UNDECIDED: Final = "undecided"


@dataclass(frozen=True)
class Request:
    """What was asked of one collective."""

    asked: str
    """In the user's words, with the library's name for a number."""
    sent: str | None
    """What the messages would be called; None: not known."""
    ignored: str | None = None
    """Why the library does not follow it, whatever runs."""
    instead: str | None = None
    """Why the library runs another algorithm on so many ranks."""
    function: str | None = None
    """What the library calls the function that runs it; None: not known."""


def operation_of(op: str) -> str | None:
    """`bcast` of MPI_Bcast or MPI_Bcast_c; None of nonblocking and persistent operations."""
    name = re.fullmatch(r"MPI_([A-Z][a-z_]+?)(?:_c)?", op)
    return None if name is None or re.match(r"I[a-z]", name[1]) or op.endswith("_init") else name[1].lower()


def obeyed(
    request: Request | None, found: str, same: Collection[str], captured: str | None = None
) -> tuple[str | None, str | None]:
    """Whether what was found is what was asked for, and why not where that is known. captured: the library's own name
    of what ran, which also tells algorithms apart that send the same messages."""
    if request is None:
        return None, None
    follows, why = _obeyed_by_messages(request, found, {found, *same})
    if not captured or not request.function:
        return follows, why
    if captured != request.function:
        return "no", request.ignored or request.instead
    if follows == UNDECIDED:
        return "yes", None
    if follows == "no" and why is None:
        why = f"Open MPI's {captured} passed it on to another algorithm"
    return follows, why


def _obeyed_by_messages(request: Request, found: str, names: Collection[str]) -> tuple[str, str | None]:
    if found == UNRECOGNISED:
        return UNDECIDED, None
    if request.instead is None and any(sends(name, request.sent) for name in names):
        return "yes", None
    if request.ignored or request.instead:
        return "no", request.ignored or request.instead
    return (UNDECIDED if request.sent in (None, open_mpi.OWN_CHOICE) else "no"), None


def sends(name: str, sent: str | None) -> bool:
    """Whether an algorithm of this name has the messages that are asked for. k-nomial trees have a radix of their own,
    by a parameter that does not say which algorithm runs."""
    return name == sent or (sent is not None and all(one.startswith("k-nomial:") for one in (name, sent)))


@dataclass(frozen=True)
class Settings:
    """The settings of a run, and the MPI library that they were for."""

    made: Mapping[str, Mapping[str, str | None]]
    library: str

    @classmethod
    def read(cls, text: str | None, library: str | None) -> Settings:
        """From the columns of the table `run`."""
        made: list[dict[str, Any]] = json.loads(text) if text else []
        return cls({str(one["name"]): one for one in made}, library or "")

    def request(self, op: str, ranks: int, payload: int | None) -> Request | None:
        """What the settings ask of a collective. They hold for blocking operations only."""
        operation = operation_of(op)
        if not self.made or operation is None:
            return None
        return self._of_mpich(operation, ranks) if self.is_mpich else self.of_tuned(operation, ranks, payload)

    def of_tuned(self, operation: str, ranks: int, payload: int | None) -> Request | None:
        """What they ask of Open MPI's `tuned` for an operation, such as `bcast`, on so many ranks. Release 4 looks at
        the rules first, release 5 at the algorithm that is set for the operation."""
        sources = [self._by_rules(operation, ranks, payload), self._by_number(operation, ranks)]
        if not self.is_open_mpi_4:
            sources.reverse()
        return next((one for one in sources if one is not None), None)

    @property
    def is_mpich(self) -> bool:
        """Whether they were for MPICH."""
        return "MPICH" in self.library

    @property
    def is_open_mpi_4(self) -> bool:
        """Whether they were for a release of Open MPI before 5."""
        return re.search(r"Open MPI v[1-4]\.", self.library) is not None

    def _by_number(self, operation: str, ranks: int) -> Request | None:
        one = self.made.get(f"coll_tuned_{operation}_algorithm")
        text = (one["asked"] or one["value"]) if one else None
        if one is None or not text:
            return None
        number = open_mpi.number_of(operation, text)
        if number == 0:
            return None
        if one["value"] == "0" or (number is None and one["value"] is None):
            return Request(text, None, ignored=f"this Open MPI has no algorithm {text} for {operation}")
        if number is None:  # newer than the table
            return Request(text, None, self._ignored)
        chains = self.made.get(f"coll_tuned_{operation}_algorithm_chain_fanout", {}).get("value")
        return self._asked(operation, number, ranks, int(chains or 4))

    def _by_rules(self, operation: str, ranks: int, payload: int | None) -> Request | None:
        one = self.made.get("coll_tuned_dynamic_rules_filename")
        path = (one["value"] or one["asked"]) if one else None
        if not path:
            return None
        if isinstance(self._rules, str):
            return Request(PurePath(path).name, None, ignored=self._ignored or self._rules)
        rows: list[Rule] = list(rules_for(self._rules, operation, ranks, size_in_rules(operation, ranks, payload)))
        wishes = {(row.algorithm, row.fan_out) for row in rows}
        if len(wishes) > 1:
            return Request(PurePath(path).name, None, ignored=self._ignored)
        number, fan_out = wishes.pop() if wishes else (0, 0)
        if number == 0:
            return None
        if (operation, number) not in open_mpi.ALGORITHMS:
            return Request(str(number), None, self._ignored)
        return self._asked(operation, number, ranks, fan_out)

    def _asked(self, operation: str, number: int, ranks: int, chains: int) -> Request:
        algorithm = open_mpi.ALGORITHMS[operation, number]
        sent = open_mpi.sent(operation, number, ranks, chains)
        instead = None
        if sent is None or isinstance(sent, open_mpi.Instead):
            instead = f"on {ranks} ranks Open MPI {'runs ' + sent + ' instead' if sent else 'refuses it'}"
        return Request(f"{algorithm.name} ({number})", sent, self._ignored, instead, algorithm.function)

    @cached_property
    def _ignored(self) -> str | None:
        """Why tuned follows none of its settings."""
        components = self.made.get("coll", {}).get("value") or ""
        known = any(name.startswith("coll_tuned_") and one["value"] is not None for name, one in self.made.items())
        if not known and components:
            return f"the component tuned is not loaded (coll={components})"
        dynamic = self.made.get("coll_tuned_use_dynamic_rules", {})
        if (dynamic.get("value") or dynamic.get("asked") or "0") in ("0", "false"):
            return "coll_tuned_use_dynamic_rules is not set"
        return None

    @cached_property
    def _rules(self) -> Rules | str:
        """Or why there are none."""
        text = self.made["coll_tuned_dynamic_rules_filename"]["text"]
        if text is None:
            return "the rules file could not be read"
        try:
            return read_rules(text)
        except ValueError as problem:
            return f"the rules file is not valid: {problem}"

    def _of_mpich(self, operation: str, ranks: int) -> Request | None:
        for prefix in ("MPIR_CVAR_", "MPICH_"):
            one = self.made.get(f"{prefix}{operation.upper()}_INTRA_ALGORITHM")
            if one and one["asked"] and one["asked"] != "auto":
                sent = mpich.ALGORITHMS.get((operation, one["asked"]))
                return Request(one["asked"], sent if ranks > 2 else None)  # on two ranks most coincide
            file = self.made.get(f"{prefix}COLL_SELECTION_TUNING_JSON_FILE")
            if file and file["asked"]:
                return Request(PurePath(file["asked"]).name, None)
        return None
