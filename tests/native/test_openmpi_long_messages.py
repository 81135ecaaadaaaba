"""Long messages of Open MPI between two distant hosts: their senders wait for a CTS."""

import shlex
from pathlib import Path

import hopscope
import local_mpi
import networks
import pytest
from hopscope.advice.remap import remap, sentence
from hopscope.replay.basis import basis_of
from hopscope.replay.fitting.rendezvous import ends_of, limits_of
from hopscope.replay.run.subject import source_of
from network_jobs import xfail_unless

pytestmark = pytest.mark.networks

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "programs" / "mix.c"
DELAY_NS = 20_000_000
LONG, SHORT = 262_144, 1024


@pytest.fixture(autouse=True, scope="module")
def machine_can() -> None:
    """Skips the test if this user may not make namespaces."""
    reason = networks.why_not()
    if reason:
        pytest.skip(f"two hosts: {reason}")


def recorded_run(mpi: local_mpi.LocalMpi, folder: Path, operation: str, *options: str) -> hopscope.Trace:
    """Runs ten iterations under coll/tuned, each with a long and a short message of an operation. Returns the trace."""
    folder.mkdir(exist_ok=True)
    sites = networks.topology(folder, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": DELAY_NS}}})
    words = [*mpi.launch(4), "--mca", "coll_han_priority", "0", *options, str(mpi.compile(PROGRAM)), "10", "1000"]
    done = networks.run(folder, sites, "--", *words, operation, str(LONG), operation, str(SHORT))
    assert done.returncode == 0, done.stdout + done.stderr
    return hopscope.open(folder / "trace")


def test_an_answer_takes_a_latency_and_a_message_at_least_one_more(
    open_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    trace = recorded_run(open_mpi, tmp_path, "bcast")
    limits = limits_of(ends_of(source_of(trace.table)))
    xfail_unless("wan" in limits, "no sender showed what it waited for")
    assert SHORT <= limits["wan"] < LONG
    wan = basis_of(trace.table, "openmpi").costs.links["wan"]
    for latency in (wan.answer_ns, wan.announced_ns):
        assert latency is not None and latency >= 0.9 * DELAY_NS


def test_the_file_makes_what_is_suggested_run(open_mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # The root receives one message after the other, each of which waits for its CTS.
    dynamic = ["--mca", "coll_tuned_use_dynamic_rules", "1"]
    linear = [*dynamic, "--mca", "coll_tuned_reduce_algorithm", "1"]
    trace, rules = recorded_run(open_mpi, tmp_path / "linear", "reduce", *linear), tmp_path / "rules"
    table = remap(trace, rules, library="openmpi", launcher=open_mpi.launcher)
    first = table.to_pylist()[0]
    # The replay of the baseline may differ too much from the run.
    xfail_unless(first["chosen"], sentence(table))
    words = shlex.split((table.schema.metadata or {})[b"words"].decode())
    rerun = recorded_run(open_mpi, tmp_path / "rerun", "reduce", *words)
    algorithms = {call["algorithm"] for call in rerun.table("calls").to_pylist() if call["bytes_sent"] == LONG}
    assert algorithms and "basic_linear" not in algorithms, first["name"]
