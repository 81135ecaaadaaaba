"""The answer about a trace's reliability: the cost of tracing, missing data, coverage, engines, and the rules of the
dataset."""

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
from started_commands import analyze
from test_answers import TABLES


def block(trace: hopscope.Trace, **options: Any) -> dict[str, dict[str, Any]]:
    return {row["item"]: row for row in trace.trust(**options).to_pylist()}


def test_it_says_what_was_dropped_covered_and_ran_otherwise(tmp_path: Path) -> None:
    rows = block(hopscope.open(draw(tmp_path / "d", **TABLES)))
    # Rank 2 was killed. The Barrier is incomplete. One of three collectives has hops. 3 calls could not use the tree.
    assert (rows["incomplete ranks"]["value"], rows["incomplete ranks"]["sentence"]) == (1, "without MPI_Finalize: 2")
    assert rows["incomplete collectives"]["value"] == 1
    assert rows["collectives with hops"]["value"] == pytest.approx(1 / 3)
    assert rows["undecided messages"]["value"] == 0
    assert rows["MPI_Allreduce native: user-defined-operation"]["value"] == 3
    assert rows["MPI_Allreduce native: user-defined-operation"]["section"] == "engines"
    assert rows["MPI_Allreduce on tree binomial"]["value"] == 3
    assert rows["MPI_Barrier by the MPI library"]["value"] == 2
    assert rows["clock bound"]["sentence"].endswith("used for verdicts")
    assert rows["emulated links"]["sentence"] == (
        "wan 20.0 ms and 1,000,000 bytes/s, all from A to B bandwidths of a trace and coming in by b, a to b 1.50 µs, "
        "every host one message at a time 5.00 ms each and bytes passed on as they come, "
        "every rank one message at a time 8.00 µs each and 2 ns a byte"
        "; only hops of the tree engine were delayed, not messages and native collectives"
    )
    # 100 events of 2.5 ns and 50 ns of own time, out of 1000 + 1000 + 500 ns.
    assert rows["recording"]["value"] == pytest.approx(0.1)
    assert rows["own time"]["value"] == pytest.approx(0.02)
    assert rows["tracing as part of the run"]["value"] == pytest.approx(0.12)


def test_it_begins_with_the_limits_and_says_if_the_dataset_keeps_its_rules(tmp_path: Path) -> None:
    trace = hopscope.open(draw(tmp_path / "d", **TABLES))
    rows = trace.trust().to_pylist()
    limits = [(row["item"], row["sentence"]) for row in rows if row["section"] == "limits"]
    assert limits == [(limit["kind"], limit["sentence"]) for limit in trace.limits()]
    data = rows[len(limits)]
    broken = [row["rule"] for row in trace.check_data().to_pylist() if row["verdict"] == "fails"]
    assert (data["section"], data["item"], data["value"]) == ("data", "broken rules", len(broken))
    assert all(rule in data["sentence"] for rule in broken)


def test_former_names_and_rows_lead_to_it(tmp_path: Path) -> None:
    dataset = draw(tmp_path / "d", **TABLES)
    for former in ("caveats", "honesty"):
        done = analyze(former, dataset)
        assert (done.returncode, done.stderr.splitlines()[0]) == (0, f"note: `analyze {former}` is now `analyze trust`")
    gate = analyze("summary", dataset, "--fail-if", '"incomplete collectives".value > 0')
    assert gate.returncode == 2
    assert "`analyze trust`" in gate.stderr


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
        hopscope.open(dataset).trust()


def test_an_empty_dataset_claims_nothing(tmp_path: Path) -> None:
    rows = block(hopscope.open(draw(tmp_path / "d")))
    assert rows["collectives with hops"]["value"] is None
    assert "recording" not in rows
