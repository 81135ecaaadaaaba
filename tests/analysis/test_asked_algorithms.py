"""The algorithm that settings request for a collective, worked out by hand, and whether the recognised algorithm is the
same."""

import json

import pytest
from hopscope.algorithms.asked import Request, Settings, obeyed
from hopscope.algorithms.captured import decide
from hopscope.algorithms.recognition import UNRECOGNISED, Recognised
from hopscope.mpi_libraries.open_mpi.algorithms import ALGORITHMS, OWN_CHOICE, number_of, sent
from hopscope.mpi_libraries.open_mpi.rules import Rule, read_rules, rules_for, size_in_rules

OPEN_MPI_4 = "Open MPI v4.1.4, package: Debian OpenMPI"
OPEN_MPI_5 = "Open MPI v5.0.11"


def settings(library: str = OPEN_MPI_4, *, text: str | None = None, dynamic: str = "1", **variables: str) -> Settings:
    rows = [
        {"name": name, "asked": value, "value": value, "source": "environment", "text": text}
        for name, value in {"coll_tuned_use_dynamic_rules": dynamic, **variables}.items()
    ]
    return Settings.read(json.dumps(rows), library)


RULES = """1 7  # Bcast
2
2 1
0 1 0 0
8 2
0 6 0 0  100 3 0 1024
"""


def test_a_rules_file_gives_the_last_row_that_is_not_larger_and_else_the_first() -> None:
    rules = read_rules(RULES)
    assert rules == {"bcast": [(2, [Rule(0, 1, 0)]), (8, [Rule(0, 6, 0), Rule(100, 3, 0)])]}
    assert rules_for(rules, "bcast", 7, 5000) == [Rule(0, 1, 0)]
    assert rules_for(rules, "bcast", 8, 99) == [Rule(0, 6, 0)]
    assert rules_for(rules, "bcast", 64, 100) == [Rule(100, 3, 0)]
    assert rules_for(rules, "bcast", 8, None) == [Rule(0, 6, 0), Rule(100, 3, 0)]
    assert not rules_for(rules, "reduce", 8, 100)


def test_version_2_of_rules_files_may_name_requests_at_the_end_of_a_line() -> None:
    text = "rule-file-version-2\n1\n7\n1\n2\n2\n0 1 0 0 4\n100 6 0 0\n"
    assert read_rules(text) == {"bcast": [(2, [Rule(0, 1, 0), Rule(100, 6, 0)])]}


@pytest.mark.parametrize("text", ["", "1 7", "1 7 1 2 1 0 six 0 0", "2 7 1 2 1 0 1 0 0"])
def test_a_file_that_is_no_rules_file_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"early|invalid literal"):
        read_rules(text)


def test_tuned_looks_for_a_row_by_its_own_sizes() -> None:
    assert size_in_rules("allgather", 8, 800) == 800
    assert size_in_rules("allgatherv", 8, 800) == 100
    assert size_in_rules("barrier", 8, None) == 0
    assert size_in_rules("gather", 8, 800) is None


def test_an_algorithm_is_asked_for_by_number_or_name_and_for_blocking_operations_only() -> None:
    for word in ("6", "binomial"):
        user_settings = settings(coll_tuned_bcast_algorithm=word)
        assert user_settings.request("MPI_Bcast", 8, 64) == Request("binomial (6)", "binomial", function="binomial")
        assert user_settings.request("MPI_Bcast_c", 8, 64) is not None
        for op in ("MPI_Ibcast", "MPI_Bcast_init", "MPI_Reduce", "MPI_Neighbor_allgather"):
            assert user_settings.request(op, 8, 64) is None
    assert settings(coll_tuned_bcast_algorithm="0").request("MPI_Bcast", 8, 64) is None
    assert number_of("bcast", "sparbit") is None


def test_release_4_prefers_rules_and_release_5_the_algorithm_of_the_operation() -> None:
    words = {"coll_tuned_dynamic_rules_filename": "/rules", "coll_tuned_bcast_algorithm": "5"}
    request = settings(OPEN_MPI_4, text=RULES, **words).request("MPI_Bcast", 8, 64)
    assert request == Request("binomial (6)", "binomial", function="binomial")
    request = settings(OPEN_MPI_5, text=RULES, **words).request("MPI_Bcast", 8, 64)
    assert request == Request("binary_tree (5)", "binary", function="bintree")


def test_rules_that_cannot_be_used_are_named() -> None:
    rules_file = {"coll_tuned_dynamic_rules_filename": "/home/u/rules"}
    request = settings(text="no rules", **rules_file).request("MPI_Bcast", 8, 64)
    assert request is not None
    assert (request.wording, request.ignored) == (
        "rules",
        "the rules file is not valid: invalid literal for int() with base 10: 'no'",
    )
    # The rules file has a row for a length of one element, which the trace does not know. So the request remains open.
    gather = settings(text="1 9 1 2 2 0 1 0 0 64 2 0 0", **rules_file).request("MPI_Gather", 8, 800)
    assert gather == Request("rules", None)
    assert obeyed(gather, "binomial", ()) == ("undecided", None)


def test_what_ran_is_compared_with_what_was_asked_for() -> None:
    user_settings = settings(
        coll_tuned_allgather_algorithm="3", coll_tuned_allreduce_algorithm="2", coll_tuned_bcast_algorithm="7"
    )

    def obedience(op: str, ranks: int, algorithm: str, *equivalents: str) -> tuple[str | None, str | None]:
        return obeyed(user_settings.request(op, ranks, 64), algorithm, equivalents)

    assert obedience("MPI_Allgather", 8, "recursive-doubling") == ("yes", None)
    assert obedience("MPI_Allgather", 8, "butterfly", "recursive-doubling") == ("yes", None)
    assert obedience("MPI_Allgather", 8, "ring") == ("no", None)
    assert obedience("MPI_Allgather", 6, "bruck") == ("no", "on 6 ranks Open MPI runs bruck instead")
    assert obedience("MPI_Allgather", 8, UNRECOGNISED) == ("undecided", None)
    assert obedience("MPI_Allreduce", 8, "binomial + linear") == ("undecided", None)
    assert obedience("MPI_Bcast", 8, "k-nomial:3") == ("yes", None)
    assert obedience("MPI_Reduce", 8, "linear") == (None, None)


def test_the_librarys_own_name_tells_algorithms_apart_that_send_the_same_messages() -> None:
    user_settings = settings(coll_tuned_scatter_algorithm="3", coll_tuned_allgather_algorithm="3")
    linear = user_settings.request("MPI_Scatter", 6, 64)
    assert obeyed(linear, "linear", ()) == ("yes", None)
    assert obeyed(linear, "linear", (), "linear_nb") == ("yes", None)
    assert obeyed(linear, "linear", (), "basic_linear") == ("no", None)
    assert obeyed(linear, UNRECOGNISED, (), "linear_nb") == ("yes", None)
    assert obeyed(linear, UNRECOGNISED, (), "binomial") == ("no", None)
    assert obeyed(linear, "binomial", (), "linear_nb") == (
        "no",
        "Open MPI's linear_nb passed it on to another algorithm",
    )
    nonoverlapping = settings(coll_tuned_allreduce_algorithm="2").request("MPI_Allreduce", 8, 64)
    assert obeyed(nonoverlapping, "binomial + linear", (), "nonoverlapping") == ("yes", None)
    doubling = user_settings.request("MPI_Allgather", 6, 64)
    reason = "on 6 ranks Open MPI runs bruck instead"
    assert obeyed(doubling, "bruck", (), "recursivedoubling") == ("no", reason)
    ignored = settings(dynamic="0", coll_tuned_bcast_algorithm="6").request("MPI_Bcast", 2, 64)
    assert obeyed(ignored, "linear", ("binomial",)) == ("yes", None)
    assert obeyed(ignored, "linear", ("binomial",), "basic_linear") == (
        "no",
        "coll_tuned_use_dynamic_rules is not set",
    )


def test_the_librarys_own_name_decides_what_the_messages_leave_open() -> None:
    def decision(
        op: str, captured: str | None, *fitting: str, ranks: int = 6
    ) -> tuple[str, tuple[str, ...], str | None]:
        recognised, differs = decide(Recognised(fitting[0], fitting[1:]), op, captured, ranks)
        return recognised.name, recognised.equivalents, differs

    assert decision("MPI_Bcast", "binomial", "linear", "k-nomial:4") == ("linear", ("k-nomial:4",), "binomial")
    assert decision("MPI_Bcast", "knomial", "linear", "k-nomial:3") == ("k-nomial:3", ("linear",), None)
    assert decision("MPI_Bcast", "basic_linear", "linear", "k-nomial:3") == ("linear", ("k-nomial:3",), None)
    assert decision("MPI_Bcast", None, "linear", "k-nomial:3") == ("linear", ("k-nomial:3",), None)
    assert decision("MPI_Bcast", "binomial", UNRECOGNISED) == ("binomial", (), None)
    assert decision("MPI_Bcast", "pipeline", UNRECOGNISED) == ("chain", (), None)
    assert decision("MPI_Bcast", "knomial", UNRECOGNISED) == (UNRECOGNISED, (), None)  # its radix is unknown
    assert decision("MPI_Allgather", "sparbit", UNRECOGNISED) == (UNRECOGNISED, (), None)
    assert decision("MPI_Allreduce", "nonoverlapping", "binomial + linear") == ("binomial + linear", (), None)
    assert decision("MPI_Allgather", "recursivedoubling", "bruck") == ("bruck", (), None)  # on 6 ranks it becomes Bruck
    assert decision("MPI_Allgather", "recursivedoubling", "bruck", ranks=8) == ("bruck", (), "recursive-doubling")


def test_without_dynamic_rules_a_coincidence_still_obeys() -> None:
    request = settings(dynamic="0", coll_tuned_bcast_algorithm="6").request("MPI_Bcast", 8, 64)
    assert obeyed(request, "binomial", ()) == ("yes", None)
    assert obeyed(request, "linear", ()) == ("no", "coll_tuned_use_dynamic_rules is not set")


def test_mpichs_names_are_known_or_left_open() -> None:
    user_settings = settings("MPICH Version: 4.0.2", MPIR_CVAR_BCAST_INTRA_ALGORITHM="scatter_ring_allgather")
    assert user_settings.request("MPI_Bcast", 6, 64) == Request("scatter_ring_allgather", "scatter-ring")
    user_settings = settings("MPICH Version: 4.0.2", MPIR_CVAR_BCAST_INTRA_ALGORITHM="tree")
    assert obeyed(user_settings.request("MPI_Bcast", 6, 64), "binomial", ()) == ("undecided", None)
    user_settings = settings("MPICH Version: 4.0.2", MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE="/etc/choice.json")
    assert user_settings.request("MPI_Bcast", 6, 64) == Request("choice.json", None)


def test_every_algorithm_of_the_table_has_messages_or_is_refused() -> None:
    for operation, number in ALGORITHMS:
        for ranks in range(2, 20):
            algorithm = sent(operation, number, ranks)
            assert algorithm is None or algorithm == OWN_CHOICE or algorithm.replace("-", "").replace(":", "").isalnum()
