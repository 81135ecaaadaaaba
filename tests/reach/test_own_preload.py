"""Commands that set or drop LD_PRELOAD themselves: the collector joins the values where it can, and one line names the
rest."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch.preload import join_preload, loss_reason

HOPSCOPE = Path(sys.executable).parent / "hopscope"
HEAT_PLATE = local_mpi.ROOT / "demo" / "heat_plate.c"
SMALL = ("--size", "32", "--iterations", "10", "--tolerance", "0", "--quiet")
LIBRARY = "/opt/libhopscope.so"
SITE_LIBRARY = "/usr/lib/libother.so"


@pytest.mark.parametrize(
    ("words", "with_library"),
    [
        ("mpirun -x LD_PRELOAD={0} -n 2 ./a", "mpirun -x LD_PRELOAD={1}:{0} -n 2 ./a"),
        ("mpirun -n 2 env A=1 LD_PRELOAD= ./a", "mpirun -n 2 env A=1 LD_PRELOAD={1} ./a"),
        ("mpirun -n 2 env -u B LD_PRELOAD={1}:{0} ./a", "mpirun -n 2 env -u B LD_PRELOAD={1}:{0} ./a"),
        ("mpiexec -genv LD_PRELOAD {0} -n 2 ./a", "mpiexec -genv LD_PRELOAD {1}:{0} -n 2 ./a"),
        ("srun --export=ALL,LD_PRELOAD={0} ./a", "srun --export=ALL,LD_PRELOAD={1}:{0} ./a"),
        ("mpirun -n 2 ./a LD_PRELOAD={0}", "mpirun -n 2 ./a LD_PRELOAD={0}"),
    ],
)
def test_the_collector_stands_before_what_a_command_line_preloads(words: str, with_library: str) -> None:
    assert (
        join_preload(words.format(SITE_LIBRARY, LIBRARY).split(), LIBRARY)
        == with_library.format(SITE_LIBRARY, LIBRARY).split()
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("mpirun -n 2 env -i PATH=/bin true", "`env -i` drops LD_PRELOAD"),
        ("mpirun -n 2 env -u LD_PRELOAD true", "`env` takes LD_PRELOAD away"),
        ("mpirun -n 2 env --unset=LD_PRELOAD true", "`env` takes LD_PRELOAD away"),
        ("srun --export=NONE true", "`srun --export=NONE` drops LD_PRELOAD"),
        ("mpirun -n 2 {folder}/apptainer exec image.sif true", "apptainer starts a container"),
        ("mpirun -n 2 {folder}/sudo true", "sudo drops LD_PRELOAD; run `hopscope run` as that user"),
        ("mpirun -n 2 {folder}/keeps.sh true", None),
        ("mpirun -n 2 true", None),
    ],
)
def test_the_words_that_drop_the_preload_are_named(words: str, reason: str | None, tmp_path: Path) -> None:
    for name in ("apptainer", "sudo", "keeps.sh"):
        script(tmp_path / name, "# LD_PRELOAD stays", 'exec "$@"')
    loss = loss_reason(words.format(folder=tmp_path).split())
    assert loss is None if reason is None else (loss or "").startswith(reason)


def test_a_program_that_the_dynamic_linker_preloads_nothing_into_is_named(tmp_path: Path) -> None:
    source = tmp_path / "alone.c"
    source.write_text("int main(void) { return 0; }")
    subprocess.run(["cc", "-static", str(source), "-o", str(tmp_path / "alone")], check=True)
    assert "alone is linked statically" in (loss_reason(["mpirun", str(tmp_path / "alone")]) or "")
    if os.geteuid() == 0:
        program = Path(shutil.copy("/bin/true", tmp_path / "privileged"))
        shutil.chown(program, "nobody")
        program.chmod(0o4755)
        assert "privileged runs with the rights of another user" in (loss_reason(["mpirun", str(program)]) or "")


def test_jobs_that_set_the_preload_are_recorded_and_a_script_that_replaces_it_is_named(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    program = str(first_mpi.compile(HEAT_PLATE))
    libm = next(path for path in Path("/lib").glob("*/libm.so.6"))
    prepending = script(tmp_path / "keeps.sh", f"export LD_PRELOAD={libm}${{LD_PRELOAD:+:$LD_PRELOAD}}", 'exec "$@"')
    replacing = script(tmp_path / "replaces.sh", f"export LD_PRELOAD={libm}", 'exec "$@"')
    launch = first_mpi.launch(2)
    for number, words in enumerate(
        (
            [launch[0], "-x", f"LD_PRELOAD={libm}", *launch[1:], program],
            [*launch, "env", "LD_PRELOAD=", program],
            [*launch, str(prepending), program],
        )
    ):
        assert "the trace is in" in run(words, tmp_path / f"recorded-{number}")
    stderr = run([*launch, str(replacing), program], tmp_path / "none")
    assert f"line 2 of {replacing} changes LD_PRELOAD (`export LD_PRELOAD={libm}`)" in stderr


def test_a_program_with_the_address_sanitizer_runs_and_is_recorded(mpi: local_mpi.LocalMpi, tmp_path: Path) -> None:
    program = str(mpi.compile(HEAT_PLATE, "-fsanitize=address", name="sanitized"))
    assert "the trace is in" in run([*mpi.launch(2), program], tmp_path / "trace", ASAN_OPTIONS="detect_leaks=0")


def script(path: Path, *lines: str) -> Path:
    """An executable shell script with these lines."""
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def run(words: list[str], trace: Path, **variables: str) -> str:
    """The stderr of `hopscope run`, whose job must end well."""
    prefix = [str(HOPSCOPE), "run", "--no-diagnosis", "--dir", str(trace), "--"]
    environment = {**os.environ, **variables}
    done = subprocess.run([*prefix, *words, *SMALL], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr
