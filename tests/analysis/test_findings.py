"""Findings: what the numbers mean in a sentence, how grave it is, and which analysis shows more."""

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import hopscope
import pytest
from click.testing import CliRunner
from drawing import draw
from hopscope import catalog
from hopscope.cli.gate import command as gate_command
from hopscope.cli.main import hopscope as program
from hopscope.findings import FINDINGS, SEVERITIES
from hopscope.findings.algorithms import of_algorithms
from hopscope.findings.arrivals import of_arrivals, of_late_ranks
from hopscope.findings.finding import Finding, Run
from hopscope.findings.hops import of_delayed_hops, of_tree
from hopscope.findings.path import of_critical_path, of_wan_share
from hopscope.words import CATEGORIES

ANALYSIS = catalog.load().command("findings").default

# Ranks 0 and 2 are in cluster A, rank 1 in B. The tree is the chain 2 -> 1 -> 0, so the way from rank 2 to the root
# crosses between the clusters twice in a row. The path: 40 in MPI_Init, 100 computing, two crossings of 200 and 300, 60
# of work on rank 0. That is 700 in all. The first rank enters at 100, so 600 are left without the start-up, of which
# 500 (83.3 %) are wan.
TABLES = {
    "run": "run command\ndrawn ./app",
    "ranks": """
        rank host cluster first_event_ns last_event_ns
        0    a    A       0              700
        1    b    B       0              700
        2    a    A       0              700""",
    "comms": "comm name size members\n0 world 3 0,1,2",
    "collectives": """
        collective_id comm seq op         root comm_size bytes first_enter_ns last_enter_ns last_leave_ns
        0             0    0   MPI_Reduce 0    3         8     100            140           700""",
    "calls": """
        collective_id rank enter_ns leave_ns tree
        0             0    100      700      chain
        0             1    120      650      chain
        0             2    140      350      chain""",
    "hops": """
        hop_id collective_id src dst bytes link send_begin_ns recv_post_ns recv_end_ns
        0      0             2   1   8     wan  140           121          340
        1      0             1   0   8     wan  340           101          640""",
    "trees": """
        tree  comm root role rank parent child_order
        chain 0    0    up    0    -      0
        chain 0    0    up    1    0      0
        chain 0    0    up    2    1      0""",
    "path_stretches": """
        path step rank begin_ns end_ns category collective_id hop_id src dst
        run  0    2    0        40     mpi      -             -      -   -
        run  1    2    40       140    compute  -             -      -   -
        run  2    1    140      340    wan      0             0      2   1
        run  3    0    340      640    wan      0             1      1   0
        run  4    0    640      700    local    0             -      -   -""",
}


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> hopscope.Trace:
    return hopscope.open(opened_once(draw(tmp_path_factory.mktemp("drawn") / "d", **TABLES)))


@pytest.fixture(scope="module")
def samples(sample: Callable[[str], hopscope.Trace]) -> dict[str, hopscope.Trace]:
    return {name: sample(name) for name in ("demo", "late_rank")}


@cache
def findings(trace: hopscope.Trace) -> list[dict[str, Any]]:
    return trace.findings().to_pylist()


def by_key(trace: hopscope.Trace) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in findings(trace)}


def asked(*words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `hopscope analyze ...`."""
    done = CliRunner().invoke(program, ["analyze", *words], standalone_mode=False)
    return (done.return_value if done.exception is None else -1), done.stdout, done.stderr


def test_the_drawing_says_what_was_drawn(drawn: hopscope.Trace) -> None:
    found = by_key(drawn)
    path = found["critical-path"]
    assert (path["verdict"], path["severity"], path["problem"]) == ("wan", "note", False)
    assert path["sentence"] == "83.3 % of the critical path goes on hops between clusters."
    assert path["evidence"] == "500 ns of 600 ns; then work of the ranks inside collectives 10.0 %."
    assert (path["value"], path["unit"], path["analysis"]) == (pytest.approx(500 / 600), "share", "wan-share")
    tree = found["tree"]
    assert (tree["verdict"], tree["severity"], tree["problem"], tree["value"]) == ("better-likely", "problem", True, 2)
    assert "up to 2 times in a row" in tree["sentence"]
    ran = found["algorithms"]
    assert ran["sentence"] == (
        "Hopscope's engine ran MPI_Reduce as chain, which crosses between clusters 2 times in a row."
    )
    assert (ran["evidence"], ran["value"]) == ("1 of 1 collective, 2 messages each, 2 of them in sequence.", 2)
    # One collective is too few for an interval, and no place is reached 20 times.
    assert {key for key, row in found.items() if row["severity"] == "undecided"} == {"last-arrivals", "noise"}
    assert found["noise"]["problem"] is None


def test_a_trace_without_collectives_speaks_of_its_critical_path_only(tmp_path: Path) -> None:
    tables = {name: TABLES[name] for name in ("run", "ranks", "comms")}
    path = "path step rank begin_ns end_ns category\nrun 0 2 0 40 mpi\nrun 1 2 40 140 compute"
    found = by_key(hopscope.open(draw(tmp_path / "d", **tables, path_stretches=path)))
    assert found.keys() == {"collectives", "critical-path"}
    # The pages of iterations and collectives would be empty.
    assert found["critical-path"]["analysis"] == "critical-path --by place"


def test_a_part_without_collectives_is_not_taken_for_the_trace(samples: dict[str, hopscope.Trace]) -> None:
    found = by_key(samples["demo"].part(from_="1000000010", to="1000000020"))
    assert found["collectives"]["sentence"].startswith("This part of the run has no collective operation of MPI")


def test_the_samples_have_the_problems_that_were_planted(samples: dict[str, hopscope.Trace]) -> None:
    problems = {
        name: {key: row["sentence"] for key, row in by_key(trace).items() if row["problem"]}
        for name, trace in samples.items()
    }
    assert problems["demo"].keys() == {"tree"}
    assert problems["late_rank"].keys() == {"last-arrivals"}
    assert problems["late_rank"]["last-arrivals"].startswith("Rank 2 is slow: its computing led to the last arrival")


def test_findings_come_by_severity_and_then_by_what_they_cost(samples: dict[str, hopscope.Trace]) -> None:
    for trace in samples.values():
        rows = findings(trace)
        order = [(SEVERITIES.index(row["severity"]), -(row["cost_share"] or 0)) for row in rows]
        assert order == sorted(order)
    first = findings(samples["demo"])[0]
    assert (first["key"], first["severity"]) == ("tree", "problem")
    assert first["cost_share"] > 0.5


def test_every_row_is_as_the_header_says_and_names_an_analysis_that_there_is(
    drawn: hopscope.Trace, samples: dict[str, hopscope.Trace]
) -> None:
    about = next(parameter for parameter in ANALYSIS.parameters if parameter.name == "about")
    assert about.choices == tuple(FINDINGS)
    severity = next(column for column in ANALYSIS.columns if column.name == "severity")
    assert tuple(re.findall(r"[a-z]+", severity.meaning.replace(" or ", " "))) == SEVERITIES
    for trace in (drawn, *samples.values()):
        for row in findings(trace):
            assert row["severity"] in SEVERITIES
            assert (row["value"] is None) == (row["severity"] == "undecided")
            assert row["sentence"].endswith(".")
            assert row["evidence"].endswith(".")
            name, *words = shlex.split(row["analysis"])
            if name != "remap":
                options = dict(zip(words[::2], words[1::2], strict=True))
                given = {option.removeprefix("--").replace("-", "_"): text for option, text in options.items()}
                chosen = {n: float(v) if re.fullmatch(r"[\d.]+", v) else v for n, v in given.items()}
                whole = {n: int(v) if isinstance(v, float) and v.is_integer() else v for n, v in chosen.items()}
                catalog.load().command(name).choose(whole)


def test_the_part_that_a_finding_is_about_can_be_asked_about(samples: dict[str, hopscope.Trace]) -> None:
    about = 0
    for trace in samples.values():
        for row in findings(trace):
            if row["part"] is not None:
                option, _, value = row["part"].partition(" ")
                part = trace.part(**{option.removeprefix("--"): value})
                assert part.collectives(limit=1).num_rows == 1, (trace, row)
                about += 1
    assert about > 3


def test_one_finding_runs_only_the_analysis_that_it_rests_on(drawn: hopscope.Trace) -> None:
    answer = drawn.answer("findings", about="noise")
    assert [row["key"] for row in answer.rows] == ["noise"]
    assert [other.command.name for other in answer.asked] == ["noise"]
    assert len(drawn.answer("findings").asked) == len(ANALYSIS.asks)
    # What was asked for comes before what it went into.
    text = drawn.statements(answer)
    assert text.index("late_1ms") < text.index("as hops_share")


def test_its_own_options_go_on_to_the_analysis_that_has_them(samples: dict[str, hopscope.Trace]) -> None:
    row = samples["late_rank"].run("findings", about="late-ranks", least_ms=5.0).to_pylist()[0]
    assert row["verdict"] == "never"
    assert row["analysis"] == "late-ranks --least-ms 5"
    assert samples["late_rank"].run("late-ranks", least_ms=5.0)["class"].to_pylist() == ["never"] * 4


def test_the_command_prints_json_and_its_gates_hold(drawn: hopscope.Trace) -> None:
    trace = str(drawn.path)
    code, out, _ = asked("findings", trace, "--format", "json")
    rows = json.loads(out)
    assert code == 0
    assert [row["key"] for row in rows] == list(by_key(drawn))
    assert all(list(row) == [column.name for column in ANALYSIS.columns] for row in rows)
    code, _, said = asked("findings", trace, "--fail-if", "*.problem == 1")
    assert (code, "tree.problem is yes" in said) == (1, True)
    about = ("--about", "critical-path")
    assert asked("findings", trace, *about, "--fail-if", "critical-path.value > 90%")[0] == 0
    assert asked("findings", trace, *about, "--fail-if", "critical-path.value > 80%")[0] == 1
    # Too few collectives to tell: not passed in silence.
    code, _, said = asked("findings", trace, "--about", "last-arrivals", "--fail-if", "last-arrivals.problem == 1")
    assert (code, "cannot be judged" in said) == (2, True)


def test_the_markdown_summary_of_the_gates_says_the_same(drawn: hopscope.Trace, tmp_path: Path) -> None:
    (tmp_path / "hopscope.toml").write_text('[gates]\nfindings = "tree.problem == 1"\n')
    summary = tmp_path / "gates.md"
    words = [str(drawn.path), "--config", str(tmp_path / "hopscope.toml"), "--markdown", str(summary)]
    done = CliRunner().invoke(gate_command, words, standalone_mode=False)
    assert done.return_value == 1
    text = re.sub(r"\\(.)", r"\1", summary.read_text())
    entries = drawn.diagnose().to_pylist()
    places = [text.index(f"{entry['severity']}: {entry['sentence']}") for entry in entries]
    assert places == sorted(places)


# The findings themselves, on rows written by hand.

RUN = Run(
    collectives=40,
    whole_collectives=40,
    hops=80,
    iterations=12,
    most_calls=12,
    clusters=2,
    crossings=3,
    path_ns=100,
    loop_path_ns=100,
    wan_share=0.6,
    hops_share=0.6,
)


def there(finding: Finding | None) -> Finding:
    assert finding is not None
    return finding


def test_the_critical_paths_finding_is_in_plain_words() -> None:
    rows = [
        {"category": "mpi", "time_ns": 60, "share": 0.6},
        {"category": "wan", "time_ns": 25, "share": 0.25},
        {"category": "p2p", "time_ns": 15, "share": 0.15},
    ]
    said = there(of_critical_path(rows, RUN))
    assert said.analysis == "critical-path --by place"
    assert "then hops between clusters 25.0 %, the application's own messages 15.0 %" in said.evidence
    assert there(of_critical_path(rows[1:], RUN)).analysis == "wan-share"
    assert there(of_critical_path(rows[2:], RUN)).analysis == "messages"
    assert of_critical_path([{"category": "mpi", "time_ns": 0, "share": None}], RUN) is None


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_category_has_its_words(category: str) -> None:
    rows = [{"category": category, "time_ns": 60, "share": 0.6}, {"category": category, "time_ns": 40, "share": 0.4}]
    assert there(of_critical_path(rows, RUN)).sentence.startswith("60.0 % of the critical path goes on ")


def test_another_tree_is_spoken_of_only_where_the_path_crosses_more_than_once_each_way() -> None:
    def said(crossings: float) -> str:
        return there(of_wan_share([{"scope": "critical_path", "share": 0.4, "crossings": crossings}], RUN)).evidence

    assert "5.97 times; a tree that gathers each cluster first" in said(5.97)
    assert said(0.426).endswith("crosses between clusters 0.426 times.")


ARRIVAL = {
    "share": 0.0, "share_low": None, "share_high": None, "cause_share": 0.0, "cause": False, "cost_share": 0.0,
    "late": False, "chance": 0.25, "cause_low": None, "cause_chance": 0.25, "undecided": 0.0,
    "waiting_ns": 0, "collectives": 40,
}  # fmt: skip


def test_a_rank_is_called_slow_only_if_its_computing_is_the_cause() -> None:
    slow = [
        {**ARRIVAL, "rank": 0},
        {**ARRIVAL, "rank": 3, "cause": True, "cause_share": 0.97, "late": True, "share": 0.9, "cost_share": 0.3},
    ]
    said = there(of_arrivals(slow))
    assert said.sentence == "Rank 3 is slow: its computing led to the last arrival in 97.0 % of the collectives."
    assert said.part == "--ranks 3"
    assert (said.severity, said.value) == ("problem", 0.97)
    assert said.evidence.endswith("The excess computing takes 30.0 % of the critical path.")
    # Of the path it may take little.
    said = there(of_arrivals([{**row, "cost_share": row["cost_share"] / 10} for row in slow]))
    assert (said.severity, said.cost_share) == ("note", pytest.approx(0.03))
    assert said.evidence.endswith("It costs little: 3.0 % of the critical path.")
    released = [{**ARRIVAL, "rank": 7, "late": True, "share": 0.98, "released_share": 0.96}]
    said = there(of_arrivals(released))
    assert said.sentence == "No rank's computing makes the others wait more often than by chance."
    assert said.severity == "note"
    assert "more often than by chance, but not through slow computing." in said.evidence
    assert "In 96.0 % of all collectives, the last arrival goes back to rank 7" in said.evidence


def test_every_late_rank_is_named_with_its_own_share() -> None:
    late = [
        {**ARRIVAL, "rank": 7, "late": True, "share": 0.59, "released_share": 0.81},
        {**ARRIVAL, "rank": 6, "late": True, "share": 0.35, "released_share": 0.17},
        {**ARRIVAL, "rank": 5, "released_share": 0.0},
    ]
    said = there(of_arrivals(late)).evidence
    assert said.startswith("Ranks 7 and 6 enter last (rank 7 in 59.0 %, rank 6 in 35.0 % of its own collectives)")
    assert "(rank 7 in 81.0 %, rank 6 in 17.0 % of all collectives)" in said
    caused = there(of_arrivals([*late, {**ARRIVAL, "rank": 2, "cause": True, "cause_share": 0.9}]))
    assert "Ranks 7 and 6 enter last" in caused.evidence


def test_a_cause_that_costs_little_is_not_called_chance() -> None:
    # "No rank's computing makes the others wait more often than by chance", of one that did so in 80 %.
    rank_1 = {
        **ARRIVAL,
        "rank": 1,
        "late": True,
        "share": 0.8,
        "cause_share": 0.8,
        "cause_low": 0.6,
        "cost_share": 0.013,
    }
    finding = there(of_arrivals([{**ARRIVAL, "rank": 0}, rank_1]))
    assert (finding.sentence, finding.severity) == ("No rank's computing costs the others much.", "fine")
    assert finding.evidence == (
        "Rank 1's computing led to the last arrival in 80.0 % of 40 collectives and takes 1.3 % of the critical path."
    )


def test_nobody_is_named_where_chance_explains_it_or_the_run_is_too_short() -> None:
    # The interval that stood here lay above the limit that stood beside it, which is not the one that decides.
    half = {**ARRIVAL, "chance": 0.5, "share": 0.62, "share_low": 0.51, "share_high": 0.7}
    finding = there(of_arrivals([{**half, "rank": 0}, {**half, "rank": 1, "share": 0.38}]))
    assert (finding.sentence, finding.severity) == ("No rank is last often enough to blame.", "fine")
    assert finding.evidence == (
        "Rank 0 is last most often, in 62.0 % of its collectives; chance gives 50.0 %, and for one of 2 ranks this is "
        "not clearly more."
    )
    finding = there(of_arrivals([{**ARRIVAL, "rank": 0, "late": None, "cause": None}]))
    assert ("too few collectives" in finding.sentence, finding.severity) == (True, "undecided")


def test_a_better_tree_is_called_likely_only_where_crossings_in_a_row_weigh_something() -> None:
    def said(**facts: Any) -> str:
        return of_tree(Run(**{**RUN.__dict__, **facts}), []).verdict

    assert said() == "better-likely"
    assert said(wan_share=0.01) == "better-unlikely"
    assert said(crossings=1) == "better-unlikely"
    assert said(clusters=1) == "better-unlikely"
    assert said(hops=0) == "no-hops"


def test_unknown_crossings_are_never_none() -> None:
    # The first page said that none crosses between clusters, below the share of the path that goes on such hops.
    def said(**facts: Any) -> Finding:
        return of_tree(Run(**{**RUN.__dict__, **facts}), [])

    unknown = said(crossings=None)
    assert (unknown.verdict, unknown.severity, unknown.value) == ("unknown", "undecided", None)
    assert unknown.sentence == (
        "Whether another algorithm would help is unknown: some collectives have no hops, or fit no algorithm that "
        "Hopscope knows."
    )
    assert unknown.evidence == "Hops between clusters take 60.0 % of the critical path."
    assert "no critical path" in said(path_ns=0, wan_share=None).sentence
    hidden = said(crossings=1, wan_share=None)
    assert (hidden.severity, hidden.value) == ("undecided", None)
    assert "leads through collectives without hops" in hidden.sentence
    # Where hops between clusters cost little, crossings do not matter.
    little = said(crossings=None, wan_share=0.01)
    assert (little.verdict, little.value, little.unit) == ("better-unlikely", 0.01, "share")
    assert little.evidence == "Hops take 60.0 % of the critical path, those between clusters 1.0 %."
    assert "none crosses between clusters" in said(crossings=0).evidence
    assert "cluster" not in said(crossings=0, clusters=1).evidence


def test_where_a_tree_goes_to_the_root_and_back_an_exchange_between_leaders_is_named() -> None:
    # "Another algorithm is unlikely to help" stood below a WAN share of 74 %; leaders took 61 % of the tree's time.
    def said(op: str, crossings: int, **facts: Any) -> Finding:
        return of_tree(Run(**{**RUN.__dict__, "crossings": 1, **facts}), [{"op": op, "crossings": crossings}])

    there_and_back = said("MPI_Allreduce", 2)
    assert (there_and_back.verdict, there_and_back.severity, there_and_back.value) == ("leaders-likely", "note", 1)
    assert there_and_back.sentence == (
        "An exchange between the clusters' leaders may be faster: MPI_Allreduce crosses between clusters to the root "
        "and back, where leaders cross once."
    )
    # Leaders already; an operation that they do not serve; hops between clusters that cost little.
    assert said("MPI_Allreduce", 1).verdict == "better-unlikely"
    assert said("MPI_Bcast", 2).verdict == "better-unlikely"
    assert said("MPI_Allreduce", 2, wan_share=0.01).verdict == "better-unlikely"


def test_crossings_are_known_only_where_every_collective_of_several_clusters_is_recognised(tmp_path: Path) -> None:
    calls = "collective_id rank enter_ns leave_ns engine\n0 0 100 700 native\n0 1 120 650 native\n0 2 140 350 native"
    native = {**{name: text for name, text in TABLES.items() if name != "trees"}, "calls": calls}
    hops = "collective_id role src dst bytes link send_begin_ns recv_end_ns source"

    def tree(name: str, messages: str, collectives: str = TABLES["collectives"]) -> dict[str, Any]:
        drawn = {**native, "hops": f"{hops}\n{messages}", "collectives": collectives}
        return by_key(hopscope.open(draw(tmp_path / name, **drawn)))["tree"]

    # Ranks 1 and 2 send to the root: once between clusters.
    linear = "0 - 2 0 8 shm 140 340 native\n0 - 1 0 8 wan 340 640 native"
    found = tree("linear", linear)
    assert (found["verdict"], found["value"]) == ("better-unlikely", 1)
    # A Barrier that sends nothing back is none that Hopscope knows.
    barrier = TABLES["collectives"].replace("MPI_Reduce 0 ", "MPI_Barrier -")
    found = tree("unrecognised", linear, barrier)
    assert (found["verdict"], found["severity"], found["value"]) == ("unknown", "undecided", None)
    assert "none crosses" not in found["evidence"]
    # Of a second collective no message was seen.
    second = f"{TABLES['collectives']}\n1 0 1 MPI_Barrier - 3 0 700 700 710"
    assert tree("unseen", linear, second)["verdict"] == "unknown"
    # Nor does one count as all where some were missed, even if those seen stay within a cluster.
    within = "0 - 2 0 8 shm 140 340 native"
    silent = "\n".join(
        f"{line} {word}" for line, word in zip(barrier.strip().splitlines(), ("native_reason", "silent"), strict=True)
    )
    assert tree("silent", within, silent)["verdict"] == "unknown"


def test_the_algorithm_that_crosses_most_is_named_or_else_the_one_that_ran_most() -> None:
    often = {"op": "MPI_Bcast", "algorithm": "linear", "source": "native", "collectives": 30, "crossings": 1}
    often |= {"messages": 7, "depth": 1}
    crossing = {**often, "op": "MPI_Reduce", "algorithm": "binomial", "collectives": 5, "crossings": 3, "depth": 3}
    unknown = {**often, "algorithm": "unrecognised", "crossings": None, "depth": None}
    said = there(of_algorithms([often, crossing], RUN))
    assert (
        said.sentence == "The MPI library ran MPI_Reduce as binomial, which crosses between clusters 3 times in a row."
    )
    assert (said.verdict, said.value) == ("binomial", 3)
    said = there(of_algorithms([often, crossing, unknown], replace(RUN, clusters=1)))
    assert said.sentence == "The MPI library ran MPI_Bcast as linear."
    assert said.evidence.endswith("In 30 the messages fit no algorithm that Hopscope knows.")
    assert there(of_algorithms([unknown], RUN)).severity == "undecided"
    assert of_algorithms([], RUN) is None


def test_the_gravest_class_of_lateness_and_the_delay_that_moved_most_are_named() -> None:
    late = {"share": 0.9, "typical_ns": 3_000_000, "worst_ns": 4_000_000, "limit_ns": 1_000_000, "collectives": 40}
    rows = [{**late, "rank": 0, "class": "spikes"}, {**late, "rank": 2, "class": "always"}]
    said = there(of_late_ranks(rows, 1.0, 1_000_000_000))
    assert (said.sentence, said.verdict) == ("Rank 2 is always late.", "always")
    assert said.evidence == "By 3.00 ms where it is, in 90.0 % of its collectives, 4.00 ms at worst."
    assert there(of_late_ranks([{**late, "class": "never"}], None, 1_000_000_000)).sentence == "No rank is late."
    assert "too few" in there(of_late_ranks([{**late, "class": None}], 1.0, 1_000_000_000)).sentence
    delayed = {"src": 2, "dst": 1, "collective": "0:3", "moved_ns": 4_000_000, "amplification": 0.4}
    said = there(of_delayed_hops([{**delayed, "moved_ns": 0}, delayed], 20, 1_000_000_000))
    assert said.sentence == "One delayed hop, 2 → 1 in 0:3, made its collective 4.00 ms longer."
    assert there(of_delayed_hops([{**delayed, "moved_ns": 0}], 20, 1_000_000_000)).sentence.startswith("No delayed hop")


def test_ranks_whose_lateness_adds_up_to_nothing_are_not_named() -> None:
    """All 64 ranks of a run were once `late in single spikes`, 0.1 % of their collectives each."""
    spikes = {"share": 0.001, "typical_ns": 3_000_000, "worst_ns": 4_000_000, "collectives": 2000, "class": "spikes"}
    rows = [{**spikes, "rank": 5}, {**spikes, "rank": 7, "typical_ns": 4_000_000}]
    said = there(of_late_ranks(rows, 1.0, 1_000_000_000))
    assert (said.sentence, said.severity) == ("No rank is late enough to matter.", "fine")
    assert said.evidence == (
        "Rank 7 is late most, in 0.1 % of its collectives: 8.00 ms altogether, 0.8 % of the critical path."
    )
    assert there(of_late_ranks(rows, 1.0, 800_000_000)).sentence == "Rank 7 is late in single spikes."
    assert there(of_late_ranks(rows, 1.0, 0)).sentence == "Ranks 7 and 5 are late in single spikes."


def test_a_rank_that_cost_most_is_named_before_others_that_are_late_more_often() -> None:
    # A rank that was 40 ms late three times went unnamed beside two that were 2 ms late more often.
    often = {"share": 0.2, "typical_ns": 2_000_000, "worst_ns": 3_000_000, "collectives": 40, "class": "sometimes"}
    once = {"share": 0.075, "typical_ns": 40_000_000, "worst_ns": 41_000_000, "collectives": 40, "class": "spikes"}
    said = there(of_late_ranks([{**often, "rank": 3}, {**often, "rank": 0}, {**once, "rank": 2}], 1.0, 670_000_000))
    assert said.sentence == "Rank 2 is late in single spikes."
