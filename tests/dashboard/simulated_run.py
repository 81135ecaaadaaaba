"""A dataset of a simulated run: a solver whose ranks are placed in turn on three hosts at two sites, with an Allreduce
in each iteration.

In each iteration every rank computes, exchanges borders with its two neighbours, and enters an Allreduce over a
binomial tree. A message takes the latency of its link class and nothing else, so every number on a page can be worked
out. Times are ns.
"""

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from computing_in_drawings import with_computing, with_last_enters
from derive import derive
from drawn_rows import drawn_table
from hopscope.dataset import manifest
from hopscope.dataset.store import table_schemas
from kinds_in_drawings import with_kinds

LATENCY = {"self": 0, "shm": 2_000, "lan": 120_000, "wan": 20_000_000}
HOSTS = ("alpha", "beta", "gamma")
CLUSTER = {"alpha": "site-a", "beta": "site-b", "gamma": "site-b"}
COMBINE_NS = 3_000
SOFTWARE_NS = 1_500
WORK_NS = 4_000_000
INIT_NS = 2_000_000
TREE_FILE = {
    "schema_version": 1,
    "trees": {"binomial": {"shape": "binomial"}},
    "rules": [{"operations": ["MPI_Allreduce"], "reduce_tree": "binomial"}],
}


class SimulatedRun:
    """Makes the tables. hops: False gives the same run by the MPI library, of which only the calls are known.

    roots: the Allreduce's tree has these roots in turn.
    """

    def __init__(
        self,
        *,
        ranks: int = 8,
        iterations: int = 40,
        hops: bool = True,
        late_rank: int | None = 3,
        roots: tuple[int, ...] = (0,),
        seed: int = 1,
    ) -> None:
        self.roots = roots
        self.n, self.iterations, self.with_hops, self.late_rank = ranks, iterations, hops, late_rank
        self.random = random.Random(seed)
        self.rows: dict[str, list[dict[str, Any]]] = {name: [] for name in table_schemas()}
        self.previous: dict[int, int | None] = dict.fromkeys(range(ranks))
        self._root_at(roots[0])

    def write(self, directory: Path) -> Path:
        """Writes the dataset and returns its directory."""
        self._run()
        schemas = table_schemas()
        tables = {
            name: drawn_table(self.rows[name], schema) for name, schema in schemas.items() if name != "path_stretches"
        }
        tables["calls"] = with_computing(tables["calls"], tables["intervals"])
        tables["collectives"] = with_last_enters(tables["collectives"], tables["calls"])
        files: dict[str, list[manifest.Described]] = {}
        for name, table in with_kinds(derive(tables)).items():
            part = directory / name / "part-00000.parquet"
            part.parent.mkdir(parents=True)
            pq.write_table(table.cast(schemas[name]), part)
            files[name] = [manifest.described(part, table.num_rows)]
        manifest.write(directory, files)
        return directory

    def _root_at(self, root: int) -> None:
        """Builds the binomial tree with this root, from which ranks are counted."""
        self.root = root
        places = [(rank - root) % self.n for rank in range(self.n)]
        self.parent = [None if place == 0 else ((place & (place - 1)) + root) % self.n for place in places]
        self.children = [
            sorted((c for c in range(self.n) if self.parent[c] == rank), key=places.__getitem__)
            for rank in range(self.n)
        ]

    def _run(self) -> None:
        times = [0] * self.n
        for rank in range(self.n):
            self._interval(rank, "MPI_Init", "init", 0, INIT_NS + 10_000 * rank)
            times[rank] = INIT_NS + 10_000 * rank
        for iteration in range(self.iterations):
            times = self._exchange([times[rank] + self._work(rank, iteration) for rank in range(self.n)], iteration)
            times = self._allreduce([time + 20_000 for time in times], iteration)
        last = max(times) + 500_000
        for rank in range(self.n):
            self._interval(rank, "MPI_Finalize", "finalize", times[rank] + 300_000, last)
        self._definitions(last)

    def _work(self, rank: int, iteration: int) -> int:
        jitter = int(abs(self.random.gauss(0, 60_000)))
        delay = 3_000_000 if rank == self.late_rank else 0
        spike = 12_000_000 if rank == 5 and iteration % 16 == 9 else 0
        return WORK_NS + jitter + delay + spike

    def _exchange(self, enters: list[int], iteration: int) -> list[int]:
        leaves = []
        for rank in range(self.n):
            # A border message arrives soon after its send: the WAN's latency is not emulated for it.
            senders = [peer for peer in (rank - 1, rank + 1) if 0 <= peer < self.n]
            ends = {peer: max(enters[rank], enters[peer] + 5_000) + 1_000 for peer in senders}
            leave = max(ends.values(), default=enters[rank]) + 2_000
            for peer in senders:
                self.rows["messages"].append(
                    {
                        "message_id": len(self.rows["messages"]),
                        "comm": 0,
                        "tag": iteration % 2,
                        "src": peer,
                        "dst": rank,
                        "src_location": peer,
                        "dst_location": rank,
                        "bytes": 4096,
                        "send_begin_ns": enters[peer],
                        "send_wait_begin_ns": enters[peer],
                        "send_end_ns": enters[peer] + 1_000,
                        "recv_post_ns": enters[rank],
                        "recv_wait_begin_ns": enters[rank],
                        "recv_end_ns": ends[peer],
                        "link": self._link(peer, rank),
                        "clock_error_ns": 0,
                        "binding": "undecided",
                    }
                )
            self._interval(rank, "MPI_Sendrecv", "p2p", enters[rank], leave)
            leaves.append(leave)
        return leaves

    def _allreduce(self, enters: list[int], seq: int) -> list[int]:
        self._root_at(self.roots[seq % len(self.roots)])
        steps: list[dict[str, Any]] = []
        hops: list[dict[str, Any]] = []
        begin_up: dict[int, int] = {}

        def up(rank: int) -> int:
            """Reduces the subtree of `rank`. Returns the time when the result is ready."""
            ready = enters[rank]
            for child in self.children[rank]:
                sent = up(child)
                receive_end = max(enters[rank], sent + LATENCY[self._link(child, rank)])
                hops.append(self._hop("up", child, rank, sent, enters[rank], ready, receive_end))
                ready = max(ready, receive_end)
                steps.append(
                    {
                        "rank": rank,
                        "location": rank,
                        "kind": "combine",
                        "bytes": 8,
                        "begin_ns": ready,
                        "end_ns": ready + COMBINE_NS,
                    }
                )
                ready += COMBINE_NS
            begin_up[rank] = ready + SOFTWARE_NS
            return begin_up[rank]

        leaves = [0] * self.n

        def down(rank: int, ready: int) -> None:
            for child in self.children[rank][::-1]:
                ready += SOFTWARE_NS
                receive_end = ready + LATENCY[self._link(rank, child)]
                hops.append(self._hop("down", rank, child, ready, enters[child], begin_up[child] + 500, receive_end))
                down(child, receive_end)
            leaves[rank] = ready + SOFTWARE_NS

        down(self.root, up(self.root))
        self.rows["collectives"].append(
            {
                "collective_id": seq,
                "comm": 0,
                "seq": seq,
                "op": "MPI_Allreduce",
                "root": None,
                "comm_size": self.n,
                "bytes": 8,
                "first_enter_ns": min(enters),
                "last_enter_ns": max(enters),
                "first_leave_ns": min(leaves),
                "last_leave_ns": max(leaves),
                "complete": True,
            }
        )
        for rank in range(self.n):
            call_id = len(self.rows["calls"])
            self.rows["calls"].append(
                {
                    "call_id": call_id,
                    "collective_id": seq,
                    "rank": rank,
                    "location": rank,
                    "prev_call_id": self.previous[rank],
                    "enter_ns": enters[rank],
                    "leave_ns": leaves[rank],
                    "bytes_sent": 8,
                    "bytes_received": 8,
                    "engine": "tree" if self.with_hops else "native",
                    "tree": "binomial" if self.with_hops else None,
                    "call_site": "solver+0x1a40",
                }
            )
            self.previous[rank] = call_id
        if self.with_hops:
            for hop in hops:
                self.rows["hops"].append({"hop_id": len(self.rows["hops"]), "collective_id": seq, **hop})
            for step in sorted(steps, key=lambda step: (step["rank"], step["begin_ns"])):
                self.rows["steps"].append({"step_id": len(self.rows["steps"]), "collective_id": seq, **step})
        return leaves

    def _hop(  # noqa: PLR0917 - the times of a hop in their order
        self, role: str, src: int, dst: int, sent: int, posted: int, wait_begin: int, receive_end: int
    ) -> dict[str, Any]:
        arrives_early = receive_end <= wait_begin
        return {
            "role": role,
            "round": 0,
            "segment": 0,
            "src": src,
            "dst": dst,
            "src_location": src,
            "dst_location": dst,
            "bytes": 8,
            "send_begin_ns": sent,
            "send_wait_begin_ns": None,
            "send_end_ns": sent + 1_000,
            "recv_post_ns": posted,
            "recv_wait_begin_ns": None if arrives_early else wait_begin,
            "recv_end_ns": receive_end,
            "arrived_early": arrives_early,
            "link": self._link(src, dst),
            "source": "tree",
            "clock_error_ns": 0,
            "binding": "undecided",
        }

    def _interval(self, rank: int, region: str, kind: str, begin: int, end: int) -> None:
        self.rows["intervals"].append(
            {
                "interval_id": len(self.rows["intervals"]),
                "rank": rank,
                "location": rank,
                "region": region,
                "kind": kind,
                "depth": 0,
                "begin_ns": begin,
                "end_ns": end,
                "call_site": None,
            }
        )

    def _definitions(self, end: int) -> None:
        self.rows["intervals"].sort(key=lambda row: (row["location"], row["begin_ns"]))
        for number, row in enumerate(self.rows["intervals"]):
            row["interval_id"] = number
        for rank in range(self.n):
            self.rows["ranks"].append(
                {
                    "rank": rank,
                    "world": 0,
                    "world_rank": rank,
                    "host": self._host(rank),
                    "cluster": CLUSTER[self._host(rank)],
                    "pid": 100 + rank,
                    "core": None,
                    "clock_host": "here",
                    "first_event_ns": 0,
                    "last_event_ns": end,
                    "complete": True,
                }
            )
        self.rows["comms"].append(
            {"comm": 0, "name": "MPI_COMM_WORLD", "size": self.n, "members": list(range(self.n)), "parent": None}
        )
        if self.with_hops:
            for root, role, rank in product(self.roots, ("up", "down"), range(self.n)):
                self._root_at(root)
                parent = self.parent[rank]
                order = 0 if parent is None else self.children[parent].index(rank)
                self.rows["trees"].append(
                    {
                        "tree": "binomial",
                        "comm": 0,
                        "root": root,
                        "role": role,
                        "rank": rank,
                        "parent": parent,
                        "child_order": order,
                    }
                )
        links = {"links": {"wan": {"latency_ns": LATENCY["wan"]}}}
        self.rows["run"].append(
            {
                "run": "simulated",
                "mpi_library": "worked out by hand",
                "command": "./solver 150",
                "started_at": "2026-01-05T09:30:00Z",
                "duration_ns": end,
                "ranks": self.n,
                "threads": self.n,
                "hosts": len(HOSTS),
                "clusters": 2,
                "mode": "tree" if self.with_hops else "observe",
                "tree_file": json.dumps(TREE_FILE) if self.with_hops else None,
                "emulated": json.dumps(links) if self.with_hops else None,
                "presence": "complete",
                "clock_error_ns": 0,
                "clock_bound_ns": 0,
                "clock_used": "error",
                "record": "all",
                "events": 10_000,
                "missing": None,
                "damaged_files": 0,
                "set_back_events": 0,
                "overhead_ns": 20_000,
                "event_cost_ns": 45.0,
                "creator": "simulated_run",
                "hopscope_version": "0.1.0",
                "schema_version": 1,
            }
        )

    def _host(self, rank: int) -> str:
        return HOSTS[rank % len(HOSTS)]

    def _link(self, src: int, dst: int) -> str:
        if src == dst:
            return "self"
        if self._host(src) == self._host(dst):
            return "shm"
        return "lan" if CLUSTER[self._host(src)] == CLUSTER[self._host(dst)] else "wan"
