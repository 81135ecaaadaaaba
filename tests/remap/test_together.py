"""Parts of a run that are judged together: one tree file with a rule for each part that gains."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
from hopscope.model.trees import Shape
from hopscope.remap import remap, sentence
from hopscope.remap.run.parts import with_parts
from hopscope.remap.run.program import source_of
from simulated_network import Network, Run, SimulatedTrace, round_robin

MS = 1_000_000
TREE_SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "tree.schema.json").read_text())
SMALL, LARGE = 8, 30_000
BINOMIAL: dict[str, Any] = {"shape": "binomial-mpich"}
CHAIN: dict[str, Any] = {"shape": "explicit", "parents": [None, 3, 4, 0, 1, 6, 2, 5]}
"""To and fro between the sites three times, within hosts, and between the hosts of one."""
CHAIN_OF_TWO: dict[str, Any] = {"shape": "chain"}


def network(ranks: int) -> Network:
    """Ranks dealt over one host in site A and two in site B, 20 ms apart; a byte takes 100 ns."""
    made = round_robin(ranks, {"a0": "A", "b0": "B", "b1": "B"}, shm=1_000, lan=50_000, wan=20 * MS)
    made.per_byte = 100
    return made


def run_over(trees: dict[int, tuple[dict[str, Any], dict[str, Any]]], *, iterations: int = 60, ranks: int = 8) -> Run:
    """Allreduces of the sizes in turn, each over its trees up and down."""
    run = Run(network(ranks), BINOMIAL)
    hosts, clusters = run.network.numbers()

    def tree(spec: dict[str, Any], *, broadcast: bool) -> Any:
        root = spec["parents"].index(None) if spec["shape"] == "explicit" else 0
        return Shape(spec).tree(root, broadcast=broadcast, hosts=hosts, clusters=clusters)

    chance = random.Random(3)
    for iteration in range(iterations):
        run.size = (*trees,)[iteration % len(trees)]
        up, down = trees[run.size]
        run.up, run.down = tree(up, broadcast=False), tree(down, broadcast=True)
        run.compute(lambda _: MS + chance.randint(0, MS // 20))
        run.allreduce()
    return run


def traced(run: Run, tree_file: str | None = None) -> SimulatedTrace:
    """The run's trace, whose trees are seen in the hops."""
    trace = run.trace(tree_file)
    trace.tables["trees"] = trace.tables["trees"].slice(0, 0)
    return trace


def rules_of(table: pa.Table) -> dict[int, tuple[dict[str, Any], dict[str, Any]]]:
    """The trees that a suggestion has for each size."""
    file = json.loads(table.schema.metadata[b"tree"])
    jsonschema.validate(file, TREE_SCHEMA)
    assert all(rule["bytes"]["min"] == rule["bytes"]["max"] for rule in file["rules"])
    return {
        rule["bytes"]["min"]: (file["trees"][rule["reduce_tree"]], file["trees"][rule["broadcast_tree"]])
        for rule in file["rules"]
    }


def test_two_ranges_of_bytes_get_a_rule_each_and_the_rerun_takes_what_was_predicted() -> None:
    table = remap(traced(run_over(dict.fromkeys((SMALL, LARGE), (BINOMIAL, BINOMIAL)))), search=200, algorithms="tree")
    first, *others = table.to_pylist()
    assert first["chosen"]
    assert first["operation"] is None  # it is for both
    trees = rules_of(table)
    assert set(trees) == {SMALL, LARGE}
    again = run_over({size: trees[size] for size in (SMALL, LARGE)})
    assert again.iteration_ns() == pytest.approx(first["predicted_ns"], rel=0.02)
    # It gains over each part by itself, and these say what they are for.
    alone = [row for row in others if row["operation"]]
    assert {row["bytes_min"] for row in alone} == {SMALL, LARGE}
    assert all(first["predicted_ns"] < row["predicted_ns"] for row in alone)
    assert len({row["name"] for row in table.to_pylist()}) == len(table)
    said = sentence(table)
    for label in ("8 B", "30,000 B"):
        assert f"ithout the rule for MPI_Allreduce of {label} it would take" in said


def test_a_part_that_gains_nothing_stays_as_it_is_and_keeps_its_rules() -> None:
    # Large ones go by what was suggested for them, small ones along a chain to and fro between the sites.
    both = remap(traced(run_over(dict.fromkeys((SMALL, LARGE), (CHAIN, CHAIN)))), search=0, algorithms="tree")
    large = rules_of(both)[LARGE]
    ran = {
        "schema_version": 1,
        "trees": {"chain": CHAIN, "up": large[0], "down": large[1]},
        "rules": [
            {"operations": ["MPI_Allreduce"], "bytes": {"max": 100}, "reduce_tree": "chain"},
            {"operations": ["MPI_Allreduce"], "reduce_tree": "up", "broadcast_tree": "down"},
        ],
    }
    trace = traced(run_over({SMALL: (CHAIN, CHAIN), LARGE: large}), json.dumps(ran))
    table = remap(trace, search=0, algorithms="tree")
    first = table.to_pylist()[0]
    assert (first["chosen"], first["operation"], first["bytes_max"]) == (True, "MPI_Allreduce", SMALL)
    file = json.loads(table.schema.metadata[b"tree"])
    assert file["rules"][0]["bytes"] == {"min": SMALL, "max": SMALL}
    assert file["rules"][1:] == ran["rules"]
    assert "MPI_Allreduce of 30,000 B stays as it is" in sentence(table)


def test_nothing_is_suggested_where_no_part_gains() -> None:
    # Between two ranks there is but one tree.
    run = run_over(dict.fromkeys((SMALL, LARGE), (CHAIN_OF_TWO, CHAIN_OF_TWO)), ranks=2)
    table = remap(traced(run), search=0, algorithms="tree")
    assert not any(row["chosen"] for row in table.to_pylist())
    assert b"tree" not in table.schema.metadata
    assert sentence(table).startswith("No tree is suggested")


def test_sizes_that_are_alike_are_one_part() -> None:
    sizes = (8, 512, 1_024, 4_000, 16_000, 70_000, 250_000)
    trace = traced(run_over(dict.fromkeys(sizes, (BINOMIAL, BINOMIAL)), iterations=3 * len(sizes)))
    subject = with_parts(source_of(trace.table)).subject
    ranges = sorted(
        (min(call.size for call in part.calls), max(call.size for call in part.calls)) for part in subject.parts
    )
    assert ranges == [(8, 16_000), (70_000, 250_000)]


def two_communicators(members: list[int]) -> SimulatedTrace:
    """Every other Allreduce is on a communicator of these members, of which the simulation knows nothing."""
    trace = run_over({SMALL: (BINOMIAL, BINOMIAL)}).trace()
    comms, collectives = trace.tables["comms"], trace.tables["collectives"]
    another = [{"comm": 1, "name": "other", "size": len(members), "members": members}]
    trace.tables["comms"] = pa.concat_tables([comms, pa.Table.from_pylist(another, schema=comms.schema)])
    at = collectives.schema.get_field_index("comm")
    turns = pa.array([row % 2 for row in range(len(collectives))], collectives.schema.field("comm").type)
    trace.tables["collectives"] = collectives.set_column(at, "comm", turns)
    return trace


def test_communicators_of_the_same_members_are_one_part() -> None:
    # No rule tells a duplicate from the original.
    source = source_of(two_communicators(list(range(8))).table)
    assert with_parts(source) is source
    other = with_parts(source_of(two_communicators([1, 0, *range(2, 8)]).table)).subject
    assert [part.members for part in other.parts] == [tuple(range(8)), (1, 0, *range(2, 8))]


def test_worlds_that_were_spawned_are_no_parts_where_their_size_tells_nothing_apart() -> None:
    trace = two_communicators([1, 0, *range(2, 8)])
    ranks = trace.tables["ranks"]
    at, kind = ranks.schema.get_field_index("world"), ranks.schema.field("world").type
    trace.tables["ranks"] = ranks.set_column(at, "world", pa.array([1] * len(ranks), kind))
    source = source_of(trace.table)
    assert with_parts(source) is source
