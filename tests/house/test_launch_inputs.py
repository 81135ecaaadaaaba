"""Tree and topology files that are wrong: each is refused with its place before any job starts."""

import json
from pathlib import Path
from typing import Any

import pytest
from hopscope.errors import InputError
from hopscope.launch.inputs import check_topology, check_tree, is_shape

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


def by(algorithm: str, operation: str, **rule: Any) -> dict[str, Any]:
    """A tree file with one rule, by an algorithm."""
    return {"schema_version": 1, "rules": [{"operations": [operation], "algorithm": algorithm, **rule}]}


def test_a_file_of_algorithms_needs_no_trees(tmp_path: Path) -> None:
    content = by("recursive-doubling", "MPI_Allreduce", bytes={"max": 4096}, segment_bytes=64)
    assert check_tree(written(tmp_path, content)) == content


@pytest.mark.parametrize("name", ["recursive-doubling", "k-chain:3", "kary:2", "binomial"])
def test_shapes_and_algorithms_are_names(name: str) -> None:
    assert is_shape(name)


def test_a_good_tree_file_passes(tmp_path: Path) -> None:
    assert check_tree(written(tmp_path, EXPLICIT)) == EXPLICIT


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "tree.json:1:2: is not JSON"),
        ({**EXPLICIT, "rules": []}, r"at \$\.rules"),
        (
            {**EXPLICIT, "trees": {"mine": {"shape": "star"}}},
            r"at \$\.trees\.mine\.shape: 'star' is none of flat, chain",
        ),
        ({**EXPLICIT, "trees": {"mine": {"shape": "explicit"}}}, r"at \$\.trees\.mine: 'parents' is a required"),
        (
            {**EXPLICIT, "rules": [{"operations": ["MPI_Bcast"]}]},
            "needs one of 'native', 'algorithm', 'reduce_tree', 'broadcast_tree'",
        ),
        ({**EXPLICIT, "colour": 1}, "colour"),
        (with_parents([None, None, 0, 1]), r"2: ranks \[0, 1\]"),
        (with_parents([1, 2, 3, 2]), "this has 0"),
        (with_parents([None, 2, 1, 0]), "a cycle, 1 > 2 > 1"),
        (with_parents([None, 0, 9, 0]), "rank 2 has parent 9, but the ranks are 0 to 3"),
        ({**EXPLICIT, "rules": [{"operations": ["MPI_Bcast"], "broadcast_tree": "his"}]}, "there is no tree 'his'"),
        (by("star", "MPI_Bcast"), "'star' is not one of"),
        (by("double-ring", "MPI_Bcast"), r"operations\[0\]: 'MPI_Bcast' is not one of \['MPI_Barrier'\]"),
        ({**EXPLICIT, "rules": [{"operations": ["MPI_Scan"], "reduce_tree": "mine"}]}, "'MPI_Scan' is not one of"),
        (by("linear", "MPI_Gatherv", bytes={"max": 8}), "'MPI_Gatherv' goes by no `bytes`"),
        (by("linear", "MPI_Scan", reduce_tree="mine"), "beside `algorithm`, which stands alone"),
    ],
)
def test_a_wrong_tree_file_is_refused_with_its_place(tmp_path: Path, content: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        check_tree(written(tmp_path, content))


def test_the_message_of_a_broken_rule_names_its_line(tmp_path: Path) -> None:
    lines = (
        '{"schema_version": 1,',
        '"trees": {"t": {"shape": "flat"}},',
        '"rules": [{"operations": ["MPI_Scam"], "native": true}]}',
    )
    content = "\n".join(lines)
    with pytest.raises(InputError, match=r"tree\.json:3: at \$\.rules\[0\]\.operations\[0\]"):
        check_tree(written(tmp_path, content))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        check_tree(tmp_path / "none.json")


def test_a_topology_without_hosts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="hosts"):
        check_topology(written(tmp_path, {"schema_version": 1}))


def test_the_demo_s_topology_passes() -> None:
    assert len(check_topology(Path(__file__).parents[2] / "demo" / "topology.json")["hosts"]) == 3


@pytest.mark.parametrize("name", ["binomial", "binomial-mpich", "binomial-lam", "flat", "chain", "binary", "kary:4"])
def test_shape_names_serve_as_tree_files(name: str) -> None:
    assert is_shape(name)


@pytest.mark.parametrize("name", ["", "kary:0", "kary:", "star", "binomial.json"])
def test_other_names_are_no_shapes(name: str) -> None:
    assert not is_shape(name)
