"""Two runs compared: what changed is said, what is noise is not, and what cannot be carried is undecided."""

from pathlib import Path

import hopscope
import numpy as np
import pytest
from drawing import draw, expected, shown
from hopscope.errors import InputError
from hopscope.verdicts.alignment import align
from hopscope.verdicts.resampling import blocks_of, difference, quantile_estimates
from scipy.stats import mannwhitneyu

SAMPLE = Path(__file__).parents[2] / "sample_traces" / "demo" / "trace"
RANKS = """
    rank host cluster first_event_ns last_event_ns
    0    a    A       0              1000
    1    b    B       0              1000
    2    b    B       0              1000"""
COMMS = "comm name size members\n0 world 3 0,1,2"


def run(directory: Path, times: list[int], **more: str) -> hopscope.Trace:
    """A run whose n-th Allreduce takes times[n] after the last enter; one every 10,000 ns."""
    collectives = ["collective_id comm seq op comm_size bytes first_enter_ns last_enter_ns last_leave_ns complete"]
    calls = ["collective_id rank enter_ns leave_ns call_site tree"]
    for n, time in enumerate(times):
        begin = 10_000 * n
        collectives.append(f"{n} 0 {n} MPI_Allreduce 3 8 {begin} {begin + 5} {begin + 5 + time} true")
        calls += [f"{n} {rank} {begin + 5} {begin + 5 + time} SITE TREE" for rank in range(3)]
    tables = {
        "ranks": RANKS,
        "comms": COMMS,
        "run": more.pop("run", "run ranks duration_ns\nr 3 1000"),
        "collectives": "\n".join(collectives),
        "calls": "\n".join(calls).replace("SITE", more.pop("site", "app+0x1")).replace("TREE", more.pop("tree", "-")),
        **more,
    }
    return hopscope.open(draw(directory, **tables))


def noisy(middle: int, seed: int, n: int = 400) -> list[int]:
    return [int(v) for v in np.random.default_rng(seed).normal(middle, 20, n)]


def test_a_slower_run_is_slower_by_what_was_drawn(tmp_path: Path) -> None:
    # Medians of 1,000 and 1,300: 30 % more, and the noise of 2 % hides nothing of it.
    base, new = run(tmp_path / "a", noisy(1000, 1)), run(tmp_path / "b", noisy(1300, 2))
    row = new.compare(base=base).to_pylist()[0]
    assert (row["statistic"], row["verdict"]) == ("median", "slower")
    assert row["change"] == pytest.approx(0.3, abs=0.01)
    assert row["change_low"] < 0.3 < row["change_high"]
    assert row["change_high"] - row["change_low"] < 0.03
    back = base.compare(base=new).to_pylist()[0]
    assert back["verdict"] == "faster"


def test_a_run_against_itself_is_the_same_and_a_short_one_is_undecided(tmp_path: Path) -> None:
    one = run(tmp_path / "a", noisy(1000, 1))
    assert [row["verdict"] for row in one.compare(base=one).to_pylist()] == ["same", "same", "undecided"]
    # p99 of 400 has 4 values beyond it, 10 are asked for; 12 collectives are fewer than 5 blocks.
    short = run(tmp_path / "b", noisy(1000, 3, 12))
    rows = short.compare(base=one).to_pylist()
    assert {row["verdict"] for row in rows} == {"undecided"}
    assert {row["change_low"] for row in rows} == {None}


def test_a_gate_on_what_is_undecided_is_undecided(tmp_path: Path) -> None:
    answer = run(tmp_path / "b", noisy(1000, 3, 12)).compare(base=run(tmp_path / "a", noisy(1000, 1)))
    assert answer["slower"].to_pylist() == [None, None, None]


def autocorrelated(random: np.random.Generator, n: int) -> np.ndarray:
    steps, values = random.standard_normal(n + 100), np.zeros(n + 100)
    for i in range(1, n + 100):
        values[i] = 0.8 * values[i - 1] + steps[i]
    return np.exp(0.3 * values[100:])


def test_noise_that_lasts_is_not_taken_for_a_difference() -> None:
    # Two runs of the same autocorrelated noise, 60 times. A test for independent values finds a difference in half of
    # them; 5 % is what 95 % means, and 60 tries with 7.5 % give more than 10 once in a hundred times.
    random = np.random.default_rng(5)
    found = naive = 0
    for _ in range(60):
        one, other = autocorrelated(random, 400), autocorrelated(random, 400)
        test = difference(quantile_estimates(one, (0.5,), 1), quantile_estimates(other, (0.5,), 2))
        low, high = test.interval(1)
        found += low > 0 or high < 0
        naive += mannwhitneyu(one, other).pvalue < 0.05
    assert naive > 20
    assert found <= 10


def test_what_runs_differ_by_is_no_change_where_several_of_each_are_given(tmp_path: Path) -> None:
    # Three runs of one program, on a machine that was busier under some of them; any two, by themselves, differ. Of ten
    # pairs of real runs of one program four were called slower or faster.
    base = [run(tmp_path / f"a{n}", noisy(middle, n)) for n, middle in enumerate((1000, 1200, 1100))]
    new = [run(tmp_path / f"b{n}", noisy(middle, 9 + n)) for n, middle in enumerate((1150, 1050, 1250))]
    alone = new[2].answer("compare", base=base[0], statistic="median")
    assert (alone.rows[0]["verdict"], alone.rows[0]["slower"]) == ("slower", None)  # no gate fails by it
    assert any("one run of each" in note for note in alone.notes)
    together = new[0].answer("compare", base=base[0], base_also=base[1:], also=new[1:], statistic="median")
    (row,) = together.rows
    assert (row["verdict"], row["base_runs"], row["new_runs"], row["new_collectives"]) == ("undecided", 3, 3, 1200)
    assert not any("one run of each" in note for note in together.notes)
    # By hand: means 1100 and 1150; as part of them the runs are 10/110 and 10/115 apart, so s = sqrt(2 (0.0909^2 +
    # 0.0870^2) / 4) = 0.0890, the error is s sqrt((1100^2 + 1150^2) / 3) = 81.7, and t(4) reaches 2.776 times that.
    assert row["change_low"] * 1100 == pytest.approx(50 - 2.776 * 81.7, abs=9)
    assert row["change_high"] * 1100 == pytest.approx(50 + 2.776 * 81.7, abs=9)


def test_a_change_beyond_what_runs_differ_by_is_found(tmp_path: Path) -> None:
    base = [run(tmp_path / f"a{n}", noisy(middle, n)) for n, middle in enumerate((1000, 1200, 1100))]
    new = [run(tmp_path / f"b{n}", noisy(middle, 9 + n)) for n, middle in enumerate((2300, 2100, 2500))]
    (row,) = new[0].compare(base=base[0], base_also=base[1:], also=new[1:], statistic="median").to_pylist()
    assert (row["verdict"], row["change"]) == ("slower", pytest.approx(1200 / 1100, abs=0.02))
    assert row["slower"] is True


def test_blocks_are_longer_where_neighbours_resemble_one_another_longer() -> None:
    random = np.random.default_rng(1)
    assert blocks_of(random.standard_normal(1000)).length == 10  # the cube root
    assert blocks_of(autocorrelated(random, 1000)).length >= 15
    slow = blocks_of(np.repeat(random.standard_normal(5), 20))
    assert (slow.count, slow.stretch > 1) == (5, True)


def test_call_sites_of_another_build_are_aligned_by_their_order() -> None:
    pairs = align(
        [("A", 0, "x"), ("A", 0, "y"), ("B", 0, "x")],
        [("A", 0, "x"), ("A", 0, "z"), ("B", 0, "p"), ("B", 0, "q")],
    )
    assert [(pair.base, pair.new, pair.by) for pair in pairs] == [
        (("A", 0, "x"), ("A", 0, "x"), "call site"),
        (("A", 0, "y"), ("A", 0, "z"), "order"),
        (None, ("B", 0, "p"), "call site"),
        (None, ("B", 0, "q"), "call site"),
        (("B", 0, "x"), None, "call site"),
    ]


TREES = {
    # Rank 1's parent 0 and rank 2's parent 1 against both below 0: two deep or one; A to B once or twice.
    "chain": "tree comm root phase rank parent child_order\nchain 0 0 up 0 - 0\nchain 0 0 up 1 0 0\nchain 0 0 up 2 1 0",
    "flat": "tree comm root phase rank parent child_order\nflat 0 0 up 0 - 0\nflat 0 0 up 1 0 0\nflat 0 0 up 2 0 1",
}


def tree_run(directory: Path, name: str) -> hopscope.Trace:
    pairs = {"chain": ((2, 1, "shm"), (1, 0, "wan")), "flat": ((1, 0, "wan"), (2, 0, "wan"))}[name]
    hops = ["collective_id phase src dst bytes send_begin_ns recv_end_ns link"]
    hops += [
        f"{n} up {src} {dst} 8 {10_000 * n} {10_000 * n + 3} {link}" for n in range(20) for src, dst, link in pairs
    ]
    return run(directory, noisy(1000, 1, 20), tree=name, trees=TREES[name], hops="\n".join(hops))


def test_the_structure_is_exact(tmp_path: Path) -> None:
    base, new = tree_run(tmp_path / "a", "chain"), tree_run(tmp_path / "b", "flat")
    assert shown(new.compare(base=base, by="structure"), "property", "base", "new", "change", "changed") == expected("""
        property,base,new,change,changed
        collectives,20,20,0,false
        ranks,3,3,0,false
        bytes,8,8,0,false
        engine,tree,tree,,false
        tree,chain,flat,,true
        messages,2,2,0,false
        wan messages,1,2,1,true
        rounds,1,1,0,false
        depth,2,1,-1,true
        wan crossings,1,1,0,false
    """)
    assert not any(base.compare(base=base, by="structure")["changed"].to_pylist())


def path(categories: list[tuple[str, int]]) -> str:
    lines = ["path step rank begin_ns end_ns category collective_id op"]
    at = 0
    for step, (category, time) in enumerate(categories):
        where = "- -" if category == "compute" else f"{step // 2} MPI_Allreduce"
        lines.append(f"run {step} 0 {at} {at + time} {category} {where}")
        at += time
    return "\n".join(lines)


def test_what_entered_and_left_the_path_is_told_by_time(tmp_path: Path) -> None:
    # 40 times 30 of computing and then 70 between clusters; in the new run 30 and 10 inside a cluster.
    base = run(tmp_path / "a", [70] * 40, path_stretches=path([("compute", 30), ("wan", 70)] * 40))
    new = run(tmp_path / "b", [10] * 40, path_stretches=path([("compute", 30), ("lan", 10)] * 40))
    table = new.compare(base=base, by="path")
    rows = [
        row
        for row in shown(table, "part", "name", "base_ns", "new_ns", "status", "verdict")
        if row["part"] == "category"
    ]
    assert rows == expected("""
        part,name,base_ns,new_ns,status,verdict
        category,wan,2800,0,left,shrank
        category,compute,1200,1200,both,grew
        category,lan,0,400,entered,grew
    """)
    assert table["change"].to_pylist()[:3] == pytest.approx([-0.7, 0.45, 0.25])


def test_a_share_has_one_interval_whoever_tells_it() -> None:
    # A comparison had a bootstrap of its own, so its intervals were others than those of critical-path.
    sample = hopscope.open(SAMPLE)
    compared = [row for row in sample.compare(base=SAMPLE, by="path").to_pylist() if row["part"] == "category"]
    told = {row["category"]: row for row in sample.critical_path().to_pylist()}
    assert [(row["new_share_low"], row["new_share_high"]) for row in compared] == [
        pytest.approx((told[row["name"]]["share_low"], told[row["name"]]["share_high"])) for row in compared
    ]
    assert any(row["new_share_low"] < row["new_share_high"] for row in compared)


def test_which_of_like_ranks_the_path_goes_over_is_no_change(tmp_path: Path) -> None:
    # Each run's path goes over one rank or the other, as it happens.
    def on(name: str, rank: int) -> hopscope.Trace:
        head, *lines = (line.split() for line in path([("compute", 30), ("shm", 70)] * 40).splitlines())
        at = head.index("rank")
        moved = [head, *([*line[:at], str(rank), *line[at + 1 :]] for line in lines)]
        return run(tmp_path / name, [70] * 40, path_stretches="\n".join(" ".join(line) for line in moved))

    base, new = [on("a0", 0), on("a1", 1), on("a2", 0)], [on("b0", 1), on("b1", 0), on("b2", 1)]
    alone = {
        r["name"]: r["verdict"] for r in new[0].compare(base=base[0], by="path").to_pylist() if r["part"] == "rank"
    }
    assert alone == {"0": "shrank", "1": "grew"}
    rows = new[0].compare(base=base[0], base_also=base[1:], also=new[1:], by="path").to_pylist()
    assert {r["verdict"] for r in rows if r["part"] == "rank"} == {"undecided"}
    assert {r["verdict"] for r in rows if r["part"] == "category"} == {"same"}


def test_an_emulated_run_is_never_compared_with_a_native_one(tmp_path: Path) -> None:
    base = run(tmp_path / "a", noisy(1000, 1))
    new = run(tmp_path / "b", noisy(1000, 2), run='run ranks duration_ns emulated\nr 3 1000 {"links":{}}')
    for one, other in ((base, new), (new, base)):
        with pytest.raises(InputError, match=r"ran with emulated links and .* without"):
            other.compare(base=one, by="structure")


def test_a_comparison_without_another_run_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs another trace"):
        run(tmp_path / "a", noisy(1000, 1)).compare()
