"""MCA parameters on the user's command line, beside those that keep Open MPI on a network."""

from pathlib import Path

import hopscope
import local_mpi
import pytest
from hopscope.errors import InputError
from hopscope.launch.network.mca import reconcile
from networks import run, topology

WAN = {"links": {"wan": {"latency_ns": 1_000_000}}}
PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "sites.c"
OPEN_MPIS = [mpi for mpi in local_mpi.find_all() if mpi.flavour == "openmpi"]
NETWORK_WORDS = (
    "--mca pml ob1 --mca btl vader,tcp,self --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 1 --bind-to none"
)


def reconciled(user_words: str) -> tuple[str, str]:
    """The remaining options of the network, and those of the user."""
    network_words, words = reconcile(f"mpirun -n 2 {user_words} ./app".split(), NETWORK_WORDS.split())
    return " ".join(network_words), " ".join(words)


@pytest.mark.parametrize(
    ("user_words", "left_out"),
    [
        ("--mca pml ob1", "--mca pml ob1 "),
        ("-gmca pml ob1", "--mca pml ob1 "),
        ("--omca btl self,tcp", "--mca btl vader,tcp,self "),
        ("--mca btl_tcp_if_include eth0", "--mca btl_tcp_if_include eth0 "),
        ("--mca mpi_yield_when_idle 0", "--mca mpi_yield_when_idle 1 "),
        ("--mca coll_tuned_use_dynamic_rules 1 --mca mpi_x pml", ""),
    ],
)
def test_a_parameter_that_the_user_sets_for_the_network_is_not_set_twice(user_words: str, left_out: str) -> None:
    assert reconciled(user_words) == (NETWORK_WORDS.replace(left_out, ""), f"mpirun -n 2 {user_words} ./app")


@pytest.mark.parametrize("user_words", ["--mca pml ^ucx,cm", "--mca btl ^openib", "-mca btl_tcp_if_exclude lo,docker0"])
def test_an_exclusion_gives_way_to_a_value_that_keeps_to_it(user_words: str) -> None:
    assert reconciled(user_words) == (NETWORK_WORDS, "mpirun -n 2 ./app")


@pytest.mark.parametrize(
    ("user_words", "requirement"),
    [
        ("--mca pml ucx", "--mca pml ob1"),
        ("--mca pml ^ob1", "--mca pml ob1"),
        ("--gmca pml ob1,ucx", "--mca pml ob1"),
        ("--mca btl vader,self", "btl with tcp and self"),
        ("--mca btl ^vader", "btl with tcp and self"),
        ("--mca btl tcp,self,openib", "btl with tcp and self"),
        ("--mca btl_tcp_if_include ib0", "--mca btl_tcp_if_include eth0"),
        ("--mca btl_tcp_if_exclude eth0", "--mca btl_tcp_if_include eth0"),
    ],
)
def test_a_parameter_that_leads_past_the_network_is_refused(user_words: str, requirement: str) -> None:
    with pytest.raises(InputError) as refused:
        reconciled(user_words)
    assert f"option `{user_words}` does not fit --net" in str(refused.value)
    assert requirement in str(refused.value)


def test_parameters_behind_the_program_are_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app").write_text("")
    words = ["mpirun", "-n", "2", "./app", "--mca", "pml", "ucx"]
    assert reconcile(words, NETWORK_WORDS.split()) == (NETWORK_WORDS.split(), words)


def test_a_variable_that_excludes_interfaces_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # For Open MPI this contradicts btl_tcp_if_include, so it connects no ranks.
    monkeypatch.setenv("OMPI_MCA_btl_tcp_if_exclude", "lo")
    with pytest.raises(InputError, match=r"OMPI_MCA_btl_tcp_if_exclude=lo is set.*unset it"):
        reconciled("--mca pml ob1")


@pytest.mark.usefixtures("machine_can")
@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=[mpi.release for mpi in OPEN_MPIS])
def test_a_job_that_sets_the_networks_parameters_itself_runs_on_it(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    # Regression: release 4 ended with "listed multiple times", release 5 with "conflicting values".
    file = topology(tmp_path, {"A": 1, "B": 1}, WAN)
    user_words = "--mca pml ob1 -mca btl tcp,self --mca btl_tcp_if_include eth0 --mca mpi_yield_when_idle 0"
    words = ["--", mpi.launcher, "-n", "2", *user_words.split(), str(mpi.compile(PROGRAM))]
    done = run(tmp_path, file, *words)
    assert done.returncode == 0, done.stderr
    wan = [hop for hop in hopscope.open(tmp_path / "trace").table("hops").to_pylist() if hop["link"] == "wan"]
    assert min(hop["recv_end_ns"] - hop["send_begin_ns"] for hop in wan) >= 1_000_000


@pytest.mark.usefixtures("machine_can")
@pytest.mark.parametrize("mpi", OPEN_MPIS, ids=[mpi.release for mpi in OPEN_MPIS])
def test_a_job_that_would_leave_the_network_is_not_started(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    file = topology(tmp_path, {"A": 1, "B": 1}, WAN)
    done = run(tmp_path, file, "--", mpi.launcher, "-n", "2", "--mca", "pml", "ucx", str(mpi.compile(PROGRAM)))
    assert (done.returncode, done.stdout) == (2, "")
    assert "option `--mca pml ucx` does not fit --net" in done.stderr
    assert not (tmp_path / "trace").exists()
