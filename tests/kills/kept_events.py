"""Compares a run's trace with the calls that its ranks logged themselves (programs/logged_calls.c)."""

import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from hopscope.launch import collector_file
from read_spool import function_numbers

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).parent / "programs" / "logged_calls.c"
FLAGS = (f"-I{ROOT / 'collector' / 'include'}", f"-I{ROOT}")

_EVENT = re.compile(r"^(ENTER|LEAVE|MPI_[A-Z_]+) +(\d+) +\d+ *(.*)$", re.MULTILINE)
_HEAD_BYTES = 16


def functions() -> list[str]:
    """Names of MPI functions by their number."""
    return ["", *function_numbers()]


@dataclass
class Log:
    """Log of one rank."""

    pid: int = 0
    wrong: int = 0
    calls: list[str] = field(default_factory=list)


def read_log(path: Path, names: list[str]) -> Log:
    """A rank's log; empty if the rank never began it."""
    data = path.read_bytes() if path.exists() else b""
    if len(data) < _HEAD_BYTES:
        return Log()
    count = int.from_bytes(data[8:16], "little")
    numbers = memoryview(data)[_HEAD_BYTES : _HEAD_BYTES + 2 * count].cast("H")
    return Log(int.from_bytes(data[:4], "little"), int.from_bytes(data[4:8], "little"), [names[n] for n in numbers])


@dataclass
class RankEvents:
    """Events of one rank in the archive."""

    entered: int = 0
    calls: list[str] = field(default_factory=list)
    """Names of the completed calls, in order."""
    messages: Counter[str] = field(default_factory=Counter)
    """Numbers of messages by kind. The application's messages and hops (`hop MPI_IRECV`) are separate."""


def read_archive(trace: Path) -> dict[int, RankEvents]:
    """Events in the archive, by rank."""
    words = ["otf2-print", str(trace / "traces.otf2")]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    ranks: dict[int, RankEvents] = defaultdict(RankEvents)
    for event, rank, rest in _EVENT.findall(printed):
        events = ranks[int(rank)]
        if event in ("ENTER", "LEAVE"):
            region = rest.split('"')[1]
            if not region.startswith("MPI_"):
                continue
            if event == "ENTER":
                events.entered += 1
            else:
                events.calls.append(region)
        else:
            events.messages[("hop " if '"hops:' in rest else "") + event] += 1
    return ranks


def without_repeated_tests(calls: list[str]) -> list[str]:
    """The calls, with one MPI_Test in place of several consecutive ones. The collector records failing tests separately
    if there is time between them."""
    return [call for i, call in enumerate(calls) if call != "MPI_Test" or i == 0 or calls[i - 1] != "MPI_Test"]


def assemble(trace: Path) -> tuple[int, str]:
    """Makes the archive as `hopscope recover` does. Returns the exit code and the output."""
    words = [str(collector_file("hopscope-assemble")), str(trace)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def loss(log: Log, events: RankEvents, *, tree: bool) -> str:
    """Compares a rank's log with its trace. Returns a sentence on missing or extra events; empty if there are none. One
    extra call is permitted, which may be complete but not logged yet."""
    logged, recorded = without_repeated_tests(log.calls), without_repeated_tests(events.calls)
    if recorded[: len(logged)] != logged:
        position = next((i for i, (a, b) in enumerate(zip(recorded, logged, strict=False)) if a != b), len(recorded))
        return f"{len(logged)} calls were logged, the trace holds {len(recorded)} and differs from call {position} on"
    # A test may have failed before the open call.
    extra_calls = [call for call in recorded[len(logged) :] if call != "MPI_Test"]
    if len(extra_calls) > 1:
        return f"the trace holds {len(extra_calls)} calls that were not logged: {extra_calls[:4]}"
    if events.entered - len(events.calls) not in (0, 1):
        return f"{events.entered} calls were entered and {len(events.calls)} left"
    count = Counter(log.calls)
    least_messages = {
        "MPI_SEND": count["MPI_Sendrecv"] + count["MPI_Send"],
        "MPI_RECV": count["MPI_Sendrecv"],
        "MPI_IRECV_REQUEST": count["MPI_Irecv"],
        "MPI_IRECV": count["MPI_Test"],
    }
    if tree:  # of two ranks, each sends and receives a hop in Allreduce and Barrier, and does one of both in Bcast
        least_messages["hop MPI_IRECV"] = count["MPI_Allreduce"] + count["MPI_Barrier"] + count["MPI_Bcast"] // 2
    short = {kind: (n, events.messages[kind]) for kind, n in least_messages.items() if events.messages[kind] < n}
    return f"messages logged and held: {short}" if short else ""
