"""Two communicators of equal size have their own rules, which list their members."""

import json
from pathlib import Path

import hopscope
import local_mpi
from jobs import PROGRAMS, Planted, Run, two_sites

EVENS, ODDS = [0, 4, 2, 6], [1, 5, 3, 7]
"""The members, in each communicator's order. Each edge of a chain over them crosses between the sites."""
TURNS = 10


def trees_of(trace: hopscope.Trace) -> dict[str, set[str | None]]:
    """The trees by which each half's collectives ran."""
    trees: dict[str, set[str | None]] = {}
    names = {row["comm"]: row["name"] for row in trace.table("comms").to_pylist()}
    comm_of = {row["collective_id"]: row["comm"] for row in trace.table("collectives").to_pylist()}
    for row in trace.table("calls").to_pylist():
        name = names[comm_of[row["collective_id"]]]
        if name != "MPI_COMM_WORLD":  # there the halves are made
            trees.setdefault(name, set()).add(row["tree"])
    return trees


def test_each_half_gets_a_rule_for_its_members(
    first_mpi: local_mpi.LocalMpi, planted: Planted, traced: Run, tmp_path: Path
) -> None:
    # The halves do not wait for one another: the rule for the odd ranks does not shorten the iterations of the even
    # ranks.
    recorded = planted("slow_halves")
    tree = tmp_path / "tree.json"
    (best,) = [row for row in recorded.remap(tree).to_pylist() if row["chosen"]]
    evens, odds = json.loads(tree.read_text())["rules"][:2]
    assert (evens["members"], odds["members"]) == (EVENS, ODDS)
    assert "comm_size" not in {**evens, **odds}
    program = first_mpi.compile(PROGRAMS / "two_halves.c")
    job = traced(first_mpi, 8, program, str(TURNS), tree=tree, topology=two_sites(10))
    assert job.code == 0, job.err
    # The sum over all turns of the turn's number, from 0 on, and the rank, for each of the four members.
    sums = {members[0]: turns * sum(members) + 4 * sum(range(turns)) for members, turns in ((EVENS, 20), (ODDS, 10))}
    assert sorted(job.out.splitlines()) == [f"{rank} {sums[rank % 2]}" for rank in range(8)]
    trees = trees_of(hopscope.open(job.trace))
    assert trees_of(recorded) == {"evens": {"chain"}, "odds": {"chain"}}
    assert trees["evens"].isdisjoint({"chain", None}), best
    assert trees["odds"].isdisjoint({"chain", None}), best
