"""Runs schedules under SimGrid's SMPI, a simulator that shares no code with the replay, to see when each rank leaves.

For tests and benchmarks. The machine model is simple: a message costs its link's latency, a time per byte, and the
overheads of its two ranks. In SimGrid, messages that cross one link at the same time share its bandwidth; in the replay
they queue.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from hopscope.machine.hops import Array
from hopscope.machine.routes import Link, Server, interfaces, machine
from hopscope.native import _plan
from local_mpi import ROOT

PACKAGE = "libsimgrid-dev"
"""The Debian package of SimGrid."""
ENVELOPE = 16
"""Bytes that SMPI adds to each message."""
_SOURCE = Path(__file__).parent / "smpi_schedules.c"
_RECEIVE, _SEND, _WORK = range(3)
_LARGEST_SIZE = (1 << 31) - 1
_PLAIN = {
    # Links have exactly the platform's bandwidths and latencies, without a model of TCP.
    "network/model": "CM02",
    "network/TCP-gamma": 0,
    "network/weight-S": 0,
    "network/latency-factor": 1,
    "network/bandwidth-factor": 1,
    "network/crosstraffic": "no",
    # Only messages and the program's sleeping take time, and a message leaves when it is sent.
    "smpi/simulate-computation": "no",
    "smpi/wtime": 0,
    "smpi/async-small-thresh": _LARGEST_SIZE,
    "smpi/send-is-detached-thresh": _LARGEST_SIZE,
    "smpi/host-speed": "1Gf",
    "contexts/stack-size": 256,
}


@dataclass(frozen=True)
class SimulatedMachine:
    """Hosts and the links between them. Times in ns, bandwidths as ns per byte; a matrix has a row for each sending
    host and a column for each receiving host.

    A pair of hosts has its own link, which takes any number of messages at full speed. interface_per_byte_ns: the time
    per byte of a host's interface, which all messages that leave the host share, and all that reach it; 0: no
    interface. send_ns, receive_ns: the overhead of a message at its ranks.
    """

    latency_ns: Array
    per_byte_ns: Array
    interface_per_byte_ns: float = 0.0
    send_ns: float = 0.0
    receive_ns: float = 0.0

    def for_replay(self) -> dict[str, Any]:
        """The machine in the replay's form. A message's envelope is part of its latency."""
        hosts, envelope = len(self.latency_ns), ENVELOPE
        times = np.stack([self.latency_ns + envelope * self.per_byte_ns, self.per_byte_ns], axis=-1).reshape(-1, 2)
        kinds, link = np.unique(times, axis=0, return_inverse=True)
        links = [
            Link(latency, per_byte_ns, self.send_ns, 0.0, self.receive_ns) for latency, per_byte_ns in kinds.tolist()
        ]
        places = link.reshape(hosts, hosts)
        if not self.interface_per_byte_ns:
            return machine(places, links)
        senders, receivers = interfaces(hosts)
        per_byte_ns = self.interface_per_byte_ns
        return machine(
            places,
            links,
            send_servers=[senders],
            receive_servers=[receivers],
            servers=[Server(envelope * per_byte_ns, per_byte_ns)] * (2 * hosts),
        )

    def write(self, file: Path) -> None:
        """Write the platform file of SimGrid."""
        hosts = len(self.latency_ns)
        platform = ElementTree.Element("platform", version="4.1")
        zone = ElementTree.SubElement(platform, "zone", id="all", routing="Full")
        for host in range(hosts):
            ElementTree.SubElement(zone, "host", id=f"h{host}", speed="1Gf")
        if self.interface_per_byte_ns:
            for end in ("out", "into"):
                for host in range(hosts):
                    _link(zone, f"{end}{host}", 0.0, self.interface_per_byte_ns, "SHARED")
        for a in range(hosts):
            for b in range(hosts):
                _link(zone, f"l{a}-{b}", self.latency_ns[a, b], self.per_byte_ns[a, b], "FATPIPE")
        for a in range(hosts):
            for b in range(hosts):
                route = ElementTree.SubElement(zone, "route", src=f"h{a}", dst=f"h{b}", symmetrical="NO")
                ends = (f"out{a}", f"into{b}") if self.interface_per_byte_ns and a != b else ()
                for link in (*ends[:1], f"l{a}-{b}", *ends[1:]):
                    ElementTree.SubElement(route, "link_ctn", id=link)
        text = ElementTree.tostring(platform, "unicode")
        file.write_text(
            f'<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n{text}\n'
        )


def _link(zone: ElementTree.Element, name: str, latency_ns: float, per_byte_ns: float, policy: str) -> None:
    bandwidth = 1e9 / per_byte_ns if per_byte_ns else 1e18
    values = {"bandwidth": f"{float(bandwidth)!r}Bps", "latency": f"{float(latency_ns)!r}ns", "sharing_policy": policy}
    ElementTree.SubElement(zone, "link", id=name, **values)


def why_not() -> str | None:
    """The reason why nothing can be simulated here; None if simulation works."""
    missing = [command for command in ("smpicc", "smpirun") if shutil.which(command) is None]
    return f"{' and '.join(missing)} not found; install SimGrid (Debian: {PACKAGE})" if missing else None


def simulated_leaves(
    schedules: Sequence[_plan.Schedules],
    hosts: Sequence[int],
    simulated: SimulatedMachine,
    folder: Path,
    *,
    schedule_numbers: Sequence[int] = (0,),
    gaps_ns: Array | int = 0,
    combine_per_byte_ns: float = 0.0,
) -> Array:
    """The time at which each rank leaves each collective of a sequence: collectives x ranks, in ns, as
    `hopscope.native.sequences.leaves` gives them.

    hosts: the host of each rank. schedule_numbers: the schedule of each collective. gaps_ns (ranks x collectives): each
    rank's own time before it enters. Raises RuntimeError with SMPI's output if it fails.
    """
    ranks, count = len(hosts), len(schedule_numbers)
    program, leaves, platform, places = (folder / name for name in ("program", "leaves", "platform.xml", "hosts"))
    _program(schedules, ranks, schedule_numbers, gaps_ns, combine_per_byte_ns).tofile(program)
    np.zeros((count, ranks)).tofile(leaves)
    simulated.write(platform)
    places.write_text("".join(f"h{host}\n" for host in hosts))
    overheads = {"smpi/ois": f"0:{simulated.send_ns * 1e-9}:0", "smpi/or": f"0:{simulated.receive_ns * 1e-9}:0"}
    settings = {**_PLAIN, **overheads}
    words = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(places)]
    words += [f"--cfg={name}:{value}" for name, value in settings.items()]
    words += ["--log=root.thres:error", str(_program_file()), str(program), str(leaves)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return 1e9 * np.fromfile(leaves).reshape(count, ranks)


def _program_file() -> Path:
    """The compiled program; made again if its source is newer."""
    program = ROOT / "build" / "programs" / "simgrid" / _SOURCE.stem
    if not program.exists() or program.stat().st_mtime < _SOURCE.stat().st_mtime:
        program.parent.mkdir(parents=True, exist_ok=True)
        words = ["smpicc", "-O2", "-Wall", "-Wextra", str(_SOURCE), "-o", str(program)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr}")
    return program


def _program(
    schedules: Sequence[_plan.Schedules],
    ranks: int,
    schedule_numbers: Sequence[int],
    gaps_ns: Array | int,
    combine_per_byte_ns: float,
) -> Array:
    """The program to simulate, in the format of smpi_schedules.c."""
    parts = [_part(schedule, rank, combine_per_byte_ns) for schedule in schedules for rank in range(ranks)]
    begins = np.cumsum([0, *(len(part) for part in parts)])[:-1]
    longest = max(int(schedule["length"].max(initial=0)) * schedule["unit_bytes"] for schedule in schedules)
    gaps = np.broadcast_to(np.asarray(gaps_ns), (ranks, len(schedule_numbers))).ravel()
    head = [ranks, len(schedule_numbers), len(schedules), longest, *schedule_numbers]
    return np.concatenate([head, gaps, begins, *parts]).astype(np.int64)


def _part(schedule: _plan.Schedules, rank: int, combine_per_byte_ns: float) -> Array:
    """One rank's steps in a schedule, numbered from the rank's first step."""
    first, end = (int(schedule["first_step"][place]) for place in (rank, rank + 1))
    rows = slice(first, end)
    kind, size = schedule["kind"][rows], schedule["length"][rows] * schedule["unit_bytes"]
    sends, receives = kind == _plan.SEND, kind == _plan.RECEIVE
    work = np.where(kind == _plan.COMBINE, np.rint(combine_per_byte_ns * size), 0)
    partners = schedule["other_end"][rows]
    # A message's tag is the number of its receive among the receiver's steps.
    owner = np.searchsorted(schedule["first_step"], partners, side="right") - 1
    steps = np.arange(end - first)
    tag = np.where(sends, partners - schedule["first_step"][np.maximum(owner, 0)], steps)
    peer = np.where(sends | receives, owner, -1)
    edges = slice(int(schedule["first_edge"][first]), int(schedule["first_edge"][end]))
    ready = slice(int(schedule["first_ready"][rank]), int(schedule["first_ready"][rank + 1]))
    columns = [
        np.where(sends, _SEND, np.where(receives, _RECEIVE, _WORK)),
        peer,
        np.where(sends | receives, size, work),
        tag,
        schedule["unmet"][rows],
        schedule["first_edge"][first : end + 1] - schedule["first_edge"][first],
        schedule["edge"][edges] - first,
        schedule["ready"][ready] - first,
    ]
    counts = [end - first, ready.stop - ready.start, edges.stop - edges.start]
    return np.concatenate([counts, *columns]).astype(np.int64)
