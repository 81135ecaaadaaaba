"""A run with a known network: an Allreduce in each iteration over a tree, simulated hop by hop, as the dataset's
tables.

It is independent of the replay that it tests: plain Python computes the times of each rank event by event.
"""

from __future__ import annotations

import heapq
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
from derive import derive
from drawn_rows import drawn_table
from hopscope.dataset.store import table_schemas
from hopscope.native.trees import ROOT, Shape

SCHEMAS = Path(__file__).parents[2] / "schemas" / "tables"


def table_of(name: str, rows: list[dict[str, Any]]) -> pa.Table:
    """A table of the dataset with these rows, sorted by its schema's key; ids are given in that order."""
    document = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    key = document["x-key"][0]
    ordered = sorted(rows, key=lambda row: tuple(row[c] for c in document["x-order"] if c in row))
    if key.endswith("_id") and ordered and key not in ordered[0]:
        ordered = [{**row, key: number} for number, row in enumerate(ordered)]
    return drawn_table(ordered, table_schemas()[name])


@dataclass
class Network:
    """A network: hosts and clusters of the ranks, one-way latencies in ns, and a host interface's time per message (0:
    none).

    rank: the time that a message costs its sender and its receiver. shared: ns per byte of the link from cluster to
    cluster. Only an emulated machine has these two.
    """

    hosts: list[str]
    cluster_of: dict[str, str]
    latency: dict[str, int]
    interface: int = 0
    rank: int = 0
    shared: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    per_byte: float = 0.0
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)

    def link(self, a: int, b: int) -> str:
        """The class of the link between two ranks."""
        if self.hosts[a] == self.hosts[b]:
            return "shm"
        return "lan" if self.cluster_of[self.hosts[a]] == self.cluster_of[self.hosts[b]] else "wan"

    def emulated(self) -> str | None:
        """The network's emulation as JSON, as a run's data records it; None if nothing is emulated."""
        if not (self.rank or self.shared):
            return None
        return json.dumps(
            {
                "links": {link: {"latency_ns": latency} for link, latency in self.latency.items()},
                "cluster_pairs": [
                    {"from": a, "to": b, "bytes_per_second": 1e9 / per_byte} for (a, b), per_byte in self.shared.items()
                ],
                "host_interface": {"per_message_ns": self.interface},
                "rank": {"per_message_ns": self.rank},
            }
        )

    def numbers(self) -> tuple[list[int], list[int]]:
        """Hosts and clusters of the ranks as numbers."""
        hosts = list(dict.fromkeys(self.hosts))
        clusters = list(dict.fromkeys(self.cluster_of[h] for h in hosts))
        return [hosts.index(h) for h in self.hosts], [clusters.index(self.cluster_of[h]) for h in self.hosts]


def round_robin(ranks: int, hosts: dict[str, str], **latency: int) -> Network:
    """A network whose ranks are placed on the hosts in turn. hosts: cluster by host name."""
    names = list(hosts)
    return Network([names[r % len(names)] for r in range(ranks)], hosts, latency)


MS = 1_000_000


def sites(ranks: int = 8) -> Network:
    """A network of two sites, 20 ms apart. Ranks are placed in turn on one host in site A and two hosts in site B."""
    return round_robin(ranks, {"a0": "A", "b0": "B", "b1": "B"}, shm=1_000, lan=50_000, wan=20 * MS)


def cluster_with_interfaces() -> Network:
    """The cluster of the case of LAM's trees (docs/results.md): 32 ranks, placed in turn on 8 hosts of 4 ranks, whose
    interfaces serve one message at a time."""
    network = round_robin(32, {f"h{i}": "A" for i in range(8)}, shm=1_000, lan=10_000)
    network.interface = 100_000
    return network


HANDLE, SEND, ENTER, LEAVE = 2_000, 500, 1_000, 1_500
"""Times that ranks of the simulated runs spend, in ns: on each received message, on each sent message, on entering and
on leaving a collective."""


class Run:
    """Simulates iterations, and keeps the rows that the collector would have recorded."""

    engine = "tree"

    def __init__(self, network: Network, spec: dict[str, Any], size: int = 8, jitter: int = 0) -> None:
        self.network, self.spec, self.size = network, spec, size
        self.ranks = len(network.hosts)
        hosts, clusters = network.numbers()
        shape = Shape(spec)
        root = spec["parents"].index(None) if spec["shape"] == "explicit" else 0
        self.up = shape.tree(root, broadcast=False, hosts=hosts, clusters=clusters)
        self.down = shape.tree(root, broadcast=True, hosts=hosts, clusters=clusters)
        self.clocks = [0] * self.ranks
        self.rows: dict[str, list[dict[str, Any]]] = {
            n: [] for n in ("collectives", "calls", "hops", "messages", "intervals")
        }
        self.shared_until: dict[tuple[str, str], int] = {}
        self.chance = random.Random(7)
        self.jitter = jitter
        self.algorithm: str | None = None
        """The kind of collective that the conversion recognised."""

    def compute(self, work: Callable[[int], int]) -> None:
        """Every rank computes for work(rank) ns."""
        self.clocks = [t + work(rank) for rank, t in enumerate(self.clocks)]

    def exchange_with_left(self, size: int = 64) -> None:
        """Every rank except the last sends a message to the next rank, which waits for it."""
        clocks_before = list(self.clocks)
        for src in range(self.ranks - 1):
            sent, wait = clocks_before[src], clocks_before[src + 1]
            received = max(wait + 300, sent + 3_000)
            self.rows["messages"].append(
                {
                    "comm": 0, "tag": 0, "src": src, "dst": src + 1, "src_location": src, "dst_location": src + 1,
                    "bytes": size, "send_begin_ns": sent, "send_wait_begin_ns": sent, "send_end_ns": sent + 200,
                    "recv_post_ns": wait, "recv_wait_begin_ns": wait, "recv_end_ns": received, "link": "shm",
                    "clock_error_ns": 0, "binding": "none",
                }
            )  # fmt: skip
            self.rows["intervals"].append(self._interval(src + 1, "p2p", wait, received))
            self.clocks[src + 1] = max(self.clocks[src + 1], received)

    def _interval(self, rank: int, kind: str, begin: int, end: int) -> dict[str, Any]:
        return {
            "rank": rank, "location": rank, "region": f"MPI_{kind}", "kind": kind, "depth": 0,
            "begin_ns": begin, "end_ns": end, "call_site": None,
        }  # fmt: skip

    def _leaves(self) -> list[int]:
        return [rank for rank, children in enumerate(self.up.children) if not children]

    def allreduce(self, op: str = "MPI_Allreduce") -> None:
        """One Allreduce over the tree: leaves send up, parents combine in order, the root sends down. op: a Barrier has
        the same messages without bytes; a Bcast has only the messages down."""
        self.size = size = 0 if op == "MPI_Barrier" else self.size
        number = len(self.rows["collectives"])
        enter = list(self.clocks)
        busy = [t + ENTER for t in enter]
        posted = list(busy)
        wait_from = list(busy)
        arrivals: dict[tuple[int, bool], tuple[int, int]] = {}
        events: list[tuple[int, int, str, int, int, bool, int]] = []
        turn = count()
        out_free: dict[str, int] = {}
        in_free: dict[str, int] = {}
        rank_free = [0] * self.ranks
        network = self.network

        def send(src: int, dst: int, up: bool) -> None:
            heapq.heappush(events, (busy[src], next(turn), "sent", src, dst, up, busy[src]))
            busy[src] += SEND

        def take_in(t: int, order: int, message: tuple[int, int, bool, int]) -> None:
            dst = message[1]
            begin = max(t, rank_free[dst], posted[dst]) if network.rank else t
            if begin > t:
                heapq.heappush(events, (begin, order, "at_rank", *message))
                return
            rank_free[dst] = max(rank_free[dst], t + network.rank)
            heapq.heappush(events, (t + network.rank, order, "visible", *message))

        def pass_up(rank: int) -> None:
            t = busy[rank]
            for child in self.up.children[rank]:
                sent, visible = arrivals[child, True]
                receive_end = max(t, visible)
                received = None if visible <= t else t, receive_end
                self.record_hop(number, (child, rank), sent, posted[rank], received, role="up")
                t = receive_end + HANDLE
            busy[rank] = t
            if self.up.parents[rank] >= 0:
                send(rank, self.up.parents[rank], True)
                wait_from[rank] = busy[rank]
            else:
                pass_down(rank)

        def pass_down(rank: int) -> None:
            for child in self.down.children[rank]:
                send(rank, child, False)
            self.clocks[rank] = max(self.clocks[rank], busy[rank] + LEAVE)

        pending = [len(c) for c in self.up.children]
        root = self.down.parents.index(ROOT) if op == "MPI_Bcast" else None
        begin, ranks = (pass_up, self._leaves()) if root is None else (pass_down, [root])
        for rank in ranks:
            begin(rank)
        while events:
            t, order, kind, src, dst, up, sent = heapq.heappop(events)
            link = network.link(src, dst)
            hosts = network.hosts[src], network.hosts[dst]
            latency = network.pairs.get(hosts, network.latency[link]) + int(network.per_byte * size)
            latency += self.chance.randint(0, self.jitter)
            if kind == "sent":
                t = rank_free[src] = max(rank_free[src], t) + network.rank
                self.clocks[src] = max(self.clocks[src], t + LEAVE)
                if link != "shm":
                    t = out_free[hosts[0]] = max(out_free.get(hosts[0], 0), t) + network.interface
                clusters = network.cluster_of[hosts[0]], network.cluster_of[hosts[1]]
                if clusters in network.shared:
                    t = max(self.shared_until.get(clusters, 0), t) + network.shared[clusters] * size
                    self.shared_until[clusters] = t
                kind = "at_rank" if link == "shm" else "at_host"
                heapq.heappush(events, (t + latency, next(turn), kind, src, dst, up, sent))
            elif kind == "at_host":
                t = in_free[hosts[1]] = max(in_free.get(hosts[1], 0), t) + network.interface
                heapq.heappush(events, (t, next(turn), "at_rank", src, dst, up, sent))
            elif kind == "at_rank":
                take_in(t, order, (src, dst, up, sent))
            elif up:
                arrivals[src, True] = (sent, t)
                pending[dst] -= 1
                if not pending[dst]:
                    pass_up(dst)
            else:
                receive_end = max(busy[dst], t)
                received = None if t <= busy[dst] else busy[dst], receive_end
                self.record_hop(number, (src, dst), sent, posted[dst], received, role="down")
                busy[dst] = receive_end + HANDLE
                pass_down(dst)
        self.record_calls(number, enter, op, root)

    def record_hop(
        self,
        number: int,
        ends: tuple[int, int],
        sent: int,
        posted: int,
        received: tuple[int | None, int],
        *,
        role: str = "exchange",
    ) -> None:
        """Records a message. received: the time from which its receiver waited for it, or None, and the time of its
        arrival."""
        (src, dst), (wait_begin, receive_end) = ends, received
        self.rows["hops"].append(
            {
                "collective_id": number, "role": role, "round": 0, "segment": 0, "src": src, "dst": dst,
                "src_location": src, "dst_location": dst, "bytes": self.size, "send_begin_ns": sent,
                "send_wait_begin_ns": None, "send_end_ns": sent + 100, "recv_post_ns": posted,
                "recv_wait_begin_ns": wait_begin, "recv_end_ns": receive_end, "arrived_early": wait_begin is None,
                "link": self.network.link(src, dst), "source": self.engine, "clock_error_ns": 0,
            }
        )  # fmt: skip

    def record_calls(self, number: int, enter: list[int], op: str = "MPI_Allreduce", root: int | None = None) -> None:
        """Records the calls of one collective, which all ranks leave now."""
        for rank in range(self.ranks):
            self.rows["calls"].append(
                {
                    "collective_id": number, "rank": rank, "location": rank, "enter_ns": enter[rank],
                    "leave_ns": self.clocks[rank], "bytes_sent": self.size, "bytes_received": self.size,
                    "engine": self.engine, "tree": "drawn" if self.engine == "tree" else None, "call_site": "app+1",
                }
            )  # fmt: skip
        self.rows["collectives"].append(
            {
                "collective_id": number, "comm": 0, "seq": number, "op": op, "root": root,
                "comm_size": self.ranks, "bytes": self.size, "first_enter_ns": min(enter), "last_enter_ns": max(enter),
                "first_leave_ns": min(self.clocks), "last_leave_ns": max(self.clocks), "complete": True,
            }
        )  # fmt: skip

    @property
    def tree_file(self) -> str | None:
        """The tree file that made the engine run the tree."""
        operations = ("MPI_Allreduce", "MPI_Bcast", "MPI_Barrier")
        size = {"min": self.ranks, "max": self.ranks}
        rules = [{"operations": [op], "comm_size": size, "reduce_tree": "drawn"} for op in operations]
        return json.dumps({"schema_version": 1, "trees": {"drawn": self.spec}, "rules": rules})

    def iteration_ns(self) -> float:
        """Mean time from one collective's last leave to the next one's."""
        leaves = [row["last_leave_ns"] for row in self.rows["collectives"]]
        return (leaves[-1] - leaves[0]) / (len(leaves) - 1)

    def trace(self, tree_file: str | None = None) -> SimulatedTrace:
        """The collector's records, as a trace to remap."""
        network = self.network
        rows = dict(self.rows)
        rows["ranks"] = [
            {
                "rank": rank, "world": 0, "world_rank": rank, "host": host, "cluster": network.cluster_of[host],
                "clock_host": "here", "first_event_ns": 0, "last_event_ns": self.clocks[rank], "complete": True,
            }
            for rank, host in enumerate(network.hosts)
        ]  # fmt: skip
        rows["comms"] = [{"comm": 0, "name": "world", "size": self.ranks, "members": list(range(self.ranks))}]
        rows["trees"] = []
        rows["steps"] = []
        rows["collectives"] = [row | {"kind": 0} for row in rows["collectives"]]
        rows["kinds"] = [{"kind": 0, "algorithm": self.algorithm}]
        rows["run"] = [{"run": "simulated", "tree_file": tree_file or self.tree_file, "emulated": network.emulated()}]
        return SimulatedTrace(derive({name: table_of(name, records) for name, records in rows.items()}))


@dataclass
class SimulatedTrace:
    """Tables with the interface of a trace."""

    tables: dict[str, pa.Table]

    def table(self, name: str) -> pa.Table:
        """A table of the dataset."""
        return self.tables[name]

    def with_column(self, table: str, column: str, values: list[Any]) -> SimulatedTrace:
        """This trace, with these values in a column."""
        old = self.tables[table]
        index, field = old.schema.get_field_index(column), old.schema.field(column)
        self.tables[table] = old.set_column(index, field, pa.array(values, field.type))
        return self

    def with_communicator(self, members: list[int], *, is_used: bool = False) -> SimulatedTrace:
        """This trace with another communicator. is_used: every other collective is on it."""
        comms = self.tables["comms"]
        additions = [{"comm": 1, "name": "other", "size": len(members), "members": members}]
        self.tables["comms"] = pa.concat_tables([comms, pa.Table.from_pylist(additions, schema=comms.schema)])
        turns = [row % 2 for row in range(len(self.tables["collectives"]))]
        return self.with_column("collectives", "comm", turns) if is_used else self


def first_tree(tree_file: dict[str, Any]) -> dict[str, Any]:
    """The broadcast tree of the file's first rule. Here it also serves as the reduce tree."""
    tree: dict[str, Any] = tree_file["trees"][tree_file["rules"][0]["broadcast_tree"]]
    return tree


def iterate(
    run: Run, iterations: int = 30, work: int = MS, kinds: Sequence[tuple[str, int]] = (), sizes: Sequence[int] = ()
) -> Run:
    """Simulates iterations of computing and an Allreduce. kinds: operations and bytes that take the Allreduce's place
    in turn. sizes: bytes of the Allreduces, in turn."""
    chance, kinds = random.Random(3), kinds or [("MPI_Allreduce", size) for size in sizes or [run.size]]
    for iteration in range(iterations):
        op, run.size = kinds[iteration % len(kinds)]
        run.compute(lambda _: work + chance.randint(0, work // 20))
        run.allreduce(op)
    return run
