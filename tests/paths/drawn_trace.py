"""A trace drawn by hand: calls, hops, messages and intervals with times in ns, turned into the dataset's tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from drawn_rows import drawn_table
from hopscope.dataset.store import table_schemas

SCHEMAS = Path(__file__).parents[2] / "schemas" / "tables"


def order_of(table: str) -> list[str]:
    """The columns by which a table is sorted."""
    return json.loads((SCHEMAS / f"{table}.schema.json").read_text())["x-order"]


class DrawnTrace:
    """A trace with ranks 0..n-1, all in one communicator. Location: rank | thread << 32, as in an archive."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.rows: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("collectives", "calls", "hops", "messages", "intervals")
        }

    def collective(
        self,
        enters: dict[int, int],
        leaves: dict[int, int | None],
        op: str = "MPI_Allreduce",
        root: int | None = None,
        engine: str = "native",
        *,
        waits: dict[int, tuple[int, int]] | None = None,
        thread: int = 0,
    ) -> int:
        """Adds a collective with the enter and leave of each rank. Returns its id.

        waits: for a collective that returns early, the times at which each rank began to wait for it and found it
        complete. thread: the thread of each rank that makes the call.
        """
        number = len(self.rows["collectives"])
        left = [leave for leave in leaves.values() if leave is not None]
        self.rows["collectives"].append(
            {
                "collective_id": number,
                "comm": 0,
                "seq": number,
                "op": op,
                "root": root,
                "comm_size": self.ranks,
                "bytes": 8,
                "first_enter_ns": min(enters.values()),
                "last_enter_ns": max(enters.values()),
                "first_leave_ns": min(left, default=None),
                "last_leave_ns": max(left, default=None),
                "complete": len(left) == self.ranks,
            }
        )
        for rank, enter in enters.items():
            self.rows["calls"].append(
                {
                    "collective_id": number,
                    "rank": rank,
                    "location": rank | thread << 32,
                    "enter_ns": enter,
                    "wait_begin_ns": waits[rank][0] if waits else None,
                    "leave_ns": leaves.get(rank),
                    "complete_ns": waits[rank][1] if waits else None,
                    "bytes_sent": 8,
                    "bytes_received": 8,
                    "engine": engine,
                    "tree": "drawn" if engine == "tree" else None,
                    "call_site": f"app+{op}",
                }
            )
        return number

    def hop(
        self,
        collective: int,
        src: int,
        dst: int,
        sent: int,
        received: int,
        *,
        arrived_early: bool | None = False,
        link: str = "shm",
        posted: int | None = None,
        segment: int = 0,
        role: str = "up",
        send_wait: tuple[int, int] | None = None,
        send_end: int | None = None,
        size: int = 8,
        error: int = 0,
    ) -> None:
        """Adds a hop of the engine. arrived_early: None makes it a hop of the MPI library, of which only times are
        known.

        send_wait: begin and end of the sender's wait. send_end: the end of a send without its own wait.
        """
        self.rows["hops"].append(
            {
                "collective_id": collective,
                "role": role,
                "round": 0,
                "segment": segment,
                "src": src,
                "dst": dst,
                "src_location": src,
                "dst_location": dst,
                "bytes": size,
                "send_begin_ns": sent,
                "send_wait_begin_ns": send_wait[0] if send_wait else None,
                "send_end_ns": send_wait[1] if send_wait else sent + 1 if send_end is None else send_end,
                "recv_post_ns": posted if posted is not None else sent - 1,
                "recv_wait_begin_ns": None if arrived_early else posted if posted is not None else sent - 1,
                "recv_end_ns": received,
                "arrived_early": arrived_early,
                "link": link,
                "source": "native" if arrived_early is None else "tree",
                "clock_error_ns": error,
            }
        )

    def message(
        self,
        src: int,
        dst: int,
        send: tuple[int, int],
        receive: tuple[int, int, int],
        *,
        link: str = "shm",
        size: int = 8,
        send_wait: int | None = None,
        error: int = 0,
    ) -> int:
        """Adds a message of the application. send: (begin, end). receive: (post, begin of the wait, end)."""
        self.rows["messages"].append(
            {
                "comm": 0,
                "tag": 0,
                "src": src,
                "dst": dst,
                "src_location": src,
                "dst_location": dst,
                "bytes": size,
                "send_begin_ns": send[0],
                "send_wait_begin_ns": send[0] if send_wait is None else send_wait,
                "send_end_ns": send[1],
                "recv_post_ns": receive[0],
                "recv_wait_begin_ns": receive[1],
                "recv_end_ns": receive[2],
                "link": link,
                "clock_error_ns": error,
            }
        )
        return len(self.rows["messages"]) - 1

    def interval(
        self, rank: int, kind: str, begin: int, end: int | None, region: str | None = None, *, thread: int = 0
    ) -> None:
        """Adds an MPI call that is not a collective."""
        self.rows["intervals"].append(
            {
                "rank": rank,
                "location": rank | thread << 32,
                "region": region or f"MPI_{kind.capitalize()}",
                "kind": kind,
                "depth": 0,
                "begin_ns": begin,
                "end_ns": end,
                "call_site": f"app+{kind}",
            }
        )

    def tables(self) -> dict[str, pa.Table]:
        """The tables, sorted and numbered as in a dataset."""
        rows = {**self.rows, "comms": [], "ranks": []}
        rows["comms"] = [{"comm": 0, "name": "world", "size": self.ranks, "members": list(range(self.ranks))}]
        for rank in range(self.ranks):
            times = [
                row[column]
                for table, columns in (("calls", ("enter_ns", "leave_ns")), ("intervals", ("begin_ns", "end_ns")))
                for row in rows[table]
                if row["rank"] == rank
                for column in columns
                if row.get(column) is not None
            ]
            finalized = any(row["rank"] == rank and row["kind"] == "finalize" for row in rows["intervals"])
            rows["ranks"].append(
                {
                    "rank": rank,
                    "world": 0,
                    "world_rank": rank,
                    "host": f"host{rank}",
                    "cluster": "A",
                    "clock_host": "here",
                    "first_event_ns": min(times, default=None),
                    "last_event_ns": max(times, default=None),
                    "complete": finalized,
                }
            )
        tables = {}
        for name, table_rows in rows.items():
            key = {"calls": "call_id", "hops": "hop_id", "messages": "message_id", "intervals": "interval_id"}.get(name)
            ordered = sorted(table_rows, key=lambda row: tuple(row[c] for c in order_of(name) if c in row))
            numbered = [{**row, key: number} for number, row in enumerate(ordered)] if key else ordered
            tables[name] = drawn_table(numbered, table_schemas()[name])
        return tables


def path_of(tables: dict[str, pa.Table], path: str, collective: int | None = None) -> list[tuple[Any, ...]]:
    """A derived path as (rank, category, begin, end), in time order."""
    return [
        (row["rank"], row["category"], row["begin_ns"], row["end_ns"])
        for row in tables["path_stretches"].to_pylist()
        if row["path"] == path and row["path_collective_id"] == collective
    ]
