"""Comparisons of two runs: changes are reported, noise is not, and differences that the runs cannot prove are
undecided."""

import json
from collections.abc import Callable
from pathlib import Path

import hopscope
import numpy as np
import pytest
from drawing import cells, draw, expected
from hopscope.errors import InputError
from hopscope.gate import evaluate, parse
from hopscope.query.resampling import blocks_of, difference, quantile_estimates
from hopscope.selection.alignment import Site, align
from scipy.stats import mannwhitneyu
from started_commands import analyze

RANKS = """
    rank host cluster first_event_ns last_event_ns
    0    a    A       0              1000
    1    b    B       0              1000
    2    b    B       0              1000"""
COMMS = "comm name size members\n0 world 3 0,1,2"


def run(directory: Path, times: list[int], **overrides: str) -> hopscope.Trace:
    """A run whose n-th Allreduce ends times[n] after the last enter. An Allreduce begins every 10,000 ns."""
    collectives = ["collective_id comm seq op comm_size bytes first_enter_ns last_enter_ns last_leave_ns complete"]
    calls = ["collective_id rank enter_ns leave_ns call_site tree"]
    for n, time in enumerate(times):
        begin = 10_000 * n
        collectives.append(f"{n} 0 {n} MPI_Allreduce 3 8 {begin} {begin + 5} {begin + 5 + time} true")
        calls += [f"{n} {rank} {begin + 5} {begin + 5 + time} SITE TREE" for rank in range(3)]
    tables = {
        "ranks": RANKS,
        "comms": COMMS,
        "run": overrides.pop("run", "run ranks duration_ns\nr 3 1000"),
        "collectives": "\n".join(collectives),
        "calls": "\n".join(calls)
        .replace("SITE", overrides.pop("site", "app+0x1"))
        .replace("TREE", overrides.pop("tree", "-")),
        **overrides,
    }
    return hopscope.open(draw(directory, **tables))


def noisy(middle: int, seed: int, n: int = 400) -> list[int]:
    return [int(v) for v in np.random.default_rng(seed).normal(middle, 20, n)]


@pytest.fixture(scope="module")
def base_run(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return run(tmp_path_factory.mktemp("base") / "d", noisy(1000, 1))


@pytest.fixture(scope="module")
def base_runs(tmp_path_factory: pytest.TempPathFactory) -> list[hopscope.Trace]:
    """Three runs of one program. The machine was busier during some of them."""
    folder = tmp_path_factory.mktemp("bases")
    return [run(folder / f"a{n}", noisy(middle, n)) for n, middle in enumerate((1000, 1200, 1100))]


def test_a_slower_run_is_slower_by_what_was_drawn(base_run: hopscope.Trace, tmp_path: Path) -> None:
    # The medians are 1,000 and 1,300: 30 % more, which noise of 2 % cannot hide.
    new = run(tmp_path / "b", noisy(1300, 2))
    row = new.compare(base=base_run, by="operation").to_pylist()[0]
    assert (row["statistic"], row["verdict"]) == ("median", "slower")
    assert row["change"] == pytest.approx(0.3, abs=0.01)
    assert row["change_low"] < 0.3 < row["change_high"]
    assert row["change_high"] - row["change_low"] < 0.03
    reverse = base_run.compare(base=new, by="operation").to_pylist()[0]
    assert reverse["verdict"] == "faster"


def test_time_per_iteration_is_between_last_leaves_of_the_operation_whatever_its_place(tmp_path: Path) -> None:
    # The last leaves of the Allreduces are at 1,000, 3,000 and 9,000: 4,000 apart on average, half of which lies at
    # another call site. The Bcast in between is another operation, and ran once.
    collectives = """
        collective_id comm seq op comm_size first_enter_ns last_enter_ns last_leave_ns complete
        0 0 0 MPI_Allreduce 3 0 10 1000 true
        1 0 1 MPI_Bcast 3 1500 1510 2000 true
        2 0 2 MPI_Allreduce 3 2500 2510 3000 true
        3 0 3 MPI_Allreduce 3 8500 8510 9000 true"""
    calls = """
        collective_id rank enter_ns leave_ns call_site
        0 0 0 1000 app+0x1
        1 0 1500 2000 app+0x2
        2 0 2500 3000 app+0x3
        3 0 8500 9000 app+0x1"""
    tables = {"ranks": RANKS, "comms": COMMS, "run": "run ranks\nr 3", "calls": calls}
    base = hopscope.open(draw(tmp_path / "a", **tables, collectives=collectives))
    new = hopscope.open(draw(tmp_path / "b", **tables, collectives=collectives.replace(" 9000 true", " 9800 true")))
    rows = new.compare(base=base, statistic="median").to_pylist()
    times = {(row["operation"], row["place"]): (row["base_iteration_ns"], row["new_iteration_ns"]) for row in rows}
    assert times == {
        ("MPI_Allreduce", "app+0x1"): (4000, 4400),
        ("MPI_Allreduce", "app+0x3"): (4000, 4400),
        ("MPI_Bcast", "app+0x2"): (None, None),
    }
    pooled = new.compare(base=base, also=[base], statistic="median").to_pylist()
    assert pooled[0]["new_iteration_ns"] == 4200


def test_what_remap_promises_is_checked_by_the_same_figure(sample: Callable[[str], hopscope.Trace]) -> None:
    demo = sample("demo")
    (measured,) = {row["measured_ns"] for row in demo.remap().to_pylist() if row["baseline"]}
    rows = demo.compare(base=demo, statistic="median").to_pylist()
    assert measured in [pytest.approx(row["base_iteration_ns"]) for row in rows]


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    return run(tmp_path_factory.mktemp("short") / "d", noisy(1000, 3, 12))


def test_a_run_against_itself_is_the_same_and_a_short_one_is_undecided(
    base_run: hopscope.Trace, short_run: hopscope.Trace
) -> None:
    verdicts = base_run.compare(base=base_run, by="operation")["verdict"].to_pylist()
    assert verdicts == ["same", "same", "undecided"]
    # p99 of 400 values has 4 values beyond it, but needs 10; 12 collectives are fewer than 5 blocks.
    rows = short_run.compare(base=base_run, by="operation").to_pylist()
    assert {row["verdict"] for row in rows} == {"undecided"}
    assert {row["change_low"] for row in rows} == {None}


def test_a_gate_on_what_is_undecided_is_undecided(base_run: hopscope.Trace, short_run: hopscope.Trace) -> None:
    assert short_run.compare(base=base_run, by="operation")["slower"].to_pylist() == [None, None, None]


def autocorrelated(random: np.random.Generator, n: int) -> np.ndarray:
    steps, values = random.standard_normal(n + 100), np.zeros(n + 100)
    for i in range(1, n + 100):
        values[i] = 0.8 * values[i - 1] + steps[i]
    return np.exp(0.3 * values[100:])


def test_noise_that_lasts_is_not_taken_for_a_difference() -> None:
    # Two runs of the same autocorrelated noise, 60 times. A test for independent values finds a difference in half of
    # them. An interval of 95 % may find one in 5 %; with 7.5 %, 60 tries give more than 10 once in a hundred times.
    random = np.random.default_rng(5)
    detected = naive = 0
    for _ in range(60):
        first, second = autocorrelated(random, 400), autocorrelated(random, 400)
        test = difference(quantile_estimates(first, (0.5,), 1), quantile_estimates(second, (0.5,), 2))
        low, high = test.interval(1)
        detected += low > 0 or high < 0
        naive += mannwhitneyu(first, second).pvalue < 0.05
    assert naive > 20
    assert detected <= 10


def test_what_runs_differ_by_is_no_change_where_several_of_each_are_given(
    base_runs: list[hopscope.Trace], tmp_path: Path
) -> None:
    # Regression: any two single runs differ. Of ten pairs of real runs of one program, four were called slower or
    # faster.
    base = base_runs
    new = [run(tmp_path / f"b{n}", noisy(middle, 9 + n)) for n, middle in enumerate((1150, 1050, 1250))]
    alone = new[2].answer("compare", base=base[0], statistic="median")
    assert (alone.rows[0]["verdict"], alone.rows[0]["slower"]) == ("slower", None)  # so no gate fails
    assert any("one run of each" in note for note in alone.notes)
    pooled = new[0].answer("compare", base=base[0], base_also=base[1:], also=new[1:], statistic="median")
    (row,) = pooled.rows
    assert (row["verdict"], row["base_runs"], row["new_runs"], row["new_collectives"]) == ("undecided", 3, 3, 1200)
    assert not any("one run of each" in note for note in pooled.notes)
    # By hand: the means are 1100 and 1150. Relative to them the runs are 10/110 and 10/115 apart, so s = sqrt(2
    # (0.0909^2 + 0.0870^2) / 4) = 0.0890 and the error is s sqrt((1100^2 + 1150^2) / 3) = 81.7. t(4) makes that 2.776
    # times as wide.
    assert row["change_low"] * 1100 == pytest.approx(50 - 2.776 * 81.7, abs=9)
    assert row["change_high"] * 1100 == pytest.approx(50 + 2.776 * 81.7, abs=9)


def test_a_change_beyond_what_runs_differ_by_is_found(base_runs: list[hopscope.Trace], tmp_path: Path) -> None:
    base = base_runs
    new = [run(tmp_path / f"b{n}", noisy(middle, 9 + n)) for n, middle in enumerate((2300, 2100, 2500))]
    (row,) = new[0].compare(base=base[0], base_also=base[1:], also=new[1:], statistic="median").to_pylist()
    assert (row["verdict"], row["change"]) == ("slower", pytest.approx(1200 / 1100, abs=0.02))
    assert row["slower"] is True


def test_blocks_are_longer_where_neighbours_resemble_one_another_longer() -> None:
    random = np.random.default_rng(1)
    assert blocks_of(random.standard_normal(1000)).length == 10  # the cube root of 1000
    assert blocks_of(autocorrelated(random, 1000)).length >= 15
    slow = blocks_of(np.repeat(random.standard_normal(5), 20))
    assert (slow.count, slow.stretch > 1) == (5, True)


def pairs(base: list[Site], new: list[Site]) -> list[tuple[str | None, str | None, str]]:
    """The pairs of call sites, with the property by which they were paired."""
    alignment = align(base, new)
    return [(pair.base_place, pair.new and pair.new.place, pair.method) for pair in alignment]


def test_places_without_a_function_are_aligned_by_their_order() -> None:
    base = [Site("A", 0, "x"), Site("A", 0, "y"), Site("B", 0, "x")]
    new = [Site("A", 0, "x"), Site("A", 0, "z"), Site("B", 0, "p"), Site("B", 0, "q")]
    assert pairs(base, new) == [
        ("x", "x", "place"),
        ("y", "z", "order"),
        (None, "p", "place"),
        (None, "q", "place"),
        ("x", None, "place"),
    ]


def site(line: int, function: str = "f", op: str = "A") -> Site:
    return Site(op, 0, f"{function} (a.c:{line})", function)


def test_shifted_lines_are_aligned_by_the_function_where_that_is_unambiguous() -> None:
    base, new = [site(10), site(20, "g"), site(30, "h")], [site(11), site(20, "g"), site(31, "h"), site(32, "h")]
    assert pairs(base, new) == [
        ("f (a.c:10)", "f (a.c:11)", "function"),
        ("g (a.c:20)", "g (a.c:20)", "place"),
        (None, "h (a.c:31)", "place"),
        (None, "h (a.c:32)", "place"),
        ("h (a.c:30)", None, "place"),
    ]


def test_an_equal_line_of_another_build_may_be_another_call_of_the_same_function() -> None:
    # Ten lines were inserted before both calls: line 20 is the second call of the base and the first one of the new
    # build.
    assert pairs([site(10), site(20)], [site(20), site(30)]) == [
        ("f (a.c:10)", "f (a.c:20)", "order"),
        ("f (a.c:20)", "f (a.c:30)", "order"),
    ]


def test_another_function_is_never_the_same_place() -> None:
    assert pairs([site(10, "f")], [site(12, "g")]) == [(None, "g (a.c:12)", "place"), ("f (a.c:10)", None, "place")]


def built(directory: Path, site: str, line: int) -> hopscope.Trace:
    """A run of a build whose only Allreduce is at this address and line. Its path goes over that call site."""
    stretches = path([("compute", 30), ("wan", 70)] * 40).splitlines()
    stretches = [f"{stretches[0]} call_site", *(f"{stretch} {site}" for stretch in stretches[1:])]
    places = f"call_site place how function file line\n{site} norm(a.c:{line}) line norm a.c {line}"
    return run(directory, noisy(1000, 1), site=site, places=places, path_stretches="\n".join(stretches))


def test_a_rebuilt_program_has_its_places_matched_and_that_is_said(tmp_path: Path) -> None:
    base, new = built(tmp_path / "a", "app+0x10", 29), built(tmp_path / "b", "app+0x55", 31)
    sentence = "places that differ between the two runs were matched by their function: norm(a.c:31) with norm(a.c:29)"
    for grouping, place in (("operation", "place"), ("structure", "place"), ("path", "name")):
        answer = new.answer("compare", base=base, by=grouping)
        rows = [row for row in answer.rows if row.get("part") in (None, "place")]
        assert {(row[place], row[f"base_{place}"], row["aligned"]) for row in rows} == {
            ("norm(a.c:31)", "norm(a.c:29)", "function")
        }
        assert f"{sentence} of the base" in answer.notes
    assert {(row["status"], row["verdict"]) for row in rows} == {("both", "same")}
    # The same lines at other addresses are the same call sites, which needs no note.
    answer = built(tmp_path / "c", "app+0x77", 29).answer("compare", base=base, by="operation")
    assert {(row["place"], row["aligned"], row["verdict"]) for row in answer.rows} == {
        ("norm(a.c:29)", "place", verdict) for verdict in ("same", "undecided")
    }
    assert not any("matched" in note for note in answer.notes)


TREES = {
    # In the chain, rank 1's parent is 0 and rank 2's parent is 1; in the other tree both are below 0. The depth is two
    # or one, and A to B is crossed once or twice.
    "chain": "tree comm root role rank parent child_order\nchain 0 0 up 0 - 0\nchain 0 0 up 1 0 0\nchain 0 0 up 2 1 0",
    "flat": "tree comm root role rank parent child_order\nflat 0 0 up 0 - 0\nflat 0 0 up 1 0 0\nflat 0 0 up 2 0 1",
}


def tree_run(directory: Path, name: str) -> hopscope.Trace:
    pairs = {"chain": ((2, 1, "shm"), (1, 0, "wan")), "flat": ((1, 0, "wan"), (2, 0, "wan"))}[name]
    hops = ["collective_id role src dst bytes send_begin_ns recv_end_ns link"]
    hops += [
        f"{n} up {src} {dst} 8 {10_000 * n} {10_000 * n + 3} {link}" for n in range(20) for src, dst, link in pairs
    ]
    return run(directory, noisy(1000, 1, 20), tree=name, trees=TREES[name], hops="\n".join(hops))


def test_the_structure_is_exact(tmp_path: Path) -> None:
    base, new = tree_run(tmp_path / "a", "chain"), tree_run(tmp_path / "b", "flat")
    assert cells(new.compare(base=base, by="structure"), "property", "base", "new", "change", "changed") == expected("""
        property,base,new,change,changed
        collectives,20,20,0,false
        ranks,3,3,0,false
        bytes,8,8,0,false
        engine,tree,tree,,false
        tree,chain,flat,,true
        algorithm,unrecognised,unrecognised,,false
        messages,2,2,0,false
        wan messages,1,2,1,true
        rounds,2,1,-1,true
        depth,2,1,-1,true
        wan crossings,1,1,0,false
    """)
    assert not any(base.compare(base=base, by="structure")["changed"].to_pylist())


# The messages of a Bcast over 8 ranks, by round: from the root to each rank, along a binomial tree, and along a chain.
BROADCASTS = {
    "linear": [[(0, rank) for rank in range(1, 8)]],
    "binomial": [[(0, 4)], [(0, 2), (4, 6)], [(0, 1), (2, 3), (4, 5), (6, 7)]],
    "chain": [[(rank, rank + 1)] for rank in range(7)],
}


def broadcast_run(directory: Path, name: str) -> hopscope.Trace:
    """Three Bcasts by the MPI library. Ranks 4 to 7 are in another cluster."""
    cluster = ["A" if rank < 4 else "B" for rank in range(8)]
    collectives = ["collective_id comm seq op root comm_size bytes first_enter_ns last_leave_ns"]
    calls, hops = (
        ["collective_id rank enter_ns leave_ns engine"],
        ["collective_id src dst bytes send_begin_ns recv_end_ns link source"],
    )
    for n in range(3):
        collectives.append(f"{n} 0 {n} MPI_Bcast 0 8 8 {1000 * n} {1000 * n + 900}")
        calls += [f"{n} {rank} {1000 * n} {1000 * n + 900} native" for rank in range(8)]
        for number, pairs in enumerate(BROADCASTS[name]):
            sent = 1000 * n + 100 * number
            for src, dst in pairs:
                link = "shm" if cluster[src] == cluster[dst] else "wan"
                hops.append(f"{n} {src} {dst} 8 {sent} {sent + 90} {link} native")
    return hopscope.open(
        draw(
            directory,
            ranks="rank host cluster\n" + "\n".join(f"{rank} h{rank} {cluster[rank]}" for rank in range(8)),
            comms="comm name size members\n0 world 8 0,1,2,3,4,5,6,7",
            collectives="\n".join(collectives),
            calls="\n".join(calls),
            hops="\n".join(hops),
        )
    )


def test_another_algorithm_of_the_mpi_library_is_a_changed_structure(tmp_path: Path) -> None:
    # Regression: every row said `changed: no`, because all native hops had one round and no tree was known. The depths
    # are 1, 3 (0 -> 4 -> 6 -> 7) and 7 messages in sequence. Between clusters there are 4, 1 (0 -> 4) and 1 (3 -> 4)
    # messages.
    runs = {name: broadcast_run(tmp_path / name, name) for name in BROADCASTS}
    columns = ("property", "base", "new", "change", "changed")
    rows = cells(runs["binomial"].compare(base=runs["linear"], by="structure"), *columns)
    assert rows == expected("""
        property,base,new,change,changed
        collectives,3,3,0,false
        ranks,8,8,0,false
        bytes,8,8,0,false
        engine,native,native,,false
        algorithm,linear,binomial,,true
        messages,7,7,0,false
        wan messages,4,1,-3,true
        rounds,1,3,2,true
        depth,1,3,2,true
        wan crossings,1,1,0,false
    """)
    rows = cells(runs["chain"].compare(base=runs["binomial"], by="structure"), *columns)
    assert [tuple(row.values()) for row in rows if row["changed"] == "true"] == [
        ("algorithm", "binomial", "chain", "", "true"),
        ("rounds", "3", "7", "4", "true"),
        ("depth", "3", "7", "4", "true"),
    ]


def test_the_example_gates_notice_another_algorithm(tmp_path: Path) -> None:
    # Regression: the gates missed Bcasts that went from linear to binomial and to pipeline.
    gates = Path(__file__).parents[2] / "docs" / "ci" / "hopscope.toml"
    runs = {name: broadcast_run(tmp_path / name, name) for name in BROADCASTS}

    def outcome(base: str, new: str) -> tuple[str, str]:
        words = [runs[new].path, "--baseline", runs[base].path, "--config", gates, "--format", "json"]
        rows = json.loads(analyze("gate", *words).stdout)
        # Regression: a gate named a row that had moved to another analysis.
        assert [row["outcome"] for row in rows if row["analysis"] == "trust"] == ["passed"]
        (row,) = [row for row in rows if row["analysis"] == "compare --by structure"]
        return row["kind"], row["outcome"]

    assert outcome("linear", "binomial") == outcome("binomial", "chain") == ("structure", "failed")
    assert outcome("chain", "linear") == ("structure", "failed")
    assert {outcome(name, name) for name in BROADCASTS} == {("structure", "passed")}
    # Each of these changes alone is noticed.
    answer = runs["chain"].answer("compare", base=runs["linear"], by="structure")
    for name in ("algorithm", "rounds", "depth", "wan messages"):
        rows = [row for row in answer.rows if row["property"] == name]
        assert evaluate(parse("*.changed == 1"), answer.analysis, rows).outcome == "failed"


def path(categories: list[tuple[str, int]]) -> str:
    lines = ["path step rank begin_ns end_ns category collective_id op"]
    begin = 0
    for step, (category, time) in enumerate(categories):
        call = "- -" if category == "compute" else f"{step // 2} MPI_Allreduce"
        lines.append(f"run {step} 0 {begin} {begin + time} {category} {call}")
        begin += time
    return "\n".join(lines)


def test_what_entered_and_left_the_path_is_told_by_time(tmp_path: Path) -> None:
    # 40 times 30 of computing, then 70 between clusters. In the new run 30 and 10 are inside a cluster.
    base = run(tmp_path / "a", [70] * 40, path_stretches=path([("compute", 30), ("wan", 70)] * 40))
    new = run(tmp_path / "b", [10] * 40, path_stretches=path([("compute", 30), ("lan", 10)] * 40))
    table = new.compare(base=base, by="path")
    rows = [
        row
        for row in cells(table, "part", "name", "base_ns", "new_ns", "status", "verdict")
        if row["part"] == "category"
    ]
    assert rows == expected("""
        part,name,base_ns,new_ns,status,verdict
        category,wan,2800,0,left,shrank
        category,compute,1200,1200,both,grew
        category,lan,0,400,entered,grew
    """)
    assert table["change"].to_pylist()[:3] == pytest.approx([-0.7, 0.45, 0.25])


def test_a_time_of_the_path_has_the_interval_of_its_resampled_sums(tmp_path: Path) -> None:
    # 40 collectives in 10 blocks of 4. Between clusters, 5 blocks take 4 x 50 and 5 take 4 x 90. A resample has k of
    # the long blocks, k binomial of 10 tries with 1/2 each. 95 % of the k are in 2 to 8, so the sums are 2000 + 160 k,
    # from 2320 to 3280. The first computing, before any collective, is in every resample. Its block has 90 of
    # computing, the others 120. With j times that block, j binomial of 10 tries with 1/10 each, the sum is 1230 - 30 j,
    # and j is 0 to 3.
    turns = [("compute", 30), ("wan", 50)] * 20 + [("compute", 30), ("wan", 90)] * 20
    trace = run(tmp_path / "a", [70] * 40, path_stretches=path(turns))
    rows = {row["name"]: row for row in trace.compare(base=trace, by="path").to_pylist() if row["part"] == "category"}
    for side in ("base", "new"):
        assert [rows["compute"][f"{side}_{end}"] for end in ("low_ns", "ns", "high_ns")] == [1140, 1200, 1230]
        assert [rows["wan"][f"{side}_{end}"] for end in ("low_ns", "ns", "high_ns")] == pytest.approx(
            [2320, 2800, 3280], abs=160
        )
    assert rows["wan"]["new_low_ns"] < 2800 < rows["wan"]["new_high_ns"]


def test_a_share_has_one_interval_whoever_tells_it(sample: Callable[[str], hopscope.Trace]) -> None:
    # Regression: a comparison had its own bootstrap, so its intervals differed from those of critical-path.
    demo = sample("demo")
    compared = [row for row in demo.compare(base=demo.path, by="path").to_pylist() if row["part"] == "category"]
    shares = {row["category"]: row for row in demo.critical_path().to_pylist()}
    assert [(row["new_share_low"], row["new_share_high"]) for row in compared] == [
        pytest.approx((shares[row["name"]]["share_low"], shares[row["name"]]["share_high"])) for row in compared
    ]
    assert any(row["new_share_low"] < row["new_share_high"] for row in compared)


def test_which_of_like_ranks_the_path_goes_over_is_no_change(tmp_path: Path) -> None:
    # Each run's path goes over one of two equal ranks, by chance.
    def run_on(name: str, rank: int) -> hopscope.Trace:
        head, *lines = (line.split() for line in path([("compute", 30), ("shm", 70)] * 40).splitlines())
        column = head.index("rank")
        moved = [head, *([*line[:column], str(rank), *line[column + 1 :]] for line in lines)]
        return run(tmp_path / name, [70] * 40, path_stretches="\n".join(" ".join(line) for line in moved))

    base, new = [run_on("a0", 0), run_on("a1", 1), run_on("a2", 0)], [run_on("b0", 1), run_on("b1", 0), run_on("b2", 1)]
    alone = {
        r["name"]: r["verdict"] for r in new[0].compare(base=base[0], by="path").to_pylist() if r["part"] == "rank"
    }
    assert alone == {"0": "shrank", "1": "grew"}
    rows = new[0].compare(base=base[0], base_also=base[1:], also=new[1:], by="path").to_pylist()
    assert {r["verdict"] for r in rows if r["part"] == "rank"} == {"undecided"}
    assert {r["verdict"] for r in rows if r["part"] == "category"} == {"same"}


def test_an_emulated_run_is_never_compared_with_a_native_one(base_run: hopscope.Trace, tmp_path: Path) -> None:
    base = base_run
    new = run(tmp_path / "b", noisy(1000, 2), run='run ranks duration_ns emulated\nr 3 1000 {"links":{}}')
    for first, second in ((base, new), (new, base)):
        with pytest.raises(InputError, match=r"ran with emulated links and .* without"):
            second.compare(base=first, by="structure")


def test_a_comparison_without_another_run_says_what_it_needs(base_run: hopscope.Trace) -> None:
    with pytest.raises(InputError, match="needs another trace"):
        base_run.compare()
