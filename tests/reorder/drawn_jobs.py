"""Jobs whose messages a test draws: where ranks are, who sends whom how much, and how long it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from drawn_rows import drawn_table
from hopscope.links import link_class
from hopscope.store import table_schemas

LATENCY_NS = {"self": 100, "shm": 1_000, "lan": 50_000, "wan": 20_000_000}
PER_BYTE_NS = {"self": 0.0, "shm": 0.1, "lan": 1.0, "wan": 10.0}


@dataclass
class Job:
    """hosts: of each rank, as `cluster/host`. Messages are blocking, one after another, and waited for."""

    hosts: Sequence[str]
    run: dict[str, Any] = field(default_factory=dict[str, Any])
    memory: Sequence[int] | None = None
    worlds: Sequence[int] | None = None
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    path: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    collectives: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    now: int = 0

    def link(self, src: int, dst: int) -> str:
        """The class of link between two ranks."""
        (a, one), (b, other) = (self.hosts[rank].split("/") for rank in (src, dst))
        return link_class(same_rank=src == dst, same_host=(a, one) == (b, other), same_cluster=a == b)

    def send(self, src: int, dst: int, size: int = 8, *, waited: bool = True, late_by: int = 0) -> None:
        """A message that takes what its link takes, or longer."""
        link = self.link(src, dst)
        took = LATENCY_NS[link] + int(PER_BYTE_NS[link] * size) + late_by
        end = self.now + took
        self.messages.append(
            {"message_id": len(self.messages), "src": src, "dst": dst, "src_location": src, "dst_location": dst}
            | {"bytes": size, "link": link, "binding": "recv" if waited else "none", "recv_end_ns": end}
            | dict.fromkeys(("send_begin_ns", "send_wait_begin_ns", "send_end_ns"), self.now)
            | dict.fromkeys(("recv_post_ns", "recv_wait_begin_ns"), self.now)
        )
        self.path.append(
            {"path": "run", "step": len(self.path), "rank": dst, "begin_ns": self.now, "end_ns": end, "category": "p2p"}
            | {"message_id": len(self.messages) - 1, "src": src, "dst": dst}
        )
        self.now = end + 1

    def table(self) -> Callable[[str], pa.Table]:
        """The tables, by name."""
        ranks = [
            {"rank": rank, "world_rank": rank, "host": place.split("/")[1], "cluster": place.split("/")[0]}
            | {"world": 0 if self.worlds is None else self.worlds[rank]}
            | {"memory": None if self.memory is None else self.memory[rank]}
            for rank, place in enumerate(self.hosts)
        ]
        rows: dict[str, list[dict[str, Any]]] = {
            "ranks": ranks,
            "messages": self.messages,
            "path_stretches": self.path,
            "collectives": self.collectives,
            "run": [{"record": "all", **self.run}],
        }

        def table(name: str) -> pa.Table:
            return drawn_table(rows.get(name, []), table_schemas()[name])

        return table


def ring(hosts: Sequence[str], rounds: int = 10, size: int = 8) -> Job:
    """Each rank sends to the next one, and the last to the first."""
    job = Job(hosts)
    for _ in range(rounds):
        for rank in range(len(hosts)):
            job.send(rank, (rank + 1) % len(hosts), size)
    return job
