"""Finds the algorithm that the user's settings request from the MPI library, and tells if it ran."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any, Final

from hopscope.algorithms.recognition import UNRECOGNISED
from hopscope.mpi_libraries.installed import flavour_of
from hopscope.mpi_libraries.intel_mpi import algorithms as intel_mpi
from hopscope.mpi_libraries.mpich import algorithms as mpich
from hopscope.mpi_libraries.offered import PRESET
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi
from hopscope.mpi_libraries.open_mpi.rules import Rule, Rules, read_rules, rules_for, size_in_rules

UNDECIDED: Final = "undecided"


@dataclass(frozen=True)
class Request:
    """The algorithm requested for one collective."""

    wording: str
    """The request as the user wrote it; for a number, with the library's name of the algorithm."""
    sent: str | None
    """The name by which the requested algorithm's messages are recognised; None if unknown."""
    ignored: str | None = None
    """The reason why the library ignores the request; None if it does not."""
    instead: str | None = None
    """The reason why the library runs another algorithm on this number of ranks; None if it does not."""
    function: str | None = None
    """The library's function that runs the requested algorithm; None if unknown."""


def operation_of(op: str) -> str | None:
    """The library's name of a blocking operation: `bcast` for MPI_Bcast or MPI_Bcast_c. None for nonblocking and
    persistent operations."""
    name = re.fullmatch(r"MPI_([A-Z][a-z_]+?)(?:_c)?", op)
    return None if name is None or re.match(r"I[a-z]", name[1]) or op.endswith("_init") else name[1].lower()


def obeyed(
    request: Request | None, recognised_name: str, equivalents: Collection[str], captured: str | None = None
) -> tuple[str | None, str | None]:
    """Tells if the recognised algorithm is the requested one: `yes`, `no`, `undecided`, or None without a request; and
    the reason for `no`, if it is known. equivalents: other algorithms with the same messages. captured: the library's
    function that ran, if it was recorded; it distinguishes algorithms with equal messages."""
    if request is None:
        return None, None
    follows, reason = _obeyed_by_messages(request, recognised_name, {recognised_name, *equivalents})
    if not captured or not request.function:
        return follows, reason
    if captured != request.function:
        return "no", request.ignored or request.instead
    if follows == UNDECIDED:
        return "yes", None
    if follows == "no" and reason is None:
        reason = f"Open MPI's {captured} passed it on to another algorithm"
    return follows, reason


def _obeyed_by_messages(request: Request, recognised_name: str, names: Collection[str]) -> tuple[str, str | None]:
    if recognised_name == UNRECOGNISED:
        return UNDECIDED, None
    if request.instead is None and any(sends(name, request.sent) for name in names):
        return "yes", None
    if request.ignored or request.instead:
        return "no", request.ignored or request.instead
    return (UNDECIDED if request.sent in (None, open_mpi.OWN_CHOICE) else "no"), None


def sends(name: str, sent: str | None) -> bool:
    """Tells if an algorithm of this name sends the requested messages. k-nomial trees of every radix count as the same,
    because another parameter sets the radix."""
    return name == sent or (sent is not None and all(title.startswith("k-nomial:") for title in (name, sent)))


@dataclass(frozen=True)
class Settings:
    """The settings of the MPI library in a run, by parameter, and the version text of this library."""

    parameters: Mapping[str, Mapping[str, str | None]]
    library: str

    @classmethod
    def read(cls, text: str | None, library: str | None) -> Settings:
        """Makes the settings from two columns of the table `run`: the settings as JSON, and the library's version."""
        parameters: list[dict[str, Any]] = json.loads(text) if text else []
        return cls({str(parameter["name"]): parameter for parameter in parameters}, library or "")

    def request(self, op: str, ranks: int, payload: int | None) -> Request | None:
        """The algorithm that the settings request for a collective; None without a request. Settings affect only
        blocking operations. payload: bytes of the whole message; None if unknown."""
        operation = operation_of(op)
        if not self.parameters or operation is None:
            return None
        if flavour_of(self.library) == "intelmpi":
            return self._of_intel_mpi(operation)
        return self._of_mpich(operation, ranks) if self.is_mpich else self.of_tuned(operation, ranks, payload)

    def of_tuned(self, operation: str, ranks: int, payload: int | None) -> Request | None:
        """The request to Open MPI's component `tuned` for an operation, such as `bcast`. In release 4, a rules file
        takes precedence over the operation's parameter; in release 5, the parameter over the file."""
        sources = [self._by_rules(operation, ranks, payload), self._by_number(operation, ranks)]
        if not self.is_open_mpi_4:
            sources.reverse()
        return next((request for request in sources if request is not None), None)

    @property
    def is_mpich(self) -> bool:
        """True if the settings are for MPICH."""
        return "MPICH" in self.library

    @property
    def is_open_mpi_4(self) -> bool:
        """True if the settings are for Open MPI before release 5."""
        return re.search(r"Open MPI v[1-4]\.", self.library) is not None

    def _by_number(self, operation: str, ranks: int) -> Request | None:
        parameter = self.parameters.get(f"coll_tuned_{operation}_algorithm")
        text = (parameter["asked"] or parameter["value"]) if parameter else None
        if parameter is None or not text:
            return None
        number = open_mpi.number_of(operation, text)
        if number == 0:
            return None
        if parameter["value"] == "0" or (number is None and parameter["value"] is None):
            return Request(text, None, ignored=f"this Open MPI has no algorithm {text} for {operation}")
        if number is None:  # the algorithm is newer than open_mpi.ALGORITHMS
            return Request(text, None, self._ignored)
        chains = self.parameters.get(f"coll_tuned_{operation}_algorithm_chain_fanout", {}).get("value")
        return self._numbered_request(operation, number, ranks, int(chains or 4))

    def _by_rules(self, operation: str, ranks: int, payload: int | None) -> Request | None:
        parameter = self.parameters.get("coll_tuned_dynamic_rules_filename")
        path = (parameter["value"] or parameter["asked"]) if parameter else None
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
        return self._numbered_request(operation, number, ranks, fan_out)

    def _numbered_request(self, operation: str, number: int, ranks: int, chains: int) -> Request:
        algorithm = open_mpi.ALGORITHMS[operation, number]
        sent = open_mpi.sent(operation, number, ranks, chains)
        instead = None
        if sent is None or isinstance(sent, open_mpi.Instead):
            instead = f"on {ranks} ranks Open MPI {'runs ' + sent + ' instead' if sent else 'refuses it'}"
        return Request(f"{algorithm.name} ({number})", sent, self._ignored, instead, algorithm.function)

    @cached_property
    def _ignored(self) -> str | None:
        """The reason why `tuned` follows none of its settings; None if it does follow them."""
        components = self.parameters.get("coll", {}).get("value") or ""
        is_loaded = any(
            name.startswith("coll_tuned_") and parameter["value"] is not None
            for name, parameter in self.parameters.items()
        )
        if not is_loaded and components:
            return f"the component tuned is not loaded (coll={components})"
        dynamic = self.parameters.get("coll_tuned_use_dynamic_rules", {})
        if (dynamic.get("value") or dynamic.get("asked") or "0") in ("0", "false"):
            return "coll_tuned_use_dynamic_rules is not set"
        return None

    @cached_property
    def _rules(self) -> Rules | str:
        """The rules of the user's rules file, or the reason why there are none."""
        text = self.parameters["coll_tuned_dynamic_rules_filename"]["text"]
        if text is None:
            return "the rules file could not be read"
        try:
            return read_rules(text)
        except ValueError as problem:
            return f"the rules file is not valid: {problem}"

    def _of_mpich(self, operation: str, ranks: int) -> Request | None:
        for prefix in ("MPIR_CVAR_", "MPICH_"):
            parameter = self.parameters.get(f"{prefix}{operation.upper()}_INTRA_ALGORITHM")
            if parameter and parameter["asked"] and parameter["asked"] != "auto":
                sent = mpich.ALGORITHMS.get((operation, parameter["asked"]))
                # On two ranks, most algorithms send the same messages.
                return Request(parameter["asked"], sent if ranks > 2 else None)
            file = self.parameters.get(f"{prefix}COLL_SELECTION_TUNING_JSON_FILE")
            if file and file["asked"]:
                return Request(PurePath(file["asked"]).name, None)
        return None

    def _of_intel_mpi(self, operation: str) -> Request | None:
        """The preset that a variable requests, with its condition if it has one, such as `preset 3:0-1024`."""
        parameter = self.parameters.get(f"I_MPI_ADJUST_{operation.upper()}")
        asked = parameter["asked"] if parameter else None
        if not asked or asked == "0":
            return None
        return Request(f"{PRESET}{asked}", intel_mpi.ALGORITHMS.get((operation, f"{PRESET}{asked}")))
