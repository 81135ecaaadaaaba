"""A dataset has the same counts as otf2-print for the same archive: calls of each MPI function, bytes of collectives,
messages and their bytes, events of each location."""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import copytree, ignore_patterns, which
from typing import Any

import pyarrow as pa
import pytest

ROOT = Path(__file__).parents[2]
ARCHIVES = Path(__file__).parent / "archives"
SOURCES = [ARCHIVES / "scorep-8.4-preload-4ranks", ARCHIVES / "scorep-8.4-mpi-openmp-4x2"]
SOURCES += [ROOT / "sample_traces" / "demo" / "trace"]
SOURCES += [Path(path) for path in os.environ.get("HOPSCOPE_ARCHIVES", "").split(":") if path]
"""Further archives, set by hand: HOPSCOPE_ARCHIVES=one:another."""

_EVENT = re.compile(r"^([A-Z_0-9]+) +(\d+) +(\d+) +(.*)$")
_NAME = re.compile(r'Region: "(.*?)(?:\(\))?" <')

pytestmark = pytest.mark.skipif(which("otf2-print") is None, reason="otf2-print is not here (tools/setup system test)")


class Printed:
    """Counts from the output of otf2-print."""

    def __init__(self, anchor: Path) -> None:
        listing = subprocess.run(["otf2-print", str(anchor)], capture_output=True, text=True, check=True).stdout
        self.events: Counter[int] = Counter()
        self.entered: Counter[tuple[int, str]] = Counter()
        self.received: Counter[int] = Counter()
        self.collective_bytes: Counter[str] = Counter()
        self.collective_ends = 0
        last_entered: dict[int, str] = {}
        for line in listing.splitlines():
            match = _EVENT.match(line)
            if match is None:
                continue
            kind, location, attributes = match[1], int(match[2]), match[4]
            self.events[location] += 1
            if kind == "ENTER":
                name = _NAME.search(attributes)
                assert name is not None, line
                self.entered[location, name[1]] += 1
                last_entered[location] = name[1]
            elif kind in ("MPI_RECV", "MPI_IRECV") and '"hops:' not in attributes:
                self.received[_number(attributes, "Length")] += 1
            elif kind == "MPI_COLLECTIVE_END" and (
                "_HANDLE" not in attributes or last_entered[location] == "MPI_Comm_split"
            ):
                self.collective_ends += 1
                self.collective_bytes["sent"] += _number(attributes, "Sent")
                self.collective_bytes["received"] += _number(attributes, "Received")


def _number(attributes: str, name: str) -> int:
    match = re.search(rf"{name}: (\d+)", attributes)
    assert match is not None, attributes
    return int(match[1])


@pytest.fixture(
    scope="module", params=SOURCES, ids=lambda path: path.parent.name if path.name == "trace" else path.name
)
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("archive") / "trace"
    return copytree(request.param, copy, ignore=ignore_patterns("dataset")) / "traces.otf2"


def test_events_calls_messages_and_bytes_are_those_that_otf2_print_shows(
    archive: Path, converted: Callable[[Path], dict[str, pa.Table]]
) -> None:
    printed, tables = Printed(archive), converted(archive)
    run: dict[str, Any] = tables["run"].to_pylist()[0]
    assert run["events"] == printed.events.total()
    assert run["threads"] == len(printed.events)
    operations = dict(zip(*(tables["collectives"][name].to_pylist() for name in ("collective_id", "op")), strict=True))
    calls = tables["calls"].to_pylist()
    entered = Counter((call["location"], operations[call["collective_id"]]) for call in calls)
    entered.update((interval["location"], interval["region"]) for interval in tables["intervals"].to_pylist())
    of_collectives = {"hop wait", "combine", "copy"}  # these are `steps` and waits of hops, not intervals
    assert entered == {key: count for key, count in printed.entered.items() if key[1] not in of_collectives}
    assert len(calls) == printed.collective_ends
    assert sum(call["bytes_sent"] for call in calls) == printed.collective_bytes["sent"]
    assert sum(call["bytes_received"] for call in calls) == printed.collective_bytes["received"]
    assert Counter(message["bytes"] for message in tables["messages"].to_pylist()) == printed.received
