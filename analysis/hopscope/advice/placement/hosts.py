"""Checks that a launcher can place the ranks of a run on other hosts."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from hopscope.errors import InputError


def check_hosts(run: dict[str, Any], ranks: pa.Table) -> None:
    """Raises InputError if the launcher cannot choose the hosts of this run."""
    if run["emulated"]:
        raise InputError(
            "the run emulated its links, and its topology file says which host a rank is on; change `placement` there, "
            "or reorder a run on real hosts or on `--net`"
        )
    hosts_of_memory: dict[int, set[tuple[str, str]]] = {}
    for row in ranks.to_pylist():
        if row["memory"] is not None:
            hosts_of_memory.setdefault(row["memory"], set()).add((row["host"], row["cluster"]))
    for hosts in hosts_of_memory.values():
        if len(hosts) > 1:
            raise InputError(
                f"the hosts {', '.join(sorted(host for host, _ in hosts))} of the topology file are one machine, so a "
                "launcher cannot tell them apart; reorder a run on real hosts or on `--net`"
            )
