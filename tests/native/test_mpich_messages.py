"""MPICH's own messages inside blocking collectives: each is recorded at both ends, if that is requested and the build
of the library is known."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import local_mpi
import pytest
from local_mpi import MPICH_IN_MESSAGES
from messages import MPICH, Messages, facts, matches_one_to_one, messages, recorded

pytestmark = pytest.mark.usefixtures("many_ranks_on_few_cores")

PROGRAMS = Path(__file__).parent / "programs"
# A power of two and another number. A slice has the other numbers.
CASES = [
    pytest.param(mpi, ranks, id=f"{mpi.release}-{ranks}", marks=[] if ranks in (3, 8) else pytest.mark.statistics)
    for mpi in [*MPICH, *local_mpi.find_intel()]
    for ranks in (2, 3, 4, 6, 8, 13)
]


def traced(
    shared: Path, mpi: local_mpi.LocalMpi, ranks: int, *words: str, program: str = "collectives.c", **environment: str
) -> Path:
    start = [*mpi.launch(ranks), str(mpi.compile(PROGRAMS / program, "-pthread")), *words]
    return recorded(shared, start, **{**MPICH_IN_MESSAGES, **patience(mpi, ranks), **environment})


def patience(mpi: local_mpi.LocalMpi, ranks: int) -> dict[str, str]:
    """The environment variables for a job. Up to three ranks poll, as ranks of the library do by themselves; more ranks
    yield, because they would take all cores of the machine."""
    return mpi.patience() if ranks > 3 else {}


@pytest.mark.parametrize(("mpi", "ranks"), CASES)
def test_sends_and_receives_of_blocking_collectives_match_one_to_one(
    mpi: local_mpi.LocalMpi, ranks: int, shared: Path
) -> None:
    trace = traced(shared, mpi, ranks)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    counts = facts(trace)
    assert counts and counts["off"] is None and counts["lost"] == 0


@pytest.mark.parametrize("cliques", ["MPIR_CVAR_ODD_EVEN_CLIQUES", "MPIR_CVAR_NUM_CLIQUES"])
def test_messages_on_communicators_of_the_library_have_the_ranks_of_the_applications(
    cliques: str, mpich: local_mpi.LocalMpi, shared: Path
) -> None:
    """With several hosts, which these variables simulate, collectives work inside them and between them."""
    value = "1" if cliques.endswith("EVEN_CLIQUES") else "3"
    trace = traced(shared, mpich, 6, **{cliques: value})
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    pairs = Counter((message.source, message.destination) for message in run_messages.sent)
    assert max(max(pair) for pair in pairs) == 5


FAST_GROUPS = [(3, "0"), (6, "1")]
GROUPS = [
    pytest.param(ranks, cliques, marks=[] if (ranks, cliques) in FAST_GROUPS else pytest.mark.statistics)
    for ranks, cliques in [(2, "0"), *FAST_GROUPS, (8, "0")]
]


@pytest.mark.parametrize(("ranks", "cliques"), GROUPS)
def test_messages_on_intercommunicators_match_between_groups_and_inside_them(
    mpich: local_mpi.LocalMpi, ranks: int, cliques: str, shared: Path
) -> None:
    """Regression: inside a group, messages use communicators that MPICH hides. All of these messages were left out."""
    settings = {"MPIR_CVAR_ODD_EVEN_CLIQUES": cliques}
    trace = traced(shared, mpich, ranks, "blocking", program="intercomm.c", **settings)
    run_messages = messages(trace)
    assert matches_one_to_one(run_messages)
    same_group = [(m.source % 3 == 0) == (m.destination % 3 == 0) for m in run_messages.sent]
    assert (any(same_group), all(same_group)) == (ranks > 2, False)
    counts = facts(trace)
    assert counts and counts["lost"] == 0


def test_messages_of_threads_match(mpich: local_mpi.LocalMpi, shared: Path) -> None:
    trace = traced(shared, mpich, 4, program="threaded.c")
    assert matches_one_to_one(messages(trace))


def test_of_every_third_collective_both_ends_are_recorded_and_of_the_others_none(
    mpich: local_mpi.LocalMpi, shared: Path
) -> None:
    run_messages = messages(traced(shared, mpich, 4, HOPSCOPE_NATIVE="mpich:every:3"))
    assert matches_one_to_one(run_messages)
    by_comm: dict[str, set[int]] = {}
    for message in run_messages.sent:
        by_comm.setdefault(message.comm, set()).add(message.seq % 3)
    assert all(len(rests) == 1 for rests in by_comm.values())


@pytest.mark.parametrize("setting", ["0", "", "1", "every:3"])
def test_nothing_is_recorded_where_mpich_is_not_asked_for_by_name(
    setting: str, mpich: local_mpi.LocalMpi, shared: Path
) -> None:
    trace = traced(shared, mpich, 2, HOPSCOPE_NATIVE=setting)
    assert messages(trace) == Messages()
    assert facts(trace) is None


@pytest.fixture
def other_build(tmp_path: Path) -> Path:
    """An untested build of MPICH 4: the installed file with one more byte, which is never mapped."""
    mpi = _mpich_4()
    words = ["ldd", str(mpi.compile(PROGRAMS / "collectives.c"))]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    original = Path(next(line.split()[2] for line in lines if line.split()[0] == "libmpich.so.12"))
    library = tmp_path / "lib" / original.name
    library.parent.mkdir()
    library.write_bytes(original.read_bytes() + b"\n")
    return library


def _mpich_4() -> local_mpi.LocalMpi:
    mpi = next((mpi for mpi in MPICH if mpi.release == "mpich-4"), None)
    if mpi is None:
        pytest.skip("no MPICH 4 here (tools/setup system test)")
    return mpi


def verified(mpi: local_mpi.LocalMpi, **environment: str) -> subprocess.CompletedProcess[str]:
    hopscope = Path(sys.executable).with_name("hopscope")
    words = [str(hopscope), "native", "--verify", "--", mpi.launcher, str(mpi.compile(PROGRAMS / "collectives.c"))]
    settings = {**os.environ, **mpi.patience(), **environment}
    return subprocess.run(words, env=settings, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.releases
def test_a_build_that_was_not_tested_is_left_alone_until_it_is_verified(other_build: Path, tmp_path: Path) -> None:
    mpi = _mpich_4()
    environment = {"LD_LIBRARY_PATH": str(other_build.parent), "XDG_CONFIG_HOME": str(tmp_path / "settings")}
    first_folder, second_folder = tmp_path / "before", tmp_path / "after"
    first_folder.mkdir()
    second_folder.mkdir()
    trace = traced(first_folder, mpi, 2, **environment)
    assert messages(trace) == Messages()
    counts = facts(trace)
    assert counts and str(other_build) in str(counts["off"])

    done = verified(mpi, **environment)
    assert done.returncode == 0, done.stderr
    assert "already in" not in done.stderr
    listing = (tmp_path / "settings" / "hopscope" / "native").read_text()
    assert listing == f"{hashlib.sha256(other_build.read_bytes()).hexdigest()}  {other_build}\n"
    assert matches_one_to_one(messages(traced(second_folder, mpi, 2, **environment)))


@pytest.mark.releases
def test_a_build_in_which_a_function_is_not_found_does_not_pass(other_build: Path, tmp_path: Path) -> None:
    content = other_build.read_bytes()
    other_build.write_bytes(content.replace(b"MPIC_Sendrecv_replace\0", b"XPIC_Sendrecv_replace\0"))
    environment = {"LD_LIBRARY_PATH": str(other_build.parent), "XDG_CONFIG_HOME": str(tmp_path / "settings")}
    done = verified(_mpich_4(), **environment)
    assert done.returncode == 1
    assert "MPIC_Sendrecv_replace was not found" in done.stderr
    assert not (tmp_path / "settings").exists()


def test_only_mpich_has_to_be_verified() -> None:
    mpi = next((mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"), None)
    if mpi is None:
        pytest.skip("no Open MPI here (tools/setup system test)")
    done = verified(mpi)
    assert done.returncode == 2
    assert "only builds of MPICH" in done.stderr
