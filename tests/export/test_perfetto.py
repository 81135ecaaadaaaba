"""The timeline export: a track for each rank, nested slices, and an arrow for each hop and message with its own
times."""

import gzip
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import hopscope
import pytest
from hopscope.errors import InputError
from hopscope.export import write_perfetto
from recorded_jobs import SAMPLES as FOLDER
from recorded_jobs import sample_trace, shared_folder

SAMPLES = sorted(path.parent.name for path in FOLDER.glob("*/trace"))

Event = dict[str, Any]


@pytest.fixture(scope="module", params=SAMPLES)
def trace(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return sample_trace(shared_folder(tmp_path_factory), f"{request.param}/trace")


def events_of(path: Path) -> list[Event]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    document = json.loads(text, parse_float=Fraction)
    assert document["displayTimeUnit"] == "ns"
    return document["traceEvents"]


def nanoseconds(microseconds: Fraction) -> int:
    """Converts to ns. Times in the file are exact to the nanosecond, or the arrows would miss their slices."""
    exact = microseconds * 1000
    assert abs(exact - round(exact)) < Fraction(1, 100)
    return round(exact)


def test_slices_nest_and_arrows_hang_on_the_ends_that_they_belong_to(trace: hopscope.Trace, tmp_path: Path) -> None:
    output = tmp_path / "trace.json"
    assert write_perfetto(trace, output) == len(events_of(output))
    tracks: dict[tuple[int, int], list[tuple[int, int, Event]]] = defaultdict(list)
    ends: dict[int, dict[str, Event]] = defaultdict(dict)
    for event in events_of(output):
        if event["ph"] == "X":
            begin = nanoseconds(event["ts"])
            tracks[event["pid"], event["tid"]].append((begin, begin + nanoseconds(event["dur"]), event))
        elif event["ph"] in "sf":
            ends[event["id"]][event["ph"]] = event

    for slices in tracks.values():
        stack: list[int] = []
        for begin, end, event in sorted(slices, key=lambda entry: (entry[0], -entry[1])):
            while stack and stack[-1] <= begin:
                stack.pop()
            assert not stack or end <= stack[-1], f"{event} is cut by the slice around it"
            stack.append(end)

    hops, messages = trace.table("hops").to_pylist(), trace.table("messages").to_pylist()
    assert len(ends) == sum(row["recv_end_ns"] > row["send_begin_ns"] for row in [*hops, *messages])
    spots = {track: {(begin, event["name"]) for begin, _, event in slices} for track, slices in tracks.items()}
    for row in hops:
        arrow = ends[2 * row["hop_id"]]
        sent, received = arrow["s"], arrow["f"]
        assert (sent["pid"], received["pid"]) == (row["src"] + 1, row["dst"] + 1)
        assert (nanoseconds(sent["ts"]), nanoseconds(received["ts"])) == (row["send_begin_ns"], row["recv_end_ns"] - 1)
        assert (row["send_begin_ns"], f"send to {row['dst']}") in spots[sent["pid"], sent["tid"]]
        assert (row["recv_end_ns"] - 1, f"receive from {row['src']}") in spots[received["pid"], received["tid"]]


def test_every_rank_has_a_track_with_its_name_and_the_path_has_one(trace: hopscope.Trace, tmp_path: Path) -> None:
    output = tmp_path / "trace.json.gz"
    write_perfetto(trace, output)
    events = events_of(output)
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert names == {"critical path", *(f"rank {row['rank']}" for row in trace.table("ranks").to_pylist())}
    stretches = [event for event in events if event.get("cat") == "path"]
    path = trace.sql("select * from path_stretches where path = 'run' order by step").to_pylist()
    assert [(e["name"], nanoseconds(e["ts"])) for e in sorted(stretches, key=lambda e: e["ts"])] == [
        (row["category"], row["begin_ns"]) for row in path
    ]


def test_a_range_has_what_touches_it(trace: hopscope.Trace, tmp_path: Path) -> None:
    middle = trace.table("run")["duration_ns"][0].as_py() // 2
    whole, part = tmp_path / "whole.json", tmp_path / "part.json"
    write_perfetto(trace, whole)
    write_perfetto(trace, part, begin_ns=middle, end_ns=middle + 50_000_000)
    slices = [event for event in events_of(part) if event["ph"] == "X"]
    expected = [
        event
        for event in events_of(whole)
        if event["ph"] == "X"
        and nanoseconds(event["ts"]) < middle + 50_000_000
        and nanoseconds(event["ts"]) + nanoseconds(event["dur"]) >= middle
    ]
    assert 0 < len(slices) < sum(event["ph"] == "X" for event in events_of(whole))
    assert sorted(map(str, slices)) == sorted(map(str, expected))


def test_what_cannot_be_written_leaves_nothing_behind(trace: hopscope.Trace, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write"):
        write_perfetto(trace, tmp_path / "nowhere" / "trace.json")
    assert list(tmp_path.iterdir()) == []

    def stop(stage: str, done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_perfetto(trace, tmp_path / "trace.json", progress=stop)
    assert list(tmp_path.iterdir()) == []
