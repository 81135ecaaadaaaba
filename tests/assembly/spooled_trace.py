"""A trace directory under test: spools written from a text, and the programs that assemble and print them."""

import os
import re
import subprocess
from pathlib import Path

import otf2  # type: ignore[import-untyped]
from hopscope.launch import collector_file

WORLD = '"key":"{key:02x}","parent":"00","name":"{name}","size":{size},"rank":{rank},"members":{members},"inter":false'


def process(rank: int, size: int, *, host: str = "a0", cluster: str = "A", machine: str = "n1", **entries: str) -> str:
    """The definition line of a process. entries: JSON values by key."""
    fields = {"tick_source": '"monotonic"', "mode": '"observe"', **entries}
    rest = "".join(f',"{key}":{value}' for key, value in fields.items())
    return (
        f'def {rank} {{"def":"process","world_rank":{rank},"world_size":{size},"pid":{100 + rank},"core":{rank},'
        f'"clock_host":"{machine}","host":"{host}","cluster":"{cluster}"{rest}}}\n'
    )


def comm(rank: int, number: int, key: int, members: list[int], *, name: str = "", tell: bool = True) -> str:
    """The definition line of a communicator, as one of its members writes it. tell: the line of the communicator's rank
    0 lists the members."""
    comm_rank = members.index(rank)
    member_list = str(members) if tell and comm_rank == 0 else "null"
    body = WORLD.format(key=key, name=name, size=len(members), rank=comm_rank, members=member_list)
    return f'def {rank} {{"def":"comm","id":{number},{body}}}\n'


def world(rank: int, size: int, **entries: str) -> str:
    """The definition lines of a process and of its MPI_COMM_WORLD (id 1)."""
    return process(rank, size, **entries) + comm(rank, 1, 1, list(range(size)), name="MPI_COMM_WORLD")


def barrier(rank: int, begin: int, end: int, seq: int = 0, *, comm: int = 1) -> str:
    """The records of one call of MPI_Barrier."""
    return f"{begin} ENTER region=MPI_Barrier comm={comm} b={seq} c=none\n{end} LEAVE region=MPI_Barrier\n"


class Trace:
    """A trace directory, and the programs that work on it."""

    def __init__(self, directory: Path, writer: Path) -> None:
        self.directory = directory
        self.writer = writer

    def write(self, script: str) -> "Trace":
        """Writes spools. collector/tests/assembly/write_spools.c describes the script."""
        subprocess.run([self.writer, self.directory], input=script, text=True, check=True)
        return self

    def start(self, *, keep: bool = False) -> "subprocess.Popen[str]":
        """Starts hopscope-assemble on the directory."""
        environment = {**os.environ, "HOPSCOPE_KEEP_SPOOL": "1" if keep else "0"}
        return subprocess.Popen(
            [collector_file("hopscope-assemble"), self.directory],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def assemble(self, *, keep: bool = False, code: int = 0) -> str:
        """Assembles, checks the exit code, and returns stderr."""
        with self.start(keep=keep) as running:
            stdout, stderr = running.communicate(timeout=60)
        assert running.returncode == code, stderr
        assert stdout == ""
        return stderr

    def print(self, *options: str) -> list[str]:
        """The lines of otf2-print, which must not report an error."""
        anchor = self.directory / "traces.otf2"
        done = subprocess.run(["otf2-print", *options, anchor], capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert done.stderr == ""
        assert not re.search(r"\bwarning\b|\berror\b|\binvalid\b", done.stdout, re.IGNORECASE), done.stdout
        return done.stdout.splitlines()

    def definitions(self, kind: str) -> list[str]:
        """The attributes of a kind of global definition, such as COMM."""
        return [line.split(None, 2)[2] for line in self.print("-G") if line.split(" ")[0] == kind]

    def events(self, location: int) -> list[tuple[str, int, str]]:
        """Name, recorded time and attributes of a location's events, in order."""
        events: list[tuple[str, int, str]] = []
        is_at_location = False
        for line in self.print():
            words = line.split(None, 3)
            if len(words) >= 3 and re.fullmatch(r"[A-Z_0-9]+", words[0]) and words[1].isdigit():
                is_at_location = int(words[1]) == location
                if is_at_location:
                    events.append((words[0], int(words[2]), words[3].strip() if len(words) == 4 else ""))
            elif is_at_location and "ATTRIBUTES" in line:
                name, time, attributes = events[-1]
                events[-1] = (name, time, f"{attributes} {line.strip()}".strip())
        return events

    def python_events(self) -> list[tuple[str, str, int]]:
        """Location group, kind and time of all events as the otf2 package reads them."""
        events: list[tuple[str, str, int]] = []
        with otf2.reader.open(str(self.directory / "traces.otf2")) as trace:
            for location, event in trace.events:
                events.append((location.group.name, type(event).__name__, event.time))
        return events
