"""Two communicators of equal size run by different trees, because the rules list their members."""

import json
from pathlib import Path

import hopscope
import local_mpi
from jobs import PROGRAMS, Ended, Run, analyze, two_sites

EVENS = [0, 4, 2, 6]
"""In the communicator's order: each of a chain's edges crosses between the sites."""


def trees_of(job: Ended) -> dict[str, set[str | None]]:
    """By which trees the collectives of each communicator ran."""
    found: dict[str, set[str | None]] = {}
    tables = hopscope.open(job.trace)
    names = {row["comm"]: row["name"] for row in tables.table("comms").to_pylist()}
    comm_of = {row["collective_id"]: row["comm"] for row in tables.table("collectives").to_pylist()}
    for row in tables.table("calls").to_pylist():
        found.setdefault(names[comm_of[row["collective_id"]]], set()).add(row["tree"])
    return found


def test_what_is_suggested_for_one_half_leaves_the_other_as_it_was(
    first_mpi: local_mpi.LocalMpi, traced: Run, tmp_path: Path
) -> None:
    program = first_mpi.compile(PROGRAMS / "two_halves.c")
    before = traced(first_mpi, 8, program, "10", tree="chain", topology=two_sites(10))
    assert before.code == 0, before.err
    tree = tmp_path / "tree.json"
    (best,) = [row for row in analyze(before.trace, "remap", "--search", "0", "-o", str(tree)) if row["chosen"]]
    rule = json.loads(tree.read_text())["rules"][0]
    assert rule["members"] == EVENS
    assert "comm_size" not in rule
    after = traced(first_mpi, 8, program, "10", tree=tree, topology=two_sites(10))
    assert after.code == 0, after.err
    assert sorted(after.out.split("\n")) == sorted(before.out.split("\n"))
    ran = trees_of(after)
    assert trees_of(before) == {"evens": {"chain"}, "odds": {"chain"}}
    assert ran["odds"] == {"chain"}
    assert ran["evens"].isdisjoint({"chain", None}), best
