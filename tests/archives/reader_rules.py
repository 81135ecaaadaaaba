"""All rules of OTF2's other readers for one archive: no warning of otf2-print, and what Score-P's package for Python,
Pipit and Vampir need."""

import subprocess
from pathlib import Path
from typing import Any

import _otf2
import otf2
from definition_rules import check_definitions
from event_rules import EventRules
from violations import Violations

_DEFINITIONS = ("-G",)
_OUTPUTS = (("-A",), _DEFINITIONS, ("-I", "-M", "-C", "-T"), ("--silent",))
"""Options of otf2-print for everything that it can print."""


def violations_of(anchor: Path) -> list[str]:
    """The violations of the archive; empty if all can read it."""
    violations = Violations()
    # The package for Python refuses every archive with an intercommunicator, because its class `InterComm` has the
    # fields of `Comm`, too.
    if "INTER_COMM" in _printed_definitions(anchor, violations):
        return violations.texts()
    try:
        _check_reading(anchor, violations)
        _check_reading_by_location(anchor, violations)
    except (KeyError, _otf2.ErrorCodes.Error, otf2.error.TraceReaderError) as error:
        violations.add("otf2 for Python refuses the archive", repr(error))
    return violations.texts()


def _printed_definitions(anchor: Path, violations: Violations) -> str:
    """The archive's definitions as otf2-print shows them, after it has printed everything without a warning."""
    definitions = ""
    for options in _OUTPUTS:
        words = ["otf2-print", "--warnings-as-errors", *options, str(anchor)]
        output = subprocess.PIPE if options == _DEFINITIONS else subprocess.DEVNULL
        done = subprocess.run(words, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
        definitions += done.stdout or ""
        is_clean = done.returncode == 0 and not done.stderr
        violations.require(is_clean, "otf2-print complains", f"{' '.join(options)}: {done.stderr or done.returncode}")
    return definitions


def _check_reading(anchor: Path, violations: Violations) -> None:
    with otf2.reader.open(str(anchor)) as trace:
        check_definitions(trace.definitions, violations)
        rules = EventRules(trace.definitions, violations)
        for location, event in trace.events:
            rules.check(location, event)
        rules.finish()


def _check_reading_by_location(anchor: Path, violations: Violations) -> None:
    """Read as Pipit does: the locations one after another, every attribute of an event, times from the clock's offset
    on."""
    with otf2.reader.open(str(anchor)) as trace:
        references = [location._ref for location in trace.definitions.locations]
    for reference in references:
        with otf2.reader.open(str(anchor)) as trace:
            location = trace.definitions.locations[reference]
            definitions: Any = trace.definitions
            offset = definitions.clock_properties.global_offset
            count = sum(event.time >= offset and bool(vars(event)) for _, event in trace.events(location))
            place = f"{location.name}: {count} instead of {location.number_of_events}"
            violations.require(count == location.number_of_events, "a location alone has other events", place)
