"""The algorithms that settings request from Open MPI's `han`, worked out by hand, and whether drawn messages follow
them."""

import json
from dataclasses import replace

import pytest
from hopscope.algorithms.asked import Settings
from hopscope.algorithms.hierarchical import hierarchy
from hopscope.algorithms.observed import Observed, RecordedMessage
from hopscope.algorithms.recognition import UNRECOGNISED

OPEN_MPI_4, OPEN_MPI_5 = "Open MPI v4.1.4", "Open MPI v5.0.11"
# Allreduce (2) by recursive doubling on two ranks; Bcast (7) and Reduce (11), both linear, on three.
RULES = "3 2 1 2 1 0 3 0 0\n 7 2 0 1 0 0 0 0\n 3 1 0 1 0 0\n 11 2 0 1 0 0 0 0\n 3 1 0 1 0 0\n"
SIMPLE = {"coll_han_use_allreduce_algorithm": "simple"}
WORDING = "han simple: reduce linear (1), allreduce recursive_doubling (3), bcast basic_linear (1)"
# Two hosts, ranks 0 to 2 and 3 to 5, led by 0 and 3: messages go up, across and down.
UP, CROSSINGS, DOWN = [(1, 0), (2, 0), (4, 3), (5, 3)], [(0, 3), (3, 0)], [(0, 1), (0, 2), (3, 4), (3, 5)]
BY_HAN = [*UP, *CROSSINGS, *DOWN]


def settings(library: str = OPEN_MPI_5, *, rules: str | None = RULES, dynamic: str = "1", **variables: str) -> Settings:
    by_rules = {} if rules is None else {"coll_tuned_dynamic_rules_filename": "/rules"}
    rows = [
        {"name": name, "asked": value, "value": value, "source": "environment", "text": rules}
        for name, value in {"coll_tuned_use_dynamic_rules": dynamic, **by_rules, **variables}.items()
    ]
    return Settings.read(json.dumps(rows), library)


def observed(edges: list[tuple[int, int]], *, hosts: tuple[int, ...] = (0, 0, 0, 1, 1, 1)) -> Observed:
    """An Allreduce of 64 bytes with these messages, one after another."""
    messages = [RecordedMessage(src, dst, 64, 10 * n, 10 * n + 5) for n, (src, dst) in enumerate(edges)]
    return Observed("MPI_Allreduce", len(hosts), None, 64, messages, hosts, hosts)


def obedience(
    user_settings: Settings, edges: list[tuple[int, int]], algorithm: str = "leaders:all-to-all"
) -> tuple[str, str, str | None] | None:
    collective = observed(edges)
    request = hierarchy(user_settings, "MPI_Allreduce", collective)
    return None if request is None else (request.wording, *request.obeyed(collective, algorithm))


def test_what_han_calls_ran_by_the_algorithms_of_the_rules() -> None:
    assert obedience(settings(**SIMPLE), BY_HAN) == (WORDING, "yes", None)
    # The algorithm is set by its number, and by the older parameter, which release 4 has.
    assert obedience(settings(coll_han_use_allreduce_algorithm="2"), BY_HAN) == (WORDING, "yes", None)
    by_release_4 = settings(OPEN_MPI_4, coll_han_use_simple_allreduce="1", coll_han_priority="31")
    assert obedience(by_release_4, BY_HAN) == (WORDING, "yes", None)


def test_another_algorithm_inside_hosts_or_between_them_is_seen() -> None:
    chains = [(2, 1), (1, 0), (4, 3), (5, 3), *CROSSINGS, *DOWN]
    assert obedience(settings(**SIMPLE), chains) == (WORDING, "no", None)
    assert obedience(settings(**SIMPLE), [*UP, (3, 0), *DOWN]) == (WORDING, "no", None)
    messages = [*UP, *CROSSINGS, (1, 4), (4, 1), *DOWN]
    assert obedience(settings(**SIMPLE), messages) == (WORDING, "no", None)


def test_why_han_did_not_run_so_is_said_where_the_settings_show_it() -> None:
    def reason(user_settings: Settings) -> str | None:
        answer = obedience(user_settings, [(2, 1), (1, 0)])
        assert answer is not None and answer[1] == "no"
        return answer[2]

    release_4 = {"coll_han_use_simple_allreduce": "1"}
    assert reason(settings(OPEN_MPI_4, **release_4)) == "coll_han_priority is not set, and by default `han` comes last"
    for coll in ("^han", "tuned,basic,self"):
        assert reason(settings(**SIMPLE, coll=coll)) == f"the component han is not loaded (coll={coll})"
    module = "coll_han_allreduce_dynamic_inter_node_module"
    assert reason(settings(**SIMPLE, **{module: "1"})) == f"{module} is not 3, the number of tuned"
    assert reason(settings(**SIMPLE, dynamic="0")) == "coll_tuned_use_dynamic_rules is not set"
    assert reason(settings(**SIMPLE, coll="^sm")) is None
    # Algorithm 5, two_procs, does not run on the three ranks of a host.
    three = settings(rules="1 6 1 2 1 0 5 0 0\n", coll_han_use_barrier_algorithm="simple")
    barrier = replace(observed(BY_HAN), operation="MPI_Barrier", bytes=0)
    request = hierarchy(three, "MPI_Barrier", barrier)
    assert request is not None
    assert request.obeyed(barrier, UNRECOGNISED) == ("no", "on 3 ranks Open MPI refuses it")


def test_what_no_rule_names_may_run_anyhow_but_stays_among_its_ranks() -> None:
    # The rules name only the Allreduce between the leaders.
    only = settings(rules="1 2 1 2 1 0 3 0 0\n", **SIMPLE)
    wording = "han simple: allreduce recursive_doubling (3)"
    # The first rule also applies to the three ranks of a host, but they call no Allreduce.
    chains = [(2, 1), (1, 0), (5, 4), (4, 3), *CROSSINGS, *DOWN]
    assert obedience(only, chains) == (wording, "yes", None)
    assert obedience(only, [*chains, (1, 4)]) == (wording, "no", None)


def test_what_cannot_be_told_says_why() -> None:
    reason = "no setting names an algorithm for the operations that `han` calls"
    assert obedience(settings(rules=None, **SIMPLE), BY_HAN) == ("han simple", "undecided", reason)
    form = "the messages of this form of `han` are not known, only those of simple"
    assert obedience(settings(coll_han_use_allreduce_algorithm="intra"), BY_HAN) == ("han intra", "undecided", form)
    # Algorithm 2, nonoverlapping, calls other operations, for which tuned chooses the algorithm.
    rules = RULES.replace("2 1 0 3 0 0", "2 1 0 2 0 0")
    answer = obedience(settings(rules=rules, **SIMPLE), BY_HAN)
    assert answer is not None
    reason = "the trace does not tell which messages belong to allreduce by nonoverlapping (2)"
    assert answer[1:] == ("undecided", reason)


def test_messages_by_which_han_makes_its_communicators_come_before_the_collective() -> None:
    setting_up = [(1, 4), (0, 1), (1, 0), (3, 0), (4, 1)]
    assert obedience(settings(**SIMPLE), [*setting_up, *BY_HAN], UNRECOGNISED) == (WORDING, "yes", None)
    reason = "there are other messages besides the requested ones"
    assert obedience(settings(**SIMPLE), [*BY_HAN, *setting_up], UNRECOGNISED) == (WORDING, "undecided", reason)


@pytest.mark.parametrize("hosts", [(0, 0, 0, 0), (0, 1, 2, 3), (0, 0, 0, 1)])
def test_han_leaves_other_places_to_tuned(hosts: tuple[int, ...]) -> None:
    assert hierarchy(settings(**SIMPLE), "MPI_Allreduce", observed([(1, 0)], hosts=hosts)) is None


def test_han_is_asked_for_nothing_where_it_passes_the_operation_on_or_no_setting_names_a_form() -> None:
    passed_on = settings(**SIMPLE, coll_han_allreduce_dynamic_global_communicator_module="3")
    for user_settings in (passed_on, settings(), settings(coll_han_use_allreduce_algorithm="default")):
        assert hierarchy(user_settings, "MPI_Allreduce", observed(BY_HAN)) is None
    assert hierarchy(settings(**SIMPLE), "MPI_Iallreduce", observed(BY_HAN)) is None


def test_a_barrier_inside_hosts_comes_twice_and_a_rooted_operation_has_leaders_beside_its_root() -> None:
    barrier = [*UP, *DOWN, *CROSSINGS, *UP, *DOWN]
    linear = "1 6 1 2 1 0 1 0 0\n"
    user_settings = settings(
        rules=linear, coll_han_use_barrier_algorithm="simple", coll_han_use_reduce_algorithm="simple"
    )
    call = observed(barrier)
    call = replace(
        call, operation="MPI_Barrier", bytes=0, messages=[message._replace(bytes=0) for message in call.messages]
    )
    request = hierarchy(user_settings, "MPI_Barrier", call)
    assert request is not None
    assert (request.wording, *request.obeyed(call, UNRECOGNISED)) == ("han simple: barrier linear (1)", "yes", None)
    # Rank 4 is the root, so rank 1 leads the other host.
    user_settings = settings(rules="1 11 1 2 1 0 1 0 0\n", coll_han_use_reduce_algorithm="simple")
    for edges, obeyed in (
        ([(0, 1), (2, 1), (3, 4), (5, 4), (1, 4)], "yes"),
        ([(1, 0), (2, 0), (3, 4), (5, 4), (0, 4)], "no"),
    ):
        messages = [RecordedMessage(src, dst, 64, 10 * n, 10 * n + 5) for n, (src, dst) in enumerate(edges)]
        reduce = Observed("MPI_Reduce", 6, 4, 64, messages, (0, 0, 0, 1, 1, 1))
        request = hierarchy(user_settings, "MPI_Reduce", reduce)
        assert request is not None
        assert request.obeyed(reduce, "linear")[0] == obeyed
