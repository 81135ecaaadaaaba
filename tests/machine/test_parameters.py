"""Parameters of the models: from a machine file, from a trace, and compared with a trace's hosts."""

import json
from pathlib import Path
from typing import Any

import hopscope
import numpy as np
import pytest
from hopscope.cli.main import analyze
from hopscope.errors import InputError
from hopscope.machine.costs import Costs, LinkCost, LocalCost
from hopscope.machine.emulated import machine_of
from hopscope.machine.parameters import (
    LinkEnds,
    answer_of_machine,
    differences,
    lacking,
    measured_over_sizes,
    models_of,
    over_sizes,
    overdrawn,
    rows_of_machine,
)
from hopscope.machine.parameters.rows import Estimate
from hopscope.machine.published import Hockney, LogGP, PLogP
from hopscope.replay.fitting.link_times import Way, line_through
from hopscope.replay.fitting.trace_parameters import Fitted, fitted_of_trace, rows_of_fit, ways_of_emulated
from hopscope.vocabulary.links import LINKS

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "sample_traces" / "demo" / "trace"


def value(median: float) -> dict[str, Any]:
    return {"median": median, "low": 0.9 * median, "high": 1.1 * median, "count": 10}


def size(count: int, one_way: float | None, gaps: dict[int, float]) -> dict[str, Any]:
    return {
        "bytes": count,
        "one_way_ns": "not measured" if one_way is None else value(one_way),
        "send_overhead_ns": value(100.0),
        "receive_overhead_ns": value(300.0),
        "gaps": [{"destinations": destinations, "gap_ns": value(gap)} for destinations, gap in gaps.items()],
    }


def machine(**changes: Any) -> dict[str, Any]:
    """A machine file with two hosts of two clusters. One way takes 1,001 ns for a byte, 1,100 for 100, then 2 ns for
    each further byte."""
    sizes = [size(1, 1001.0, {1: 500.0, 2: 700.0}), size(100, 1100.0, {}), size(1100, 3100.0, {1: 2200.0})]
    hosts = [{"name": "a", "cluster": "A", "ranks": [0]}, {"name": "b", "cluster": "B", "ranks": [1]}]
    level = {"inside_ns": None, "between_ns": 1001.0, "certainty": 1.0}
    link = {"link": "wan", "hosts": ["a", "b"], "ranks": [0, 1], "outlying": False, "sizes": sizes}
    content = {
        "schema_version": 1,
        "made": {"at": "", "command": [], "library": "", "ranks": 2, "seconds": 1, "spent_seconds": 1},
        "hosts": hosts,
        "levels": {"host": level, "cluster": level},
        "latencies": [],
        "links": [link],
        "combining": [{"operation": "MPI_SUM", "type": "MPI_INT", "bytes": 1024, "ns_per_byte": value(0.5)}],
        "contention": [],
    }
    return content | changes


LINK = LinkEnds("wan", "a", "b", False)


def test_hockney_gives_back_what_was_measured() -> None:
    model = models_of(rows_of_machine(machine(), "MPI_SUM", "MPI_INT"), LINK)["Hockney"]
    assert [model.message(count) for count in (1, 100, 1100)] == pytest.approx([1001, 1100, 3100])  # type: ignore[union-attr]
    assert [model.beta(count) for count in (1, 100, 1100)] == pytest.approx([1, 2, 2])  # type: ignore[union-attr]
    assert model.gamma == 0.5


def test_a_time_that_rises_steeply_leaves_no_latency_below_0() -> None:
    """Regression: the line from 64 KiB to 1 MiB began 30 ms below 0, so formulas gave negative times between these
    sizes."""
    steep = machine()
    steep["links"][0]["sizes"] = [
        size(count, time, {}) for count, time in ((1, 1e6), (65_536, 5e6), (262_144, 80e6), (1 << 20, 200e6))
    ]
    rows = rows_of_machine(steep, "MPI_SUM", "MPI_INT")
    alphas = {row.bytes: row for row in rows if row.parameter == "alpha"}
    # 196,608 bytes take 75 ms. With this slope, the first 65,536 bytes leave nothing for the latency. From one byte on,
    # they take 4 ms, which leaves 1 ms.
    assert alphas[65_536].value == pytest.approx(1e6, rel=1e-3)
    assert alphas[65_536].low == 0
    assert alphas[65_536].value < (alphas[65_536].high or 0)
    assert all(row.value >= 0 and (row.low or 0) >= 0 for row in rows)
    model = models_of(rows, LINK)["Hockney"]
    assert isinstance(model, Hockney)
    assert [model.message(count) for count in (1, 65_536, 262_144)] == pytest.approx([1e6, 5e6, 80e6])
    assert min(model.message(count) for count in range(1, 1 << 20, 4096)) > 0


def test_a_step_between_two_sizes_is_in_the_interval_of_what_a_byte_takes() -> None:
    """Regression: on a link of 500 ns per byte, messages of 1 B and of 64 KiB gave 589 (588 to 594), because the longer
    one goes by rendezvous and takes two latencies more."""
    stepped = machine()
    times = {1: 2e6, 1024: 2e6 + 1024 * 500, 65_536: 3 * 2e6 + 65_536 * 500}
    stepped["links"][0]["sizes"] = [size(count, time, {}) for count, time in times.items()]
    betas = {row.bytes: row for row in rows_of_machine(stepped, "MPI_SUM", "MPI_INT") if row.parameter == "beta"}
    assert betas[1024].value == pytest.approx(562, rel=0.01)
    assert all((row.low or 0) <= 500 <= (row.high or 0) for row in betas.values())


def test_one_size_says_nothing_of_what_a_byte_takes() -> None:
    """Regression: a link on which only one byte was sent had 0 ns per byte."""
    single = machine()
    del single["links"][0]["sizes"][1:]
    rows = rows_of_machine(single, "MPI_SUM", "MPI_INT")
    assert [(row.parameter, row.value) for row in rows if row.model == "Hockney"] == [("alpha", 1001.0)]
    assert "Hockney" not in models_of(rows, LINK)


def test_loggp_and_plogp_follow_from_the_same_measurements() -> None:
    models = models_of(rows_of_machine(machine(), "MPI_SUM", "MPI_INT"), LINK)
    loggp, plogp = models["LogGP"], models["PLogP"]
    # L: half a round trip less both overheads. o: their mean. g: the gap of a byte. G: the largest gap by its bytes.
    assert (loggp.L, loggp.o, loggp.g, loggp.G) == pytest.approx((601, 200, 500, 2))  # type: ignore[union-attr]
    # L: half a round trip less the gap.
    assert (plogp.L, plogp.g(1100), plogp.o_r(1)) == pytest.approx((501, 2200, 300))  # type: ignore[union-attr]


def test_the_interval_of_a_difference_reaches_from_one_extreme_to_the_other() -> None:
    difference = Estimate(10, 9, 12, 5) - Estimate(4, 3, 6, 7)
    assert difference == Estimate(6, 3, 9, 5)
    assert (difference * 0.5).high == 4.5
    assert Estimate(1, None, None, 1) - difference == Estimate(-5, None, None, 1)


def test_a_gap_towards_two_destinations_belongs_to_no_published_model() -> None:
    rows = rows_of_machine(machine(), "MPI_SUM", "MPI_INT")
    (gap_row,) = [row for row in rows if row.destinations == 2]
    assert (gap_row.model, gap_row.parameter, gap_row.value) == (None, "g", 700.0)


def test_gaps_by_destinations_are_in_the_models_and_the_usual_ones_where_they_are_missing() -> None:
    models = models_of(rows_of_machine(machine(), "MPI_SUM", "MPI_INT"), LINK)
    loggp, plogp = models["LogGP"], models["PLogP"]
    assert isinstance(loggp, LogGP) and isinstance(plogp, PLogP)
    assert (loggp.for_destinations(3).g, loggp.for_destinations(3).G) == (
        700.0,
        2.0,
    )  # G is 2,200 ns by 1,100 bytes, because 1,100 bytes were not measured towards two
    assert [plogp.for_destinations(2).g(count) for count in (1, 1100)] == [700.0, 2200.0]
    assert loggp.for_destinations(1) == loggp


def test_what_was_not_measured_gives_no_parameter() -> None:
    lacking = machine()
    lacking["links"][0]["sizes"] = [size(1, None, {})]
    rows = rows_of_machine(lacking, "MPI_SUM", "MPI_DOUBLE")
    assert {(row.model, row.parameter) for row in rows} == {("PLogP", "o_s"), ("PLogP", "o_r")}


def test_a_trace_with_messages_of_one_size_says_nothing_of_bytes() -> None:
    """Regression: the time per byte was 0, as if bytes cost nothing."""
    fit = fitted_of_trace(hopscope.open(DEMO).table)
    rows = rows_of_fit(fit)
    assert fit.provenance == "From the engine's hops of MPI_Allreduce on communicator 0."
    assert {row.link for row in rows} == {"lan", "wan"}
    assert not {"beta", "G"} & {row.parameter for row in rows}
    (latency,) = [row for row in rows if (row.link, row.parameter) == ("wan", "alpha")]
    assert latency.value == pytest.approx(20e6, rel=0.05)


def test_the_bandwidth_of_an_emulated_link_is_that_of_its_topology_file() -> None:
    """The bandwidth is known, not fitted. Regression: links of 20 MB/s were shown with 0 ns per byte."""
    emulated = {
        "links": {"lan": {"bytes_per_second": 2e8}, "wan": {"bytes_per_second": 1e8}},
        "cluster_pairs": [{"from": origin, "to": target, "bytes_per_second": 2e7} for origin, target in ("AB", "BA")],
    }
    emulated_machine = machine_of(emulated, ("a0", "a1", "b0"), (0, 0, 1), ("A", "B"))
    links = {name: LinkCost(1e6, hops=5) for name in ("lan", "wan")}
    costs = Costs(links, LocalCost(), machine=emulated_machine)
    sizes, classes = np.tile([8.0, 1024.0], 4), np.repeat([LINKS.index("lan"), LINKS.index("wan")], 4)
    # Rows do not depend on the run itself, which is None here.
    ways = ways_of_emulated(costs, sizes, classes)
    rows = rows_of_fit(Fitted(None, costs, ways, sizes, classes))  # type: ignore[arg-type]
    betas = {row.link: row.value for row in rows if row.parameter == "beta"}
    assert betas == pytest.approx({"lan": 5, "wan": 50})


def fitted(costs: Costs, largest: int, ways: dict[str, Way] | None = None) -> Fitted:
    """Costs of wan links that look as if they were fitted to messages of 8 to `largest` bytes. ways: the time of a
    message on each class of link; by default that of emulated links."""
    sizes, classes = np.array([8.0, largest]), np.repeat(LINKS.index("wan"), 2)
    if ways is None:
        ways = ways_of_emulated(costs, sizes, classes)
    # Nothing reads the run that the costs were fitted to.
    return Fitted(None, costs, ways, sizes, classes)  # type: ignore[arg-type]


def test_sends_that_take_longer_than_the_way_leave_no_latency_l() -> None:
    """Regression: if ranks waited for cores while they sent, L was 0 ns, from 0 to 0."""
    links = {name: LinkCost(1000.0, hops=10 * (name == "wan"), sizes=(8.0, 4096.0)) for name in LINKS}
    ways = {"wan": Way(Estimate(1000.0, 900.0, 1100.0, 10), Estimate(1.0, 1.0, 1.0, 10))}
    fast, slow = (fitted(Costs(links, LocalCost(send_ns=send_ns)), 4096, ways) for send_ns in (400, 5000))
    assert {row.model for row in rows_of_fit(fast) if row.parameter == "L"} == {"LogGP", "PLogP"}
    assert fast.untold == []
    assert not [row for row in rows_of_fit(slow) if row.parameter == "L"]
    assert slow.untold[0].startswith("L of wan links is not given: a send takes its rank 5.00 µs, longer than")


def test_a_message_that_is_announced_takes_two_more_latencies() -> None:
    """Regression: the line of a trace rose only by its bytes, though a message of 64 KiB took three latencies of 20
    ms."""
    links = {"wan": LinkCost(20e6, per_byte_ns=10.0, hops=9, eager_bytes=65_535)}
    way = Way(Estimate(20e6), Estimate(10.0), 65_535)
    fit = fitted(Costs(links, LocalCost()), 1 << 18, {"wan": way})
    rows = rows_of_fit(fit)
    alphas = [(row.bytes, row.value) for row in rows if row.parameter == "alpha"]
    assert alphas == [(0, 20e6), (65_535, 20e6), (65_536, 60e6), (1 << 20, 60e6)]
    model = models_of(rows, LinkEnds("wan"))["Hockney"]
    assert isinstance(model, Hockney)
    assert [model.message(size) for size in (8, 65_535, 65_536, 1 << 21)] == pytest.approx(
        [20e6 + 80, 20e6 + 655_350, 60e6 + 655_360, 60e6 + 10 * (1 << 21)]
    )
    (line,) = [curve for curve in over_sizes(rows, [65_535, 65_536]) if curve.quantity.startswith("Hockney")]
    assert line.times == pytest.approx((20e6 + 655_350, 60e6 + 655_360))


def test_an_emulated_link_delays_a_message_from_its_sending_on() -> None:
    emulated_machine = machine_of({"links": {"wan": {"latency_ns": 1e6}}}, ("a0", "b0"), (0, 1), ("A", "B"))
    links = {"wan": LinkCost(1e6, per_byte_ns=10.0, hops=9, eager_bytes=4096)}
    fit = fitted(Costs(links, LocalCost(), machine=emulated_machine), 1 << 18)
    assert [(row.bytes, row.value) for row in rows_of_fit(fit) if row.parameter == "alpha"] == [(None, 1e6)]


def sure(value: float) -> Estimate:
    """An estimate from so many measurements that its interval has no width."""
    return Estimate(value, value, value, 9)


def test_the_shortest_message_s_time_without_its_bytes_is_the_latency() -> None:
    way = line_through({500: sure(1.25e6), 16_500: sure(9.25e6)})
    assert way.alpha is not None
    assert way.beta is not None
    assert (way.alpha.value, way.beta.value) == pytest.approx((1e6, 500))
    # The time of a byte below 500 bytes is uncertain.
    assert (way.alpha.low, way.alpha.high) == pytest.approx((1e6 - 0.25 * 250_000, 1e6 + 0.25 * 250_000))


def test_a_latency_that_would_be_below_0_is_0_and_not_sure() -> None:
    """On a link of 1 ms and 2 MB/s, 64,000 bytes took 33 ms, and 128,000 took 75 ms, because they met a full window."""
    way = line_through({64_000: sure(33e6), 128_000: sure(75e6)})
    assert way.alpha is not None
    assert way.beta is not None
    assert way.alpha.value == way.alpha.low == 0
    assert (way.alpha.high or 0) > 1e6
    assert way.beta.value == pytest.approx(33e6 / 64_000)


@pytest.mark.parametrize("count", [66, 500, 64_000])
def test_messages_of_one_size_show_no_latency_unless_they_are_short(count: int) -> None:
    way = line_through({count: sure(2e6), count + 8: sure(2e6)})
    assert way.beta is None
    assert (way.alpha is not None) == (count <= 66)
    assert way.shortest == (count, sure(2e6))


def test_what_a_machine_file_lacks_is_said() -> None:
    lacking_some = machine()
    lacking_some["links"][0]["sizes"].append(size(5000, None, {1: 9000.0}))
    values, gamma = lacking(lacking_some, "MPI_SUM", "MPI_DOUBLE")
    assert values.startswith("1 of 16 values of links were not measured")
    assert gamma.endswith(
        "no MPI_SUM of MPI_DOUBLE was measured; --operation and --type choose among MPI_SUM of MPI_INT."
    )
    assert lacking(machine(), "MPI_SUM", "MPI_INT") == []
    assert lacking(machine(combining=[]), "MPI_SUM", "MPI_INT")[0].endswith("and no other operation either.")


def test_overheads_that_leave_no_latency_are_said() -> None:
    """Regression: L was 0 ns with an interval from 0 to 0, as if that had been measured."""
    fast = machine()
    fast["links"][0]["sizes"] = [size(1, 300.0, {1: 50.0})]  # the overheads are 100 and 300
    rows = rows_of_machine(fast, "MPI_SUM", "MPI_INT")
    assert [sentence.startswith("L of LogGP is 0 on wan from a to b") for sentence in overdrawn(rows)] == [True]
    assert overdrawn(rows_of_machine(machine(), "MPI_SUM", "MPI_INT")) == []


def test_a_trace_whose_hosts_are_elsewhere_is_told() -> None:
    clusters = {"a": "x", "b": "y"}
    assert differences(clusters, machine()) == [
        "The trace's hosts are in the clusters that the probe found, which the probe is 100.0 % sure of."
    ]
    (sentence,) = differences({"a": "x", "b": "x"}, machine())
    assert sentence.startswith("The trace has a and b in one cluster, the probe found them in two;")
    assert differences({"a": "x", "c": "x"}, machine()) == ["The probe did not see host c."]


def test_the_command_takes_a_machine_file_and_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(machine()))
    assert analyze.main(["model", str(file), "--format", "json", "--type", "MPI_INT"], standalone_mode=False) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["model"] for row in rows} == {"Hockney", "LogGP", "PLogP", None}
    assert [row["value"] for row in rows if row["parameter"] == "gamma"] == [0.5]
    assert analyze.main(["model", str(DEMO), "--machine", str(file)], standalone_mode=False) == 0
    assert "The probe did not see hosts" in capsys.readouterr().err


def test_what_was_measured_over_sizes_is_the_files_own_with_its_intervals(tmp_path: Path) -> None:
    file = tmp_path / "machine.json"
    file.write_text(json.dumps(machine()))
    curves = {curve.quantity: curve for curve in measured_over_sizes(answer_of_machine(file))}
    assert list(curves) == [
        "LogGP: g + (m - 1) G", "Hockney: α + mβ", "PLogP: g(m)", "g(m, 2)", "PLogP: o_s(m)", "PLogP: o_r(m)",
    ]  # fmt: skip
    way, gap = curves["Hockney: α + mβ"], curves["PLogP: g(m)"]
    assert (way.sizes, way.times) == ((1, 100, 1100), (1001.0, 1100.0, 3100.0))
    assert way.low == pytest.approx((900.9, 990.0, 2790.0))
    # The gap of 100 bytes was not measured.
    assert (gap.sizes, gap.times) == ((1, 1100), (500.0, 2200.0))
    # LogGP's line has no intervals: g = 500, G = 2200 / 1100.
    line = curves["LogGP: g + (m - 1) G"]
    assert (line.times, line.low) == ((500.0, 500.0 + 99 * 2, 500.0 + 1099 * 2), None)


def test_a_file_that_is_no_machine_file_is_answered_with_the_command_that_makes_one(tmp_path: Path) -> None:
    file = tmp_path / "machine.json"
    file.write_text('{"schema_version": 1, "links": []}')
    with pytest.raises(
        InputError, match=rf"^{file}.* at \$.*`hopscope probe -o machine.json .*` writes a machine file$"
    ):
        answer_of_machine(file)
