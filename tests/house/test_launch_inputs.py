"""Wrong tree and topology files: each is refused before any job starts, with the location of the mistake."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hopscope.errors import InputError
from hopscope.launch.inputs import check_topology, check_tree, schema
from hopscope.native import _plan

EXPLICIT: dict[str, Any] = {
    "schema_version": 1,
    "trees": {"mine": {"shape": "explicit", "parents": [None, 0, 0, 1]}},
    "rules": [{"operations": ["MPI_Allreduce"], "reduce_tree": "mine"}],
}


def written(folder: Path, content: Any) -> Path:
    path = folder / "tree.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return path


def with_parents(parents: list[int | None]) -> dict[str, Any]:
    return {**EXPLICIT, "trees": {"mine": {"shape": "explicit", "parents": parents}}}


def file(algorithm: str, operation: str, **rule: Any) -> dict[str, Any]:
    """A tree file with one rule, for an algorithm."""
    return {"schema_version": 1, "rules": [{"operations": [operation], "algorithm": algorithm, **rule}]}


def breaks_the_schema(content: Any) -> bool:
    return not jsonschema.Draft202012Validator(schema("tree.schema.json")).is_valid(content)


# Only rules that name trees need `trees`.
WITHOUT_TREES = file("ring", "MPI_Allreduce")
WITHOUT_TREES["rules"].append({"operations": ["MPI_Bcast"], "native": True})


@pytest.mark.parametrize(
    "content",
    [
        file("recursive-doubling", "MPI_Allreduce", bytes={"max": 4096}, segment_bytes=64),
        WITHOUT_TREES,
        EXPLICIT,
        {
            **file("leaders", "MPI_Barrier", level="host", inside="t", between="ring"),
            "trees": {"t": {"shape": "chain"}},
        },
        file("ring", "MPI_Allreduce", members=[3, 0, 2]),
    ],
    ids=["algorithms alone", "an algorithm and a rule for the library", "explicit", "leaders", "members"],
)
def test_a_good_tree_file_passes(tmp_path: Path, content: Any) -> None:
    check_tree(str(written(tmp_path, content)))
    assert not breaks_the_schema(content)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({**EXPLICIT, "rules": []}, "`rules` is empty; give at least one"),
        (
            {**EXPLICIT, "trees": {"mine": {"shape": "star"}}},
            "unknown shape `star`; it must be one of flat, chain, .*, hierarchical, explicit",
        ),
        (
            {**EXPLICIT, "trees": {"mine": {"shape": "k-chain:99999999999"}}},
            "unknown shape `k-chain:99999999999`; .*; put the number into `fan_out`",
        ),
        ({**EXPLICIT, "trees": {"mine": {"shape": "kary", "fan_out": 0}}}, "`fan_out` is 0; it must be from 1 to"),
        ({**EXPLICIT, "trees": {"mine": {"shape": "kary"}}}, "is kary but has no `fan_out`"),
        ({**EXPLICIT, "trees": {"mine": {"shape": "explicit"}}}, "is explicit but has no `parents`"),
        (
            {**EXPLICIT, "rules": [{"operations": ["MPI_Bcast"]}]},
            "this rule has no tree; give `reduce_tree`, `broadcast_tree` or `algorithm`, or `native`",
        ),
        ({**EXPLICIT, "colour": 1}, "unknown key `colour`; known keys are `schema_version`"),
        (file("star", "MPI_Bcast"), "`star`.*pipeline"),
        (file("double-ring", "MPI_Bcast"), "double-ring.*MPI_Bcast"),
        ({**EXPLICIT, "rules": [{"operations": ["MPI_Scan"], "reduce_tree": "mine"}]}, "MPI_Scan"),
        (file("linear", "MPI_Gatherv", bytes={"max": 8}), "MPI_Gatherv.*`bytes`"),
        (file("linear", "MPI_Scan", reduce_tree="mine"), "`algorithm`"),
        (file("leaders", "MPI_Scan"), "leaders.*MPI_Scan"),
        (file("leaders", "MPI_Bcast", level="rack"), "`level` is `rack`; it must be cluster or host"),
        (file("leaders", "MPI_Bcast", between="rings"), "`between` is `rings`; did you mean `ring`?"),
        (file("ring", "MPI_Allgather", level="host"), "`level` is for the algorithm leaders"),
        (file("ring", "MPI_Allgather", members=[0]), "`members` has length 1; list every rank of the communicator"),
        (file("ring", "MPI_Allgather", members=[0, 3, 0]), "`members` lists rank 0 twice; list each once"),
        (file("ring", "MPI_Allgather", members=[0, 2**24]), "a rank in `members` is 16777216; it must be from 0 to"),
    ],
)
def test_what_breaks_the_schema_is_refused_in_the_collector_s_words(tmp_path: Path, content: Any, says: str) -> None:
    assert breaks_the_schema(content)
    with pytest.raises(InputError, match=rf"tree\.json:\d+:\d+: .*{says}"):
        check_tree(str(written(tmp_path, content)))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "tree.json:1:"),
        (with_parents([None, None, 0, 1]), "two roots, ranks 0 and 1"),
        (with_parents([1, 2, 3, 2]), "has no root"),
        (with_parents([None, 2, 1, 0]), "a cycle: "),
        (with_parents([None, 0, 9, 0]), "the parent of rank 2 is 9, but the ranks of this tree are 0 to 3"),
        ({**EXPLICIT, "rules": [{"operations": ["MPI_Bcast"], "broadcast_tree": "his"}]}, "`his`"),
        (file("ring", "MPI_Allgather", members=[0, 3], comm_size={"min": 3}), "leaves out the 2 ranks of `members`"),
        (
            {**EXPLICIT, "rules": [{**EXPLICIT["rules"][0], "members": [4, 5]}]},
            "the tree `mine` is for 4 ranks, but `members` lists 2",
        ),
        ({**EXPLICIT, **file("leaders", "MPI_Bcast", inside="mine")}, "`inside` names the explicit tree `mine`"),
        (file("leaders", "MPI_Bcast", inside="mine"), "`trees` is missing"),
    ],
)
def test_what_no_schema_can_say_is_refused_as_well(tmp_path: Path, content: Any, says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        check_tree(str(written(tmp_path, content)))


def test_an_explicit_tree_for_more_ranks_than_the_job_has_is_refused(tmp_path: Path) -> None:
    tree = str(written(tmp_path, EXPLICIT))
    check_tree(tree, 4)
    with pytest.raises(InputError, match="the tree `mine` is for 4 ranks, but the job has only 3"):
        check_tree(tree, 3)


def test_an_explicit_tree_whose_rule_is_for_larger_jobs_is_passed_over(tmp_path: Path) -> None:
    rule = {**EXPLICIT["rules"][0], "comm_size": {"min": 4, "max": 4}}
    check_tree(str(written(tmp_path, {**EXPLICIT, "rules": [rule]})), 3)


def test_members_beyond_the_ranks_of_the_job_are_refused(tmp_path: Path) -> None:
    tree = str(written(tmp_path, file("ring", "MPI_Allgather", members=[0, 3])))
    check_tree(tree, 4)
    with pytest.raises(InputError, match="`members` lists rank 3, but the ranks of the job are 0 to 2"):
        check_tree(tree, 3)


def test_the_message_of_a_broken_rule_names_its_line(tmp_path: Path) -> None:
    lines = (
        '{"schema_version": 1,',
        '"trees": {"t": {"shape": "flat"}},',
        '"rules": [{"operations": ["MPI_Scam"], "native": true}]}',
    )
    with pytest.raises(InputError, match=r"tree\.json:3:\d+: .*MPI_Scam"):
        check_tree(str(written(tmp_path, "\n".join(lines))))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: No such file"):
        check_tree(str(tmp_path / "none.json"))


def test_a_topology_without_hosts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hosts"):
        check_topology(written(tmp_path, {"schema_version": 1}))


def test_the_demo_s_topology_passes() -> None:
    assert len(check_topology(Path(__file__).parents[2] / "demo" / "topology.json")["hosts"]) == 3


NAMES = [
    *(f"{shape.name}:4" if shape.counts else shape.name for shape in _plan.shapes() if shape.name != "explicit"),
    *sorted({algorithm.name for algorithm in _plan.algorithms() if not algorithm.by_tree}),
    *(f"leaders:{exchange}" for exchange in _plan.BETWEEN),
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_shapes_and_algorithms_serve_as_tree_files(name: str) -> None:
    check_tree(name)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("binomal", "binomal: no file, shape or algorithm has this name; did you mean binomial?"),
        ("star", "star: no file, shape or algorithm has this name; shapes are flat, "),
        ("", "no file, shape or algorithm has this name"),
        ("kary:0", "kary:0: kary: and k-chain: must be followed by a whole number from 1 to 1000000"),
        ("kary:", "must be followed by a whole number"),
        ("k-chain:99999999999", "k-chain:99999999999: kary: and k-chain: must be followed by a whole number"),
        ("binomial.json", "binomial.json: No such file"),
    ],
)
def test_other_names_are_refused_with_those_that_there_are(name: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        check_tree(name)
