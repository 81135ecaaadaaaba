"""A whole probe of a simulated machine: its results, the measurements that it leaves out, and its files."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import hopscope
import jsonschema
import pytest
from hopscope.errors import InputError
from hopscope.launch.inputs import check_topology, schema
from hopscope.machine.formulas import FORMULAS
from hopscope.machine.parameters import LinkEnds, crowding, links_of, models_of, read_machine, rows_of_machine
from hopscope.machine.probe import Budget, Measured, Prober, machine_content, topology_content
from hopscope.machine.probe.places import meetings
from hopscope.machine.published import Call, Hockney, LogGP, PLogP
from simulated_machine import LAN, SHM, WAN, SimulatedLink, SimulatedMachine, two_sites

PROVENANCE = {"at": "2026-01-01T00:00:00+00:00", "command": ["mpirun"], "library": "none", "ranks": 8, "seconds": 120.0}


def probed(machine: SimulatedMachine, seconds: float = 600) -> Measured:
    return Prober(machine, Budget(seconds, machine.clock)).run()


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return machine_content(probed(two_sites()), PROVENANCE)


def point(machine: dict[str, Any], link: str, size: int) -> dict[str, Any]:
    (entry,) = [row for row in machine["links"] if row["link"] == link and not row["outlying"]]
    return next(row for row in entry["sizes"] if row["bytes"] == size)


def test_the_machine_file_follows_its_schema(whole: dict[str, Any]) -> None:
    jsonschema.validate(whole, schema("machine.schema.json"))


def test_with_enough_time_everything_is_measured(whole: dict[str, Any]) -> None:
    assert '"not measured"' not in json.dumps([link for link in whole["links"] if link["link"] != "wan"])
    assert '"not measured"' not in json.dumps(whole["combining"]) + json.dumps(whole["contention"])


@pytest.mark.parametrize(("name", "link"), [("shm", SHM), ("lan", LAN), ("wan", WAN)])
def test_what_was_simulated_is_found_within_a_few_per_cent(
    whole: dict[str, Any], name: str, link: SimulatedLink
) -> None:
    size = 1 << 16
    measured = point(whole, name, size)
    gap = link.gap + size * link.per_byte
    assert measured["one_way_ns"]["median"] == pytest.approx(link.latency + gap, rel=0.02)
    assert measured["gaps"][0]["gap_ns"]["median"] == pytest.approx(gap, rel=0.02)
    assert measured["send_overhead_ns"]["median"] == pytest.approx(link.overhead, rel=0.02)
    assert measured["receive_overhead_ns"]["median"] == pytest.approx(link.overhead, rel=0.02)
    low, high = measured["gaps"][0]["gap_ns"]["low"], measured["gaps"][0]["gap_ns"]["high"]
    assert low <= measured["gaps"][0]["gap_ns"]["median"] <= high


def test_gaps_are_measured_towards_as_many_destinations_as_there_are(whole: dict[str, Any]) -> None:
    counts = {name: [gap["destinations"] for gap in point(whole, name, 1)["gaps"]] for name in ("shm", "lan", "wan")}
    assert counts == {"shm": [1], "lan": [1, 2], "wan": [1, 2, 4]}


def test_the_clusters_and_the_topology_file_are_those_of_the_machine(tmp_path: Path) -> None:
    content = topology_content(probed(two_sites()).places)
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(content))
    assert check_topology(file)["hosts"] == [
        {"name": "a0", "cluster": "A"},
        {"name": "a1", "cluster": "A"},
        {"name": "b0", "cluster": "B"},
        {"name": "b1", "cluster": "B"},
    ]


def test_an_outlying_pair_of_hosts_is_measured_by_itself() -> None:
    slow = SimulatedLink(9_000_000, 3_000, 6_000, 50.0)
    machine = machine_content(probed(two_sites(odd={frozenset(("a1", "b1")): slow})), PROVENANCE)
    (outlier,) = [link for link in machine["links"] if link["outlying"]]
    assert (outlier["link"], outlier["hosts"]) == ("wan", ["a1", "b1"])
    assert outlier["sizes"][0]["one_way_ns"]["median"] == pytest.approx(9_006_000, rel=0.02)


def test_a_short_budget_is_kept_and_what_was_skipped_says_so() -> None:
    machine = two_sites()
    content = machine_content(probed(machine, seconds=5), PROVENANCE)
    jsonschema.validate(content, schema("machine.schema.json"))
    assert machine.time_s < 5 + 4  # one measurement may exceed the budget
    assert point(content, "wan", 1)["one_way_ns"] != "not measured"
    assert point(content, "wan", 1 << 22)["one_way_ns"] == "not measured"
    assert {entry["ns_per_byte"] for entry in content["combining"]} == {"not measured"}


class Disturbed(SimulatedMachine):
    """A machine on which other work delays the first trial of each gap, which has fewer messages. longest: the longest
    command, in seconds."""

    longest = 0.0

    def measure(self, *words: object) -> dict[int, list[float]]:
        begin = self.time_s
        times = super().measure(*words)
        self.longest = max(self.longest, self.time_s - begin)
        is_trial = words[0] == "gap" and words[3] == 1
        return {rank: [-1.0] * len(values) if is_trial else values for rank, values in times.items()}


def test_a_trial_that_other_work_disturbed_makes_no_point_take_longer_than_a_second_or_two() -> None:
    """Regression: the gap counted as 100 ns, so 4,000 messages of 8 KiB crossed a slow link 28 times: 48 s of a budget
    of 60 s."""
    names = ("a0", "a1", "b0", "b1")
    machine = Disturbed([name for name in names for _ in range(2)], {name: name[0].upper() for name in names})
    content = machine_content(probed(machine, seconds=60), PROVENANCE)
    assert machine.longest < 3
    assert machine.time_s < 60 + 3
    gap = WAN.gap + (1 << 13) * WAN.per_byte
    assert point(content, "wan", 1 << 13)["gaps"][0]["gap_ns"]["median"] == pytest.approx(gap, rel=0.02)


@pytest.mark.parametrize("hosts", [2, 21, 30])
def test_every_two_hosts_meet_once_and_no_host_is_in_two_pairs_at_once(hosts: int) -> None:
    rounds = meetings(hosts)
    assert sorted(pair for pairs in rounds for pair in pairs) == list(itertools.combinations(range(hosts), 2))
    assert all(len({host for pair in pairs for host in pair}) == 2 * len(pairs) for pairs in rounds)


def test_many_hosts_leave_time_for_more_than_their_latencies() -> None:
    """Regression: one after another, the 1,225 pairs of these hosts took 340 s, with a budget of 120 s."""
    names = [f"{cluster}{number}" for cluster in "ab" for number in range(25)]
    machine = SimulatedMachine(names, {name: name[0] for name in names})
    measured = probed(machine, seconds=120)
    assert measured.places.clusters.of_host == (0,) * 25 + (1,) * 25
    assert measured.places.links()
    content = machine_content(measured, PROVENANCE)
    assert point(content, "wan", 1)["one_way_ns"] != "not measured"


def test_ranks_of_one_host_are_one_link(tmp_path: Path) -> None:
    content = machine_content(probed(SimulatedMachine(["one"] * 3, {"one": "A"})), PROVENANCE)
    jsonschema.validate(content, schema("machine.schema.json"))
    assert [link["link"] for link in content["links"]] == ["shm"]
    assert content["levels"]["cluster"]["certainty"] is None


def test_senders_that_share_an_interface_are_found(whole: dict[str, Any]) -> None:
    sentences = " ".join(crowding(whole))
    matches = re.findall(
        r"(Host a0|Clusters A and B): 2 senders at once each take (\S+) times as long as one alone\.", sentences
    )
    assert {place: float(times) for place, times in matches} == pytest.approx(
        {"Host a0": 2, "Clusters A and B": 2}, rel=0.05
    )


def test_the_formulas_can_be_evaluated_on_a_probed_machine(whole: dict[str, Any]) -> None:
    rows = rows_of_machine(whole, "MPI_SUM", "MPI_DOUBLE")
    ends = next(candidate for candidate in links_of(rows) if candidate.link == "lan")
    models = models_of(rows, ends)
    call = Call(8, 1 << 20, 1 << 16)
    # A pipeline of 16 segments over 8 ranks, by Hockney: 22 times the time of a segment.
    way = LAN.latency + LAN.gap + (1 << 16) * LAN.per_byte
    assert FORMULAS["MPI_Bcast", "pipeline", Hockney](call, models["Hockney"]) == pytest.approx(22 * way, rel=0.02)
    gap = LAN.gap + (1 << 16) * LAN.per_byte
    expected = 7 * (LAN.latency + gap) + 15 * gap
    assert FORMULAS["MPI_Bcast", "pipeline", PLogP](call, models["PLogP"]) == pytest.approx(expected, rel=0.03)
    assert FORMULAS["MPI_Bcast", "pipeline", LogGP](call, models["LogGP"]) == pytest.approx(expected, rel=0.1)
    assert models["LogGP"].gamma == pytest.approx(0.25, rel=0.02)


def test_a_model_that_lacks_a_parameter_is_left_out(whole: dict[str, Any]) -> None:
    rows = [row for row in rows_of_machine(whole, "MPI_SUM", "MPI_DOUBLE") if row.parameter != "o_s"]
    ends = links_of(rows)[0]
    assert set(models_of(rows, ends)) == {"Hockney", "LogGP"}
    assert models_of(rows, LinkEnds("self")) == {}


def test_a_broken_machine_file_is_wrong_input(tmp_path: Path, whole: dict[str, Any]) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps({**whole, "links": [{}]}, indent=1))
    with pytest.raises(InputError, match=r"machine\.json:\d+: at \$\.links\[0\]: 'link' is a required property"):
        read_machine(file)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"hosts": [{"name": "a", "cluster": "A"}], "network": {}}, "topology"),
        ({"rules": [], "trees": []}, "tree"),
    ],
)
def test_a_file_of_another_kind_is_named_as_what_it_is(tmp_path: Path, content: dict[str, Any], kind: str) -> None:
    # Regression: for a topology file with a network, the message was that additional properties are not allowed.
    file = tmp_path / "sites.json"
    file.write_text(json.dumps({"schema_version": 1, **content}))
    with pytest.raises(InputError, match=rf"sites\.json is a {kind} file; give a machine file; `hopscope probe"):
        read_machine(file)


def test_a_machine_file_is_named_where_a_topology_or_a_trace_is_wanted(tmp_path: Path, whole: dict[str, Any]) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(whole))
    with pytest.raises(InputError, match="is a machine file; give a topology file"):
        check_topology(file)
    with pytest.raises(InputError, match="is a machine file, not a trace; `analyze model`, `analyze formulas`"):
        hopscope.open(file)
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(InputError, match="is not an OTF2 anchor file"):
        hopscope.open(tmp_path / "other.json")
