"""Reads the spools of a run for tests: header, records and definitions, as hopscope/spool.h describes them.

A whole call that is stored as one record is expanded into its enter, its message and its leave.
"""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass, field
from pathlib import Path

HEADER = struct.Struct("<8s7I256s4xQQQ")
RECORD = struct.Struct("<QHHIQQQ")
STATES = ("open", "closed", "stopped")
KINDS = {
    1: "ENTER", 2: "LEAVE", 10: "SEND", 11: "RECV", 12: "ISEND", 13: "ISEND_COMPLETE", 14: "IRECV_POST", 15: "IRECV",
    16: "REQUEST_CANCELLED", 17: "COLLECTIVE_REQUEST", 18: "COLLECTIVE_COMPLETE", 20: "HOP_ISEND",
    21: "HOP_ISEND_COMPLETE", 22: "HOP_IRECV_POST", 23: "HOP_IRECV", 24: "TRANSFER", 25: "TRANSFER_COMPLETE",
    30: "WAIT_BEGIN", 31: "WAIT_END", 32: "STEP_BEGIN", 33: "STEP_END", 40: "OVERHEAD_BEGIN", 41: "OVERHEAD_END",
    42: "IDLE_BEGIN", 43: "IDLE_END", 44: "JOIN_BEGIN", 45: "JOIN_END",
    50: "REGION_BEGIN", 51: "REGION_END", 60: "OFF", 61: "ON", 62: "SKIPPED",
}  # fmt: skip

ENTER, LEAVE, ENTER_BARE, ENTER_MESSAGE, ENTER_COLLECTIVE, CALL, CALL_COLLECTIVE = range(1, 8)
ISEND_COMPLETE = 13
AT_ENTER, AT_LEAVE, AS_ASKED, KIND_INSIDE = 0x100, 0x200, 0x400, 0xFF
ANY_PEER, ANY_TAG = 1 << 63, 1 << 62
LOWER = 2**32 - 1
Fields = tuple[int, int, int, int, int, int, int]


@dataclass
class Record:
    """One record. function: the MPI function of an ENTER or LEAVE."""

    ticks: int
    kind: str
    region: int
    comm: int
    a: int
    b: int
    c: int

    @property
    def peer(self) -> int:
        return self.a >> 32

    @property
    def tag(self) -> int:
        return self.a & 0xFFFFFFFF


@dataclass
class Spool:
    """The records of one thread of one rank."""

    rank: int
    thread: int
    state: str
    reason: str
    records: list[Record]
    stored: list[Fields]
    """The records as the file has them, not expanded."""

    def of(self, *kinds: str) -> list[Record]:
        return [r for r in self.records if r.kind in kinds]


@dataclass
class Run:
    """All spools and definitions of a run."""

    spools: list[Spool] = field(default_factory=list)
    definitions: dict[int, list[dict]] = field(default_factory=dict)

    def defs(self, rank: int, kind: str) -> list[dict]:
        return [d for d in self.definitions[rank] if d["def"] == kind]

    def process(self, rank: int) -> dict:
        merged: dict = {}
        for line in self.defs(rank, "process"):
            merged.update(line)
        return merged

    def comms(self, rank: int) -> dict[int, dict]:
        return {d["id"]: d for d in self.defs(rank, "comm")}

    def of(self, rank: int) -> list[Spool]:
        return [s for s in self.spools if s.rank == rank]


def signed(half: int) -> int:
    """Returns the signed 64-bit field of which only the lower 32 bits were stored."""
    return half if half < 2**31 else half + 2**64 - 2**32


def expand(stored: Fields) -> list[Fields]:
    """Returns the records for which one stored record stands: several if it is a whole call."""
    ticks, kind, region, comm, a, b, c = stored
    site, leave, timestamp_kind = a & LOWER, ticks + (a >> 32), kind & (AT_ENTER | AT_LEAVE)
    if timestamp_kind:
        request = b | (LOWER << 32) * bool(c & ANY_PEER) | LOWER * bool(c & ANY_TAG)
        enter = (comm, site, request, 0) if kind & AS_ASKED else (0, site, 0, 0)
        message = (c & (ANY_TAG - 1), 0) if kind & AS_ASKED else (c & LOWER, c >> 32)
        message_ticks = ticks if kind & AT_ENTER else leave
        records = [(ticks, ENTER, region, *enter), (message_ticks, kind & KIND_INSIDE, 0, comm, b, *message)]
        if timestamp_kind == AT_ENTER | AT_LEAVE:
            records.append((leave, ISEND_COMPLETE, 0, 0, 0, 0, message[1]))
        return [*records, (leave, LEAVE, region, 0, 0, 0, 0)]
    if kind == ENTER_BARE:
        return [(ticks, ENTER, region, 0, site, 0, 0)]
    if kind == ENTER_MESSAGE:
        return [(ticks, ENTER, region, comm, site, b, 0)]
    if kind in (ENTER_COLLECTIVE, CALL_COLLECTIVE):
        enter = (ticks, ENTER, region, comm, site, b & LOWER, signed(c & LOWER))
        return [enter] if kind == ENTER_COLLECTIVE else [enter, (leave, LEAVE, region, 0, b >> 32, c >> 32, 0)]
    if kind in (ENTER, CALL):
        enter = (ticks, ENTER, region, comm, site, b, c)
        return [enter] if kind == ENTER else [enter, (leave, LEAVE, region, 0, 0, 0, 0)]
    return [stored]


def read_spool(path: Path) -> Spool:
    data = path.read_bytes()
    magic, version, header_bytes, record_bytes, rank, thread, _pid, state, reason, *front_and_chunks = (
        HEADER.unpack_from(data)
    )
    chunk_bytes, flushed, front = front_and_chunks
    assert magic == b"HOPSPOOL" and version == 5 and record_bytes == RECORD.size, path
    stored: list[Fields] = []
    chunks = header_bytes + chunk_bytes
    written = data[chunks : chunks + flushed * chunk_bytes] + data[header_bytes:chunks] * (front == flushed)
    for fields in RECORD.iter_unpack(written):
        if fields[1] == 0:
            break
        stored.append(fields)
    records = [Record(r[0], KINDS[r[1]], *r[2:]) for fields in stored for r in expand(fields)]
    return Spool(rank, thread, STATES[state], reason.rstrip(b"\0").decode(), records, stored)


def read_run(directory: Path) -> Run:
    run = Run()
    for path in sorted((directory / "spool").glob("*.spool")):
        run.spools.append(read_spool(path))
    for path in sorted((directory / "spool").glob("*.defs")):
        run.definitions[int(path.stem)] = [json.loads(line) for line in path.read_text().splitlines()]
    return run


def function_numbers() -> dict[str, int]:
    """The number of each MPI function in ENTER and LEAVE, from schemas/mpi_functions.h."""
    header = Path(__file__).parents[3] / "schemas" / "mpi_functions.h"
    names: list[str] = []
    for row, name, second in re.findall(r"^    (FUNCTION|COLLECTIVE)\((\w+), (\w+)", header.read_text(), re.MULTILINE):
        names += [name] if row == "FUNCTION" else [name, second, f"{name}_init"]
    return {f"MPI_{name}": number for number, name in enumerate(names, start=1)}
