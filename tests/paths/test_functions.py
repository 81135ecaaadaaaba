"""There is one list of MPI functions, and it has the same properties for every form of a function."""

import pytest
from hopscope.dataset.path_columns import EXSCAN, ROOT_TO_LAST_ENTER, SCAN, STAYS, TO_LAST_ENTER, TO_ROOT
from hopscope.launch.inspection import POLLS
from hopscope.native import _paths
from hopscope.vocabulary.mpi_functions import FUNCTIONS
from read_spool import function_numbers

FORMS = ("MPI_{}", "MPI_I{}", "MPI_{}_init", "MPI_{}_c", "MPI_I{}_c", "MPI_{}_init_c")


# Regression: MPI_Bcast_init_c led to the last enter, because `_init` was removed before `_c`.
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "leads"),
    [
        ("Bcast", TO_ROOT),
        ("Scatterv", TO_ROOT),
        ("Reduce", ROOT_TO_LAST_ENTER),
        ("Gather", ROOT_TO_LAST_ENTER),
        ("Allreduce", TO_LAST_ENTER),
        ("Reduce_scatter_block", TO_LAST_ENTER),
        ("Scan", SCAN),
        ("Exscan", EXSCAN),
        ("Neighbor_alltoallw", STAYS),
    ],
)
def test_all_forms_of_a_collective_lead_alike_and_two_thirds_of_them_return_early(
    name: str, leads: int, form: str
) -> None:
    function = form.format(name.lower() if "I{" in form else name)
    assert _paths.leads_of(function) == leads
    assert _paths.returns_early(function) == (form not in ("MPI_{}", "MPI_{}_c"))


def test_a_collective_that_the_list_lacks_leads_to_the_last_enter() -> None:
    assert (_paths.leads_of("MPI_Allfoo"), _paths.returns_early("MPI_Allfoo")) == (TO_LAST_ENTER, False)


def test_recordings_number_what_the_list_has_and_large_counts_have_no_number() -> None:
    assert [*function_numbers()] == [name for name in FUNCTIONS if not name.endswith("_c")]


def test_what_looks_and_returns_at_once_polls() -> None:
    assert {"MPI_Testsome", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived"} < POLLS
    assert not POLLS & {"MPI_Wait", "MPI_Probe", "MPI_Mprobe"}
