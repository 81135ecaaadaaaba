"""Two communicators of equal size run by rules of their own, which list their members."""

import json
from pathlib import Path

import hopscope
import local_mpi
from jobs import PROGRAMS, Ended, Run, analyze, two_sites

EVENS, ODDS = [0, 4, 2, 6], [1, 5, 3, 7]
"""In each communicator's order: each of a chain's edges crosses between the sites."""


def trees_of(job: Ended) -> dict[str, set[str | None]]:
    """By which trees the collectives of each communicator ran."""
    found: dict[str, set[str | None]] = {}
    tables = hopscope.open(job.trace)
    names = {row["comm"]: row["name"] for row in tables.table("comms").to_pylist()}
    comm_of = {row["collective_id"]: row["comm"] for row in tables.table("collectives").to_pylist()}
    for row in tables.table("calls").to_pylist():
        found.setdefault(names[comm_of[row["collective_id"]]], set()).add(row["tree"])
    return found


def test_each_half_gets_a_rule_for_its_members(first_mpi: local_mpi.LocalMpi, traced: Run, tmp_path: Path) -> None:
    # The halves do not wait for one another: the rule for the odds does not shorten the iterations of the evens.
    program = first_mpi.compile(PROGRAMS / "two_halves.c")
    before = traced(first_mpi, 8, program, "10", tree="chain", topology=two_sites(10))
    assert before.code == 0, before.err
    tree = tmp_path / "tree.json"
    (best,) = [row for row in analyze(before.trace, "remap", "--search", "0", "-o", str(tree)) if row["chosen"]]
    evens, odds = json.loads(tree.read_text())["rules"][:2]
    assert (evens["members"], odds["members"]) == (EVENS, ODDS)
    assert "comm_size" not in {**evens, **odds}
    after = traced(first_mpi, 8, program, "10", tree=tree, topology=two_sites(10))
    assert after.code == 0, after.err
    assert sorted(after.out.split("\n")) == sorted(before.out.split("\n"))
    ran = trees_of(after)
    assert trees_of(before) == {"evens": {"chain"}, "odds": {"chain"}}
    assert ran["evens"].isdisjoint({"chain", None}), best
    assert ran["odds"].isdisjoint({"chain", None}), best
