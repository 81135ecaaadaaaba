"""Clock offsets of a real job with a known truth: two machines that are really one have an offset of 0."""

import json
import os
import subprocess
from pathlib import Path

import local_mpi
import pytest
from hopscope.launch import collector_file, collector_library

# MPICH's UCX reads the boot id too. With two boot ids on one machine, MPI_Finalize sometimes hangs, with the collector
# and without.
OPEN_MPI = [mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"]

# Every other rank gets its own host name and boot id, by which the collector tells machines apart.
AS_ANOTHER_MACHINE = """#!/bin/sh
odd=$(( OMPI_COMM_WORLD_RANK % 2 ))
exec unshare --uts --mount sh -c "
    hostname host$odd
    echo 0000000$odd-0000-0000-0000-000000000000 > boot.$$
    mount --bind boot.$$ /proc/sys/kernel/random/boot_id
    LD_PRELOAD=$COLLECTOR exec $PROGRAM --iterations 50 --sleep-ms 2 --quiet"
"""


def can_pretend() -> bool:
    """True if this user can make namespaces. They need root, and a container may forbid them to root too."""
    words = ["unshare", "--uts", "--mount", "hostname", "elsewhere"]
    return os.geteuid() == 0 and subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_pretend(), reason="making host names up needs root and the right to make namespaces")
@pytest.mark.skipif(not OPEN_MPI, reason="Open MPI is not on this machine")
def test_measured_offsets_are_within_their_bounds_of_the_truth(tmp_path: Path) -> None:
    mpi = OPEN_MPI[0]
    script = tmp_path / "as_another_machine"
    script.write_text(AS_ANOTHER_MACHINE)
    script.chmod(0o755)
    trace = tmp_path / "trace"
    environment = {
        **os.environ,
        "HOPSCOPE_DIR": str(trace),
        "COLLECTOR": str(collector_library(mpi.flavour)),
        "PROGRAM": str(mpi.compile(local_mpi.ROOT / "demo" / "heat_plate.c")),
    }
    job = subprocess.run(
        [*mpi.launch(4), str(script)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        stdin=subprocess.DEVNULL,
    )
    assert job.returncode == 0, job.stderr
    subprocess.run([collector_file("hopscope-assemble"), trace], check=True)
    facts = json.loads((trace / "run.json").read_text())
    assert facts["complete"], facts["missing"]
    measured = [clock for clock in facts["clocks"] if clock["host"] == "host1"]
    assert len(measured) == 2, "at the start and at the end"
    # Both maps from ticks to ns come from calibration pairs, each accurate to about 100 ns.
    assert all(abs(clock["offset_ns"]) <= clock["bound_ns"] + 200 for clock in measured)
    assert all(clock["error_ns"] <= clock["bound_ns"] for clock in measured)
    printed = subprocess.run(
        ["otf2-print", "-C", trace / "traces.otf2"], capture_output=True, text=True, check=True
    ).stdout
    assert printed.count("CLOCK_OFFSET") == 8
