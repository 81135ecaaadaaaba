"""The waits between clusters in real runs, on a network with known latency."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from networks import run, topology

pytestmark = [pytest.mark.networks, pytest.mark.usefixtures("machine_can")]

PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "iterations.c"
MPIS = [mpi for mpi in local_mpi.find_all() if mpi.release in ("openmpi-4", "mpich-5")]
WAN_NS = 20_000_000  # as in demo/sites.json
SITES = {"A": 2, "B": 2}
RANKS = 8
TUNED = ["--mca", "coll_tuned_use_dynamic_rules", "1"]
SETTINGS: dict[tuple[str, str], tuple[list[str], dict[str, str]]] = {
    ("openmpi", "allreduce"): ([*TUNED, "--mca", "coll_tuned_allreduce_algorithm", "3"], {}),
    ("openmpi", "bcast"): ([*TUNED, "--mca", "coll_tuned_bcast_algorithm", "1"], {}),
    ("mpich", "allreduce"): ([], {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"}),
    ("mpich", "bcast"): ([], {"MPIR_CVAR_BCAST_INTRA_ALGORITHM": "binomial"}),
}
"""The launcher's options and variables for each library and operation: recursive doubling for allreduce, a tree for
bcast."""


def untouched(mpi: local_mpi.LocalMpi, operation: str, folder: Path) -> hopscope.Trace:
    words, variables = SETTINGS[mpi.flavour, operation]
    environment = {"HOPSCOPE_NATIVE": "mpich" if mpi.flavour == "mpich" else "1"} | variables
    # After a few collectives, release 5 of MPICH uses shared memory instead of messages inside a host.
    environment |= {"MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": "1000000"}
    environment |= {f"MPIR_CVAR_{operation.upper()}_DEVICE_COLLECTIVE": "0"}
    file = topology(folder, SITES, {"links": {"wan": {"latency_ns": WAN_NS}}})
    job = ["--", mpi.launcher, "-n", str(RANKS), *words, str(mpi.compile(PROGRAM)), operation, "8"]
    done = run(folder, file, *job, **environment)
    assert done.returncode == 0, done.stderr
    return hopscope.open(folder / "trace")


@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_both_sites_wait_for_one_another_in_recursive_doubling(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Ranks 0 to 3 are in A, 4 to 7 in B: only the last of three rounds is between them.
    trace = untouched(mpi, "allreduce", tmp_path)
    (row,) = [row for row in trace.algorithms().to_pylist() if row["op"] == "MPI_Allreduce"]
    assert (row["algorithm"], row["depth"], row["crossings"]) == ("recursive-doubling", 3, 1)
    roles = trace.sql(
        "select distinct role from hops join collectives using (collective_id) where op = 'MPI_Allreduce'"
    )
    assert roles["role"].to_pylist() == ["exchange"]
    shares = {row["scope"]: row["share"] for row in trace.wan_share().to_pylist()}
    assert shares["A"] > 0.5
    assert shares["B"] > 0.5
    # The site that enters first waits for a whole message, the other one for the rest of its message at its enter.
    waits = trace.sql(
        "select max(wan_ns) as longest from chains join collectives using (collective_id) "
        "where op = 'MPI_Allreduce' group by collective_id"
    )["longest"].to_pylist()
    assert sum(wait >= WAN_NS for wait in waits) > len(waits) / 2


@pytest.mark.parametrize("mpi", MPIS, ids=[mpi.release for mpi in MPIS])
def test_over_a_tree_of_the_library_those_pay_whose_way_to_the_root_leads_to_the_other_site(
    mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    # From rank 1. Open MPI sends to each rank. MPICH's binomial tree counts ranks from the root, so rank 0 is the last
    # one, below rank 7 on the other site.
    trace = untouched(mpi, "bcast", tmp_path)
    (row,) = [row for row in trace.algorithms().to_pylist() if row["op"] == "MPI_Bcast"]
    is_linear = mpi.flavour == "openmpi"
    assert (row["algorithm"], row["crossings"]) == (("linear", 1) if is_linear else ("binomial", 2))
    tree = {row["rank"]: row["parent"] for row in trace.trees().to_pylist() if row["role"] == "down"}
    binomial = {0: 7, 1: None, 2: 1, 3: 1, 4: 3, 5: 1, 6: 5, 7: 5}
    assert tree == (dict.fromkeys(range(8), 1) | {1: None} if is_linear else binomial)
    shares = {row["scope"]: row["share"] for row in trace.wan_share().to_pylist()}
    assert shares["B"] > 0.5
    assert shares["A"] == 0 if is_linear else shares["A"] > 0.5
