"""The environment and the command line that `hopscope run` and `hopscope preload` make."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import local_mpi
import pytest
from hopscope.errors import InputError
from hopscope.launch import building
from hopscope.launch.building import build_collector
from hopscope.launch.command import Request, environment, launcher_words, named_program, preload_words, rank_count
from hopscope.launch.elf import exported_names
from hopscope.launch.installed import MpiLibrary, collector_library, fitting_collector, what_goes_unseen
from hopscope.launch.mpi_library import check_named_mpi, default_directory, find_mpi, find_program, missing_program
from hopscope.launch.refusals import likely_refusal

BIN = Path(sys.executable).parent
HEAT_PLATE = Path(__file__).parents[2] / "demo" / "heat_plate.c"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "lib" / "hopscope"
    folder.mkdir(parents=True)
    (folder / "libhopscope-openmpi-4.so").touch()
    monkeypatch.setenv("HOPSCOPE_COLLECTOR_DIR", str(tmp_path))
    return folder


def test_a_library_that_is_preloaded_already_stays_after_the_collector_s(installed: Path) -> None:
    variables = environment(Request("openmpi"), {"LD_PRELOAD": "/opt/other.so"})
    assert variables == {"LD_PRELOAD": f"{installed / 'libhopscope-openmpi-4.so'}:/opt/other.so"}


def test_a_collector_in_the_environment_is_not_preloaded_twice(installed: Path) -> None:
    library = str(installed / "libhopscope-openmpi-4.so")
    assert environment(Request("openmpi"), {"LD_PRELOAD": library}) == {"LD_PRELOAD": library}


def test_a_collector_whose_path_the_linker_would_split_is_refused(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the job would run unrecorded, with an error line for each process."""
    split = tmp_path / "with blank"
    shutil.copytree(installed, split / "lib" / "hopscope")
    monkeypatch.setenv("HOPSCOPE_COLLECTOR_DIR", str(split))
    with pytest.raises(InputError, match="cannot be preloaded"):
        environment(Request("openmpi"), {})


def test_the_prefix_carries_every_setting(installed: Path) -> None:
    topology = Path("/topology.json")
    request = Request("openmpi", directory=Path("/t"), tree="binomial", topology=topology, record="collectives")
    assert preload_words(request, {}) == [
        "env",
        f"LD_PRELOAD={installed / 'libhopscope-openmpi-4.so'}",
        "HOPSCOPE_DIR=/t",
        "HOPSCOPE_TREE=binomial",
        "HOPSCOPE_TOPOLOGY=/topology.json",
        "HOPSCOPE_RECORD=collectives",
    ]


def test_a_flavour_that_was_not_built_is_named_with_how_to_build_it(installed: Path) -> None:
    assert installed.is_dir()
    with pytest.raises(InputError, match=r"libhopscope-mpich\.so is not installed .*hopscope build --mpicc"):
        collector_library("mpich")


def test_open_mpi_s_launcher_is_told_what_to_hand_on() -> None:
    words = launcher_words(
        ["/usr/bin/mpirun.openmpi", "-n", "2", "./a"], "openmpi", {"LD_PRELOAD": "x", "HOPSCOPE_DIR": "y"}
    )
    assert words == ["/usr/bin/mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "HOPSCOPE_DIR", "-n", "2", "./a"]


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        ("mpirun -n 8 python -n 2", 8),
        ("/opt/bin/mpiexec.hydra -ppn 2 -np 4 env A=1 python", 4),
        ("mpirun python -n 2", None),
        ("mpirun -n 2 python : -n 3 python", None),
        ("srun --ntasks 16 python", 16),
        ("mpirun -n $N python", None),
        ("flux run -n 3 python", None),
    ],
)
def test_the_launcher_s_own_options_say_how_many_ranks_there_are(words: str, ranks: int | None) -> None:
    assert rank_count(words.split()) == ranks


@pytest.mark.parametrize(
    ("words", "program"),
    [
        ("mpirun -n 8 sleep 5", "sleep"),
        ("mpirun sleep", "sleep"),
        ("mpirun -n 8 --host sleep --mca btl sleep", None),
        ("mpiexec -genv WORD sleep -n 8", None),
        ("mpirun -n 8 --oversubscribe", None),
        ("taskset -c 0 mpirun -n 8", None),
        ("taskset -c 0 mpirun -n 8 sleep", "sleep"),
        ("flux run -n 8 sleep", None),
    ],
)
def test_a_program_is_told_from_the_launcher_s_options(words: str, program: str | None) -> None:
    """Regression: `hopscope probe -- mpirun -n 2 sleep 5` ended with sleep's own message."""
    assert named_program(words.split()) == program


def test_a_hydra_that_is_called_mpirun_is_not_given_open_mpi_s_option(tmp_path: Path) -> None:
    hydra = next((mpi.launcher for mpi in local_mpi.find() if mpi.flavour == "mpich"), None)
    if hydra is None:
        pytest.skip("MPICH's launcher is not on this machine")
    (tmp_path / "mpirun").symlink_to(hydra)
    words = [str(tmp_path / "mpirun"), "-n", "2", "./a"]
    assert launcher_words(words, "openmpi", {"A": "1"}) == words


@pytest.mark.parametrize(("launcher", "flavour"), [("srun", "openmpi"), ("mpirun", "mpich")])
def test_other_launchers_hand_the_environment_on_by_themselves(launcher: str, flavour: str) -> None:
    assert launcher_words([launcher, "-n", "2", "./a"], flavour, {"A": "1"}) == [launcher, "-n", "2", "./a"]


@pytest.mark.parametrize("mpi", local_mpi.find(), ids=lambda mpi: mpi.flavour)
def test_the_program_s_libraries_say_which_mpi_it_is(mpi: local_mpi.LocalMpi) -> None:
    words = ["env", "-n", "8", str(mpi.compile(HEAT_PLATE)), "--size", "64"]
    library = find_mpi(words)
    assert library.flavour == mpi.flavour
    assert library.path is not None
    assert library.path.is_file()
    assert find_program(words) == "heat_plate"


@pytest.mark.parametrize("mpi", local_mpi.find_all(), ids=lambda mpi: mpi.release)
def test_the_collector_of_its_own_release_is_chosen_for_a_program(mpi: local_mpi.LocalMpi) -> None:
    collector = fitting_collector(find_mpi([mpi.launcher, str(mpi.compile(HEAT_PLATE))]))
    # A collector of a newer release is as good, if it sees no less and needs nothing that this MPI library lacks.
    assert collector.partition("-")[0] == mpi.flavour
    assert exported_names(collector_library(collector)) >= exported_names(collector_library(mpi.release))


@pytest.mark.parametrize("mpi", local_mpi.find_all(), ids=lambda mpi: mpi.release)
def test_no_collector_exports_what_its_mpi_library_lacks(mpi: local_mpi.LocalMpi) -> None:
    library = find_mpi([mpi.launcher, str(mpi.compile(HEAT_PLATE))]).path
    assert library is not None
    exports = {name for name in exported_names(collector_library(mpi.release)) if name.startswith(("MPI_", "MPIX_"))}
    assert len(exports) > 90
    assert exports - exported_names(library) == set()


def test_where_no_collector_fits_the_command_that_makes_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.flavour == "openmpi")
    monkeypatch.setenv("HOPSCOPE_COLLECTOR_DIR", str(tmp_path))
    library = find_mpi([str(mpi.compile(HEAT_PLATE))])
    with pytest.raises(InputError, match=r"no installed collector fits .* hopscope build --mpicc "):
        fitting_collector(library)


@pytest.mark.parametrize("mpi", local_mpi.find_all(), ids=lambda mpi: mpi.release)
def test_what_a_collector_for_an_older_release_does_not_see_is_said(
    mpi: local_mpi.LocalMpi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = find_mpi([mpi.launcher, str(mpi.compile(HEAT_PLATE))])
    assert what_goes_unseen(library, fitting_collector(library)) is None
    oldest = collector_library(mpi.flavour)
    monkeypatch.setenv("HOPSCOPE_COLLECTOR_DIR", str(tmp_path))
    shutil.copy(oldest, tmp_path)
    warning = what_goes_unseen(library, fitting_collector(library))
    if oldest.stem.endswith(mpi.release):
        assert warning is None
    else:
        assert warning is not None
        assert "MPI_Request_get_status_all" in warning if mpi.flavour == "mpich" else "MPI_Allgather_init" in warning
        assert "hopscope build --mpicc" in warning


def test_building_with_what_is_no_mpi_wrapper_says_so(tmp_path: Path) -> None:
    for compiler in ("false", "cc"):
        with pytest.raises(InputError, match="not an MPI compiler wrapper"):
            build_collector(compiler, tmp_path)


def test_a_collector_is_built_by_one_compiler_a_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Regression: `cmake --build --parallel` without a number started 144 compilers on two cores.
    tools = tmp_path / "tools"
    tools.mkdir()
    script = '#!/bin/sh\necho "$*" >>"$0.words"\n[ "$1" != --build ] || touch "$2/libhopscope-openmpi-4.so"\n'
    (tools / "cmake").write_text(script)
    (tools / "cmake").chmod(0o755)
    monkeypatch.setattr(building, "_tool", lambda name: tools / name)
    build_collector(local_mpi.find()[0].compiler, tmp_path)
    build = next(line for line in (tools / "cmake.words").read_text().splitlines() if line.startswith("--build"))
    assert build.split()[2:] == ["--parallel", str(len(os.sched_getaffinity(0)))]


def test_a_launcher_decides_where_the_program_cannot_be_seen() -> None:
    for mpi in local_mpi.find():
        assert find_mpi([mpi.launcher, "-n", "2", "sh", "-c", "./a"]) == MpiLibrary(mpi.flavour)


def test_a_script_goes_with_its_interpreter(tmp_path: Path) -> None:
    mpi = local_mpi.find()[0]
    script = tmp_path / "job"
    script.write_text(f"#!/usr/bin/env {mpi.compile(HEAT_PLATE)}\n")
    script.chmod(0o755)
    assert find_mpi(["nice", str(script)]).flavour == mpi.flavour


def test_a_program_with_mpi_inside_it_is_refused_in_a_sentence(tmp_path: Path) -> None:
    source = tmp_path / "static.c"
    source.write_text("int MPI_Init(void) { return 0; } int PMPI_Init(void) { return 0; } int main(void) { return 0; }")
    subprocess.run(["cc", str(source), "-o", str(tmp_path / "static")], check=True)
    with pytest.raises(InputError, match="links MPI statically"):
        find_mpi([str(tmp_path / "static")])


def test_a_damaged_program_has_no_names(tmp_path: Path) -> None:
    # Regression: sections that begin behind the end of the file, at 2^63, gave an OverflowError.
    program = bytearray(Path(sys.executable).read_bytes())
    program[40:48] = (1 << 63).to_bytes(8, "little")
    (tmp_path / "damaged").write_bytes(program)
    assert exported_names(tmp_path / "damaged") == set()


def test_a_launcher_that_is_not_there_is_said() -> None:
    with pytest.raises(InputError, match="no program named 'mpirum'"):
        find_mpi(["mpirum", "-n", "2", "./a"])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("mpirun -n 2 ./nope in.dat", r"no such program: \./nope \(looked for /.*/nope\)"),
        ("mpirun --host a:2 nope", r"no program named 'nope' in the PATH \(/"),
        ("mpirun ./data", r"\./data is not executable \(/.*/data\)"),
        ("mpirun env A=b ./folder", r"\./folder is a directory"),
        ("mpirun -n 2 env A=b true ./nope", None),
        ("mpirun bash -c './nope there'", None),
        ("./nope", None),  # find_mpi reports it before anything starts
    ],
)
def test_a_program_that_is_not_there_is_named_with_where_it_was_looked_for(
    words: str, problem: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: the job failed, and the message was that the program is linked statically.
    (tmp_path / "data").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    missing = missing_program(words.split())
    assert missing is None if problem is None else missing is not None and re.match(problem, missing), missing


def test_the_collector_of_another_mpi_library_is_refused_before_the_job(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    program = str(first_mpi.compile(HEAT_PLATE))
    other_flavour = "mpich" if first_mpi.flavour == "openmpi" else "openmpi"
    check_named_mpi(first_mpi.release, ["mpirun", program])
    check_named_mpi(other_flavour, ["mpirun", "true"])
    with pytest.raises(
        InputError, match=f"is linked to .*, but --mpi {other_flavour} selects .*; drop --mpi, or give --mpi"
    ):
        check_named_mpi(other_flavour, ["mpirun", program])


def test_where_nothing_tells_the_flavour_the_option_is_named() -> None:
    with pytest.raises(InputError, match="--mpi openmpi or --mpi mpich"):
        find_mpi(["sh", "-c", "true"])


def test_default_directories_count_up(tmp_path: Path) -> None:
    assert default_directory("./app.exe", tmp_path).name == "hopscope-app-1"
    (tmp_path / "hopscope-app-1").mkdir()
    assert default_directory("./app.exe", tmp_path).name == "hopscope-app-2"


def test_a_port_in_use_is_said_and_no_trace_is_served(tmp_path: Path) -> None:
    sample = HEAT_PLATE.parents[1] / "sample_traces" / "late_rank" / "trace"
    shutil.copytree(sample, tmp_path / "trace", ignore=shutil.ignore_patterns("dataset"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        words = [
            str(Path(sys.executable).parent / "hopscope"),
            "dashboard",
            str(tmp_path / "trace"),
            "--port",
            str(port),
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert f"cannot serve on 127.0.0.1, port {port}" in done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        # Regression: the option was taken for the program's own, and the job ran for hours without its tree.
        (["preload", "--mpi", "openmpi", "./app", "--tree", "binomial"], "--tree comes after ./app"),
        (["inspect", "no-such-trace"], "no-such-trace is not a directory"),
    ],
)
def test_words_that_would_do_nothing_are_refused(words: list[str], problem: str, installed: Path) -> None:
    done = subprocess.run([BIN / "hopscope", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert problem in done.stderr


def nothing_recorded(directory: Path, *program: str, interrupt: bool = False) -> str:
    """The output of `hopscope run` for a program whose run leaves no records."""
    words = [str(BIN / "hopscope"), "run", "--dir", str(directory / "t"), "--mpi", "openmpi", "--", *program]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        if interrupt:
            run.send_signal(signal.SIGINT)
        return run.stderr.read()


def test_a_job_that_recorded_nothing_is_told_why(tmp_path: Path) -> None:
    # Regression: for an interrupted job and for a refused tree, the message was that the program does not use MPI.
    assert "the program does not use MPI" in nothing_recorded(tmp_path, "echo", "hello")
    refused = nothing_recorded(tmp_path, "sh", "-c", "echo refused; exit 2")
    assert refused.endswith("ended with code 2, and nothing was recorded; the lines above say why\n")
    # Regression: so it was for a launcher that refused its options.
    failed = nothing_recorded(tmp_path, "sh", "-c", "echo refused; exit 1")
    assert "nothing was recorded. The lines above may say why; a launcher that refuses its options starts no" in failed
    interrupted = nothing_recorded(tmp_path, "sh", "-c", "echo begun; exec sleep 100", interrupt=True)
    assert interrupted.endswith("ended with code 130, and it was interrupted before any rank recorded\n")


@pytest.mark.parametrize(
    ("words", "environment", "is_root", "refusal"),
    [
        (
            "-n 2 ./app",
            {},
            True,
            "starts nothing as root; run as another user, or give mpirun.openmpi --allow-run-as-root",
        ),
        ("--allow-run-as-root -n 2 ./app", {}, True, None),
        ("-n 2 ./app", {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}, True, None),
        ("-n 2 ./app", {"OMPI_ALLOW_RUN_AS_ROOT": "1"}, True, "as root"),
        ("-n 2 ./app", {}, False, None),
        ("-n 9 ./app", {}, False, "has no slots for 9 ranks on 4 cores; give mpirun.openmpi --oversubscribe, or fewer"),
        ("--oversubscribe -n 9 ./app", {}, False, None),
        ("--map-by core:OVERSUBSCRIBE -n 9 ./app", {}, False, None),
        ("--host a:9 -n 9 ./app", {}, False, None),
        ("--host a:2,b -n 9 ./app", {}, False, "has no slots for 9 ranks on its hosts, which have 3; give"),
        ("--host a:2,b --oversubscribe -n 9 ./app", {}, False, None),
        ("--host a:* -n 9 ./app", {}, False, None),
    ],
)
def test_what_open_mpis_launcher_refuses_is_known_from_its_words(
    words: str, environment: dict[str, str], is_root: bool, refusal: str | None
) -> None:
    reason = likely_refusal(f"mpirun.openmpi {words}".split(), environment, is_root=is_root, cores=4)
    assert reason is None if refusal is None else refusal in (reason or "")
    assert likely_refusal(f"mpirun.mpich {words}".split(), environment, is_root=is_root, cores=4) is None


@pytest.mark.parametrize("wrong", ["late", "critical"])
def test_the_beginning_of_a_command_is_meant_for_it(wrong: str) -> None:
    done = subprocess.run([BIN / "analyze", wrong, "trace"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"Did you mean {wrong}-{'ranks' if wrong == 'late' else 'path'}?" in done.stderr


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("run --tre binomial -- mpirun -n 2 ./app", "'--tre'. Did you mean --tree?"),
        ("preload --tre binomial ./app", "'--tre'. Did you mean --tree?"),
        ("probe --second 3 -- mpirun -n 4", "'--second'. Did you mean --seconds?"),
        ("probe --oops -- mpirun -n 4", "'--oops'"),
        ("native --verfy -- mpirun -n 4 ./app", "'--verfy'. Did you mean --verify?"),
        ("net exec --oops sites.json a0 -- ip address", "'--oops'"),
    ],
)
def test_an_unknown_option_before_the_program_is_named_with_what_was_meant(words: str, problem: str) -> None:
    # Regression: the option was searched in the whole PATH; native ignored it.
    done = subprocess.run([str(BIN / "hopscope"), *words.split()], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"No such option {problem}" in done.stderr
    assert "PATH" not in done.stderr
