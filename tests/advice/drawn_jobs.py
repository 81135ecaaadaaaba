"""Jobs whose messages a test draws: hosts of ranks, sender, receiver, size and time of each message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from drawn_rows import drawn_table
from hopscope.dataset.store import table_schemas
from hopscope.vocabulary.links import link_class

LATENCY_NS = {"self": 100, "shm": 1_000, "lan": 50_000, "wan": 20_000_000}
PER_BYTE_NS = {"self": 0.0, "shm": 0.1, "lan": 1.0, "wan": 10.0}


@dataclass
class Job:
    """A drawn job. hosts: the host of each rank, as `cluster/host`. Messages are blocking and follow one another, and
    their receivers wait for them."""

    hosts: Sequence[str]
    run: dict[str, Any] = field(default_factory=dict[str, Any])
    memory: Sequence[int] | None = None
    worlds: Sequence[int] | None = None
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    collectives: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    hops: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    intervals: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    clock: int = 0

    def link(self, src: int, dst: int) -> str:
        """The class of link between two ranks."""
        (a, host), (b, peer_host) = (self.hosts[rank].split("/") for rank in (src, dst))
        return link_class(same_rank=src == dst, same_host=(a, host) == (b, peer_host), same_cluster=a == b)

    def send(self, src: int, dst: int, size: int = 8, *, waited: bool = True, delay: int = 0) -> None:
        """Adds a message that takes its link's time and `delay` ns more. waited: False if its receiver does not wait
        for it."""
        link = self.link(src, dst)
        took = LATENCY_NS[link] + int(PER_BYTE_NS[link] * size) + delay
        end = self.clock + took
        self.messages.append(
            {"message_id": len(self.messages), "src": src, "dst": dst, "src_location": src, "dst_location": dst}
            | {"bytes": size, "link": link, "binding": "recv" if waited else "none", "recv_end_ns": end}
            | dict.fromkeys(("send_begin_ns", "send_wait_begin_ns", "send_end_ns"), self.clock)
            | dict.fromkeys(("recv_post_ns", "recv_wait_begin_ns"), self.clock)
        )
        self.clock = end + 1

    def send_at_once(self, pairs: Sequence[tuple[int, int]], size: int = 8) -> None:
        """Adds messages that begin at the same time."""
        begin, ends = self.clock, list[int]()
        for src, dst in pairs:
            self.clock = begin
            self.send(src, dst, size)
            ends.append(self.clock)
        self.clock = max(ends)

    def hop(self, collective: int, src: int, dst: int) -> None:
        """Adds a hop of 8 bytes to the MPI library's collective. No rank waits for it."""
        self.hops.append(
            {"hop_id": len(self.hops), "collective_id": collective, "src": src, "dst": dst, "bytes": 8}
            | {"src_location": src, "dst_location": dst, "link": self.link(src, dst), "role": "exchange"}
            | {"source": "native", "binding": "none", "send_begin_ns": self.clock, "recv_end_ns": self.clock}
        )

    def table(self) -> Callable[[str], pa.Table]:
        """Returns a function that gives a table of the drawn dataset by the table's name."""
        ranks = [
            {"rank": rank, "world_rank": rank, "host": place.split("/")[1], "cluster": place.split("/")[0]}
            | {"world": 0 if self.worlds is None else self.worlds[rank]}
            | {"memory": None if self.memory is None else self.memory[rank]}
            for rank, place in enumerate(self.hosts)
        ]
        rows: dict[str, list[dict[str, Any]]] = {
            "ranks": ranks,
            "messages": self.messages,
            "collectives": self.collectives,
            "hops": self.hops,
            "intervals": self.intervals,
            "run": [{"record": "all", **self.run}],
        }

        def table(name: str) -> pa.Table:
            return drawn_table(rows.get(name, []), table_schemas()[name])

        return table


def ring(hosts: Sequence[str], rounds: int = 10, size: int = 8) -> Job:
    """A job in which each rank sends to the next one, and the last rank to the first."""
    job = Job(hosts)
    for _ in range(rounds):
        for rank in range(len(hosts)):
            job.send(rank, (rank + 1) % len(hosts), size)
    return job


def exchange(hosts: Sequence[str], rounds: int = 40, ways: Sequence[int] = (1, -1), size: int = 8) -> Job:
    """A job of several rounds, in which all ranks send at once: to the next rank, to the previous rank, or to both."""
    job = Job(hosts)
    ranks = range(len(hosts))
    for _ in range(rounds):
        job.send_at_once([(rank, (rank + way) % len(hosts)) for rank in ranks for way in ways], size)
    return job


def led(job: Job, count: int = 20) -> Job:
    """Adds Allreduces that follow the hosts, as those of Open MPI's `han` do: each host's first rank leads its host,
    and the leaders exchange messages with the leader of rank 0's host."""
    leaders = [job.hosts.index(host) for host in dict.fromkeys(job.hosts)]
    for number in range(count):
        job.collectives.append(
            {"collective_id": number, "op": "MPI_Allreduce", "comm": 0, "comm_size": len(job.hosts), "seq": number}
        )
        for rank, host in enumerate(job.hosts):
            leader = job.hosts.index(host)
            if rank != leader:
                job.hop(number, rank, leader)
                job.hop(number, leader, rank)
        for leader in leaders[1:]:
            job.hop(number, leader, leaders[0])
            job.hop(number, leaders[0], leader)
    return job
