"""The honesty block: what tracing cost, what was dropped, what is covered, and what ran otherwise than asked."""

import json
from pathlib import Path
from typing import Any

import hopscope
import jsonschema
import pytest
from drawing import draw
from hopscope.dataset import untraced
from hopscope.dataset.store import schema_directory
from hopscope.errors import InputError
from test_answers import TABLES


def block(trace: hopscope.Trace, **options: Any) -> dict[str, dict[str, Any]]:
    return {row["item"]: row for row in trace.honesty(**options).to_pylist()}


def test_it_says_what_was_dropped_covered_and_ran_otherwise(tmp_path: Path) -> None:
    rows = block(hopscope.open(draw(tmp_path / "d", **TABLES)))
    # Rank 2 was killed; the Barrier is incomplete; one of three collectives has hops; 3 calls could not use the tree.
    assert rows["ranks without an end"]["value"] == 1
    assert rows["incomplete collectives"]["value"] == 1
    assert rows["collectives with hops"]["value"] == pytest.approx(1 / 3)
    assert rows["undecided messages"]["value"] == 0
    assert rows["MPI_Allreduce native: user-defined-operation"]["value"] == 3
    assert rows["MPI_Allreduce native: user-defined-operation"]["kind"] == "otherwise"
    assert rows["emulated links"]["sentence"].startswith("wan 20.0 ms")
    # 100 events at 2.5 ns and 50 ns of own time, of 1000 + 1000 + 500 ns.
    assert rows["recording"]["value"] == pytest.approx(0.1)
    assert rows["own time"]["value"] == pytest.approx(0.02)


def test_what_nobody_measured_is_said_with_how_to_measure_it(tmp_path: Path) -> None:
    rows = block(hopscope.open(draw(tmp_path / "d", **TABLES)))
    assert rows["job untraced"]["value"] is None
    assert "--also-untraced" in rows["job untraced"]["sentence"]
    assert rows["traced against untraced"]["sentence"] == "unknown without both times"


def test_both_times_come_from_the_trace_directory_or_from_whom_asks(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    option_rows = block(hopscope.open(dataset), untraced_ns=1000, traced_ns=1300)
    assert option_rows["traced against untraced"]["value"] == pytest.approx(0.3)
    untraced.write(dataset, 2_000_000, 2_100_000)
    schema = json.loads((schema_directory() / "untraced.schema.json").read_text())
    jsonschema.validate(json.loads((dataset / untraced.NAME).read_text()), schema)
    file_rows = block(hopscope.open(dataset))
    assert file_rows["job untraced"]["value"] == 2_000_000
    assert file_rows["traced against untraced"]["value"] == pytest.approx(0.05)


def test_a_damaged_file_of_times_says_what_to_do(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    (dataset / untraced.NAME).write_text("{}")
    with pytest.raises(InputError, match=r"cannot read .*untraced\.json .*delete it"):
        hopscope.open(dataset).honesty()


def test_an_empty_dataset_claims_nothing(tmp_path: Path) -> None:
    rows = block(hopscope.open(draw(tmp_path / "d")))
    assert rows["collectives with hops"]["value"] is None
    assert "recording" not in rows
