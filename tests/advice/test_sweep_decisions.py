"""The best method of a point, the penalty of the default and the rules, from times drawn by hand."""

import json
from pathlib import Path
from typing import Final

import jsonschema
import pytest
from drawn_sweeps import PROVENANCE
from hopscope.advice.sweep.decision import choices_of, decisions, engine_rules, rules_of
from hopscope.advice.sweep.engine import engine_methods
from hopscope.advice.sweep.grid import Point, points, prefixes, sizes
from hopscope.advice.sweep.layout import layout_of
from hopscope.advice.sweep.measured import Sweep, deviation, read
from hopscope.advice.sweep.measuring import PASSES, needs_measuring
from hopscope.advice.sweep.methods import OWN_CHOICE, Method, columns_of
from hopscope.mpi_libraries.offered import Offered
from hopscope.mpi_libraries.open_mpi.rules import read_rules, rules_for

SCHEMAS: Final = Path(__file__).parents[2] / "schemas"
RING: Final = Method("ring", Offered("allreduce", "ring", 4, "coll_tuned_allreduce_algorithm"))
LINEAR: Final = Method("linear", Offered("allreduce", "linear", 1, "coll_tuned_allreduce_algorithm"))
HAN: Final = {**PROVENANCE, "besides": [["allreduce", "coll_han_allreduce", "3"]]}


def sweep_of(*points: tuple[int, int, dict[str, list[float]]]) -> Sweep:
    """A sweep of Allreduce. points: ranks, bytes, and times by method."""
    sweep = Sweep(dict(HAN), {"allreduce": [OWN_CHOICE, LINEAR, RING]})
    for ranks, size, times in points:
        for name, values in times.items():
            sweep.add(Point("allreduce", ranks, size), name, values)
    return sweep


def test_a_lucky_time_decides_nothing_that_it_is_scored_by() -> None:
    # The choice is by the times at even positions: ring 80, default 100. Its score is by those at odd positions: ring
    # 99, default 110.
    sweep = sweep_of((8, 64, {"default": [100, 110, 120, 130], "ring": [80, 99, 120, 130]}))
    (row,) = decisions(sweep)
    assert (row["best"], row["time_ns"], row["default_ns"]) == ("ring", 99, 110)
    assert row["penalty"] == pytest.approx(110 / 99 - 1)
    assert row["methods"] == 2


def test_the_best_method_holds_to_the_middle_between_sizes_and_up_to_the_next_number_of_ranks() -> None:
    default, fast = {"default": [100.0] * 4}, {"ring": [50.0] * 4}
    sweep = sweep_of(
        (4, 64, {**default, "linear": [50.0] * 4}),
        (4, 4096, {**default, "linear": [99.0] * 4}),  # a gain of 1 % is no reason to change anything
        (8, 64, default),
        (8, 4096, {**default, **fast}),
    )
    setting = rules_of(sweep, "/rules.conf")
    assert setting is not None
    assert "coll_tuned_dynamic_rules_filename /rules.conf" in setting.words
    assert setting.words.endswith("--mca coll_han_allreduce 3")
    rules = read_rules(setting.text)

    def algorithm(ranks: int, size: int) -> int:
        return rules_for(rules, "allreduce", ranks, size)[0].algorithm

    # The rules for 64 and 4096 bytes change at 512, their geometric mean.
    assert [algorithm(4, size) for size in (0, 64, 512, 513, 4096, 1 << 20)] == [1, 1, 1, 0, 0, 0]
    assert [algorithm(ranks, 64) for ranks in (3, 4, 7, 8, 9)] == [0, 1, 1, 0, 0]
    assert [algorithm(8, size) for size in (64, 512, 513, 4096, 1 << 20)] == [0, 0, 4, 4, 4]


def test_where_the_library_s_own_choice_is_as_good_there_are_no_rules() -> None:
    sweep = sweep_of((8, 64, {"default": [100.0] * 4, "ring": [99.0] * 4}))
    assert rules_of(sweep, "/rules.conf") is None


def test_the_engine_has_a_rule_where_it_beats_the_library_s_best_which_stays_in_the_library_s_rules() -> None:
    tree = {"reduce_tree": "tree", "broadcast_tree": "tree"}
    engine = Method("engine flat", rule=tree, trees={"tree": {"shape": "flat"}})
    sweep = Sweep(dict(PROVENANCE), {"allreduce": [OWN_CHOICE, RING, engine]})
    for ranks, size, time in ((4, 64, 25.0), (4, 4096, 49.5), (8, 64, 25.0)):  # 49.5: a gain of 1 % is no reason
        for name, value in (("default", 100.0), ("ring", 50.0), ("engine flat", time)):
            sweep.add(Point("allreduce", ranks, size), name, [value] * 4)
    assert [row["best"] for row in decisions(sweep)] == ["engine flat"] * 3
    assert [choice.algorithm for choice in choices_of(sweep)] == [RING.offered] * len(choices_of(sweep))
    content = engine_rules(sweep)
    assert content is not None
    jsonschema.validate(content, json.loads((SCHEMAS / "tree.schema.json").read_text()))
    assert content["trees"] == {"flat": {"shape": "flat"}}
    flat = {"operations": ["MPI_Allreduce"], "reduce_tree": "flat", "broadcast_tree": "flat"}
    assert content["rules"] == [
        {**flat, "comm_size": {"min": 4, "max": 7}, "bytes": {"min": 0, "max": 512}},
        {**flat, "comm_size": {"min": 8, "max": 8}, "bytes": {"min": 0}},
    ]
    assert [set(column) for column in columns_of(sweep.methods)] == [{"allreduce"}] * 3


def test_the_engine_s_methods_of_groups_need_ranks_in_several_groups() -> None:
    layout = layout_of(["a", "a", "b", "b"], None)
    names = {method.name: method for method in engine_methods("allreduce", layout)}
    leaders = names["engine leaders"]
    assert leaders.rule is not None
    assert layout.schedules(Point("allreduce", 4, 64), leaders.rule, leaders.trees) is not None
    assert "engine leaders" not in {m.name for m in engine_methods("allreduce", layout_of(["a", "a"], None))}


def test_mpich_has_one_method_for_all_sizes_that_is_better_on_the_whole() -> None:
    ring = Method("ring", Offered("allreduce", "ring", None, "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"))
    sweep = Sweep(dict(PROVENANCE, flavour="mpich"), {"allreduce": [OWN_CHOICE, ring]})
    for size, default, ring_time in ((64, 100.0, 50.0), (4096, 100.0, 150.0)):  # 0.5 * 1.5 is below 1
        sweep.add(Point("allreduce", 8, size), "default", [default] * 4)
        sweep.add(Point("allreduce", 8, size), "ring", [ring_time] * 4)
    setting = rules_of(sweep, "/settings.sh")
    assert setting is not None
    assert setting.text == "export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring\n"
    sweep.add(Point("allreduce", 8, 65536), "default", [100.0] * 4)
    sweep.add(Point("allreduce", 8, 65536), "ring", [200.0] * 4)  # 0.5 * 1.5 * 2 is above 1
    assert rules_of(sweep, "/settings.sh") is None


def test_a_method_that_is_surely_slower_or_steady_is_not_measured_again() -> None:
    point = Point("allreduce", 8, 64)
    steady = [100.0, 100.0, 101.0, 150.0, 100.0, 101.0, 100.0, 100.0, 100.0, 100.0]
    sweep = sweep_of((8, 64, {"default": [300.0] * 3, "linear": [201.0] * 3, "ring": steady}))
    second, third = PASSES[0] + PASSES[1], sum(PASSES)
    assert not needs_measuring(sweep, point, LINEAR, second)
    assert needs_measuring(sweep, point, OWN_CHOICE, second)  # all methods are compared with it
    assert not needs_measuring(sweep, point, RING, third)
    assert deviation(steady) < 0.05  # without the maximum
    sweep.add(point, "ring", [160.0])
    assert needs_measuring(sweep, point, RING, third)
    assert not needs_measuring(sweep, point, None, second)
    assert needs_measuring(sweep, Point("allreduce", 4, 64), RING, PASSES[0])
    assert not needs_measuring(sweep, point, Method("pipeline/8192", RING.offered, 8192), PASSES[0])  # only one segment


def test_an_algorithm_of_two_ranks_is_measured_on_two_ranks_only() -> None:
    of_two = Method("two_proc", Offered("barrier", "two_proc", 5, "coll_tuned_barrier_algorithm"))
    assert of_two.concerns(Point("barrier", 2, 0))
    assert not of_two.concerns(Point("barrier", 4, 0))


def test_the_grid_has_powers_of_two_and_of_eight_and_the_ends() -> None:
    assert prefixes(6) == [2, 4, 6]
    assert prefixes(2) == [2]
    assert sizes(1000) == [1, 8, 64, 512, 1000]
    grid = points(("barrier", "allgather"), 6, 64)
    assert [point for point in grid if point.operation == "barrier"] == [Point("barrier", n, 0) for n in (2, 4, 6)]
    assert {point.bytes % point.ranks for point in grid if point.operation == "allgather"} == {0}
    assert len(grid) == len(set(grid))


def test_each_job_has_one_method_of_each_operation() -> None:
    columns = columns_of({"allreduce": [OWN_CHOICE, LINEAR, RING], "bcast": [OWN_CHOICE, LINEAR]})
    assert [sorted(column) for column in columns] == [["allreduce", "bcast"], ["allreduce", "bcast"], ["allreduce"]]
    assert [column["allreduce"].name for column in columns] == ["default", "linear", "ring"]


def test_a_sweep_is_read_as_it_was_written(tmp_path: Path) -> None:
    sweep = sweep_of((8, 64, {"default": [100, 110], "ring": [80, 99]}))
    sweep.write(tmp_path / "machine-rules.json")
    stored = read(tmp_path / "machine-rules.json")
    assert (stored.times, stored.methods, stored.made) == (sweep.times, sweep.methods, sweep.made)
