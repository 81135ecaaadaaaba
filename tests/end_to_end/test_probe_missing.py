"""`analyze remap --probe-missing` starts a job that measures what the run did not."""

import shlex
from pathlib import Path
from typing import Any

import hopscope
import local_mpi
import pytest
from click.testing import CliRunner
from hopscope.cli.main import analyze as analyze_group
from hopscope.errors import InputError
from hopscope.tuning.installed import flavour_of
from jobs import HEAT_PLATE, Run, analyze, by_key

HOSTS = [{"name": name, "cluster": "A"} for name in ("a", "b", "c", "d")]
TOPOLOGY: dict[str, Any] = {"schema_version": 1, "hosts": HOSTS, "placement": "block"}


@pytest.mark.networks
def test_pairs_of_hosts_that_no_hop_measured_are_measured(first_mpi: local_mpi.LocalMpi, traced: Run) -> None:
    program = first_mpi.compile(HEAT_PLATE)
    words = ("--size", "64", "--iterations", "30", "--tolerance", "0", "--late-rank", "3", "--late-ms", "5")
    job = traced(first_mpi, 4, program, *words, tree="chain", topology=TOPOLOGY)
    assert job.code == 0, job.err
    asked = ("remap", "--search", "0", "--algorithms", "tree")
    before = by_key(analyze(job.trace, *asked), "name")
    assert before["flat"]["unmeasured_pairs"] == 2
    launcher = shlex.join(first_mpi.launch(4))
    after = by_key(analyze(job.trace, *asked, "--probe-missing", launcher), "name")
    assert {row["unmeasured_pairs"] for row in after.values() if row["predicted_low_ns"] < row["measured_ns"]} == {0}
    # What the run measured is its own.
    assert after["today: chain"]["predicted_ns"] == before["today: chain"]["predicted_ns"]


DEMO = local_mpi.ROOT / "sample_traces" / "demo" / "trace"


def refused(*words: str) -> str:
    """What is said of options for which nothing is judged."""
    done = CliRunner().invoke(analyze_group, ["remap", str(DEMO), *words])
    assert done.stdout == "" and "replaying" not in done.stderr
    # Both end the command with code 2 and a line.
    assert isinstance(done.exception, InputError) or done.exit_code == 2, done.exception
    return done.stderr + str(done.exception)


@pytest.mark.parametrize(
    ("launcher", "said"),
    [("mpirun 'x", "cannot be read: No closing quotation"), ("", "takes the launcher"), ("no-such -n 2", "no-such")],
)
def test_a_launcher_that_starts_no_probe_is_refused_at_once(launcher: str, said: str) -> None:
    """An open quotation mark was a traceback, and a launcher that does not exist was said after half a minute."""
    assert said in refused("--probe-missing", launcher)


@pytest.mark.parametrize("mpi", local_mpi.find(), ids=lambda mpi: mpi.flavour)
def test_a_launcher_of_other_ranks_or_of_another_library_is_refused_at_once(mpi: local_mpi.LocalMpi) -> None:
    """Regression: a run of Open MPI was judged by what MPICH takes for a message."""
    said = refused("--probe-missing", shlex.join(mpi.launch(3)))
    run = hopscope.open(DEMO).run_facts
    is_its = mpi.flavour == flavour_of(run["mpi_library"])
    assert (f"would start 3 ranks and the run had {run['ranks']}" if is_its else "takes other times") in said


def test_where_nothing_can_be_written_is_said_before_anything_is_judged(tmp_path: Path) -> None:
    """Regression: it was said at the end, or never where no tree is suggested."""
    assert "name another place" in refused("-o", str(tmp_path / "none" / "tree.json"))
