"""The dataset's own rules, each broken on purpose: once within the clocks' uncertainty and once beyond it."""

import json
from pathlib import Path
from typing import Any

import hopscope
import pytest
from drawing import draw
from hopscope.errors import InputError

GOOD = {
    "ranks": "rank\n0\n1",
    "comms": "comm name size members\n0 w 2 0,1",
    "collectives": "collective_id comm seq comm_size last_leave_ns complete\n0 0 0 2 60 true\n1 0 1 2 - false",
    "calls": "collective_id rank enter_ns leave_ns\n0 0 10 60\n0 1 20 55\n1 0 90 -",
    "hops": "collective_id src dst send_begin_ns recv_end_ns clock_error_ns\n0 1 0 30 50 5",
    "messages": "src dst send_begin_ns recv_post_ns recv_wait_begin_ns recv_end_ns clock_error_ns\n0 1 1 1 1 4 5",
    "intervals": "rank begin_ns end_ns region\n0 0 5 MPI_Init",
    "path_stretches": "path path_collective_id step rank begin_ns end_ns category\n"
    "collective 0 0 1 20 30 local\ncollective 0 1 0 30 60 shm\nrun - 0 0 0 60 compute",
}


def checked(directory: Path, **changed: str) -> dict[str, dict[str, Any]]:
    trace = hopscope.open(draw(directory, **{**GOOD, **changed}))
    return {row["rule"]: row for row in trace.check_data().to_pylist()}


def test_a_good_dataset_keeps_every_rule_and_counts_what_is_exempt(tmp_path: Path) -> None:
    rows = checked(tmp_path / "d")
    assert {row["verdict"] for row in rows.values()} == {"holds", "exempt"}
    assert rows["incomplete collectives, exempt"]["rows"] == 1


def test_a_path_through_native_hops_that_misses_the_last_enter_is_listed(tmp_path: Path) -> None:
    missed = "critical paths through native hops that miss the last enter, exempt"
    native = "collective_id src dst send_begin_ns recv_end_ns clock_error_ns source\n0 1 0 30 50 5 native"
    assert missed not in checked(tmp_path / "whole", hops=native)
    # Rank 0 enters at 25, but the path begins where rank 1 entered, at 20. An Allreduce cannot end without rank 0.
    calls = GOOD["calls"].replace("0 0 10 60", "0 0 25 60")
    row = checked(tmp_path / "missed", hops=native, calls=calls)[missed]
    assert (row["rows"], row["beyond"], row["verdict"]) == (1, 0, "exempt")
    assert row["example"] == "collective 0: path begins 20, rank 0 entered 25"
    assert missed not in checked(tmp_path / "engine", calls=calls)


def test_the_path_of_a_nonblocking_collective_ends_where_it_was_complete(tmp_path: Path) -> None:
    # Regression: MPI_Iallreduce returns at once, and a correct trace failed because the collective's path ended at its
    # wait.
    calls = "collective_id rank enter_ns leave_ns complete_ns\n0 0 10 12 60\n0 1 20 22 55\n1 0 90 - -"
    collectives = "collective_id comm seq comm_size last_leave_ns complete\n0 0 0 2 22 true\n1 0 1 2 - false"
    rows = checked(tmp_path / "d", calls=calls, collectives=collectives)
    assert {row["verdict"] for row in rows.values()} == {"holds", "exempt"}


def test_a_collective_without_length_needs_no_path(tmp_path: Path) -> None:
    # Regression: if a clock turned back or has coarse ticks, members enter and leave at the same time. That failed as
    # if the conversion had lost the path.
    calls = "collective_id rank enter_ns leave_ns\n0 0 10 60\n0 1 20 55\n1 0 90 90\n1 1 90 90"
    collectives = "collective_id comm seq comm_size last_leave_ns complete\n0 0 0 2 60 true\n1 0 1 2 90 true"
    rows = checked(tmp_path / "d", calls=calls, collectives=collectives)
    rule = rows["every complete collective that somebody left has a critical path"]
    assert (rule["rows"], rule["beyond"]) == (1, 0)


def test_nothing_to_check_is_said_and_is_no_failure(tmp_path: Path) -> None:
    rows = hopscope.open(draw(tmp_path / "d")).check_data().to_pylist()
    assert {row["verdict"] for row in rows} == {"nothing to check", "exempt"}


@pytest.mark.parametrize(
    ("rule", "table", "old", "new", "inside_count", "beyond_count"),
    [
        ("a hop is received after it was sent", "hops", "30 50 5", "30 26 5", 1, 0),
        ("a hop is received after it was sent", "hops", "30 50 5", "30 24 5", 0, 1),
        ("both ends of a hop are members of its communicator", "hops", "0 1 0 30", "0 7 0 30", 0, 1),
        ("a message is received after it was sent", "messages", "1 4 5", "1 -3 5", 1, 0),
        ("a message is received after it was sent", "messages", "1 4 5", "1 -9 5", 0, 1),
        ("a call is left after it was entered", "calls", "20 55", "20 19", 0, 1),
        ("an interval ends after it began", "intervals", "0 5 MPI", "5 0 MPI", 0, 1),
        ("a complete collective has one call per member", "calls", "\n0 1 20 55", "", 0, 1),
        ("a complete collective has one call per member", "calls", "0 1 20", "0 0 20", 0, 1),
        ("communicator and number name one collective", "collectives", "1 0 1 2", "1 0 0 2", 0, 1),
        (
            "every complete collective that somebody left has a critical path",
            "path_stretches",
            "\ncollective 0 0 1 20 30 local\ncollective 0 1 0 30 60 shm",
            "",
            0,
            1,
        ),
        ("the stretches of a critical path add up to its length", "path_stretches", "20 30 local", "20 29 local", 0, 1),
        ("the critical path of a collective ends at its last leave", "path_stretches", "30 60 shm", "30 58 shm", 0, 1),
    ],
)
def test_a_broken_rule_is_found(  # noqa: PLR0917 - one argument per column of the list above
    tmp_path: Path, rule: str, table: str, old: str, new: str, inside_count: int, beyond_count: int
) -> None:
    assert old in GOOD[table]
    row = checked(tmp_path / "d", **{table: GOOD[table].replace(old, new, 1)})[rule]
    assert (row["inside"], row["beyond"]) == (inside_count, beyond_count)
    assert row["verdict"] == ("fails" if beyond_count else "holds")
    assert (row["example"] is not None) == bool(beyond_count)


CONTENT = "every file has the content that the conversion wrote"


def test_a_bit_flipped_in_a_file_is_found(tmp_path: Path) -> None:
    # Regression: a flipped bit changed answers although every rule held.
    dataset = draw(tmp_path / "d", **GOOD)
    part = dataset / "calls" / "part-00000.parquet"
    rows = {row["rule"]: row for row in hopscope.open(dataset).check_data().to_pylist()}
    assert (rows[CONTENT]["rows"], rows[CONTENT]["beyond"], rows[CONTENT]["verdict"]) == (10, 0, "holds")
    content = bytearray(part.read_bytes())
    content[content.index(b"parquet-cpp")] ^= 1  # a byte that no reader checks
    part.write_bytes(content)
    rule = {row["rule"]: row for row in hopscope.open(dataset).run("check-data").to_pylist()}[CONTENT]
    assert (rule["rows"], rule["beyond"], rule["verdict"]) == (10, 1, "fails")
    assert rule["example"].startswith(f"{part}: ")


def test_a_file_of_another_trace_is_found(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **GOOD)
    second = draw(tmp_path / "other", **{**GOOD, "hops": GOOD["hops"].replace("30 50 5", "31 49 5")})
    part, foreign = (place / "hops" / "part-00000.parquet" for place in (dataset, second))
    assert part.stat().st_size == foreign.stat().st_size
    part.write_bytes(foreign.read_bytes())
    rows = {row["rule"]: row for row in hopscope.open(dataset).check_data().to_pylist()}
    assert rows[CONTENT]["verdict"] == "fails"
    assert rows[CONTENT]["example"].startswith(f"{part}: ")


def test_a_file_with_other_rows_or_one_too_many_is_not_opened(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **GOOD)
    calls, hops = (dataset / table / "part-00000.parquet" for table in ("calls", "hops"))
    content = hops.read_bytes()
    hops.write_bytes(calls.read_bytes())
    with pytest.raises(
        InputError, match=rf"{hops} has \d+ bytes, but manifest.json says \d+.*Delete {dataset} and run"
    ):
        hopscope.open(dataset)
    hops.write_bytes(content)
    (dataset / "calls" / "part-00001.parquet").write_bytes(calls.read_bytes())
    with pytest.raises(InputError, match=r"part-00001.parquet is not part of the dataset.*Delete"):
        hopscope.open(dataset)
    (dataset / "calls" / "part-00001.parquet").unlink()
    manifest = json.loads((dataset / "manifest.json").read_text())
    manifest["tables"]["calls"][0]["rows"] += 1
    (dataset / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=rf"{calls} has 3 rows, but manifest.json says 4.*Delete"):
        hopscope.open(dataset)
