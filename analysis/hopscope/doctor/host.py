"""Findings on this host: cores, shared memory, and the folder of traces."""

from __future__ import annotations

import mmap
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hopscope.doctor.finding import Finding, finding_of
from hopscope.doctor.libraries import in_job
from hopscope.format.quantities import number, plural, size

SHARED_MEMORY = Path("/dev/shm")
MOUNTS = Path("/proc/self/mounts")
_RANK_BYTES = 8 << 20
"""Room in /dev/shm for a rank: MPICH 5 took 5.3 MB a rank on one host."""
_TRACE_BYTES = 1 << 30
"""Free space of a trace folder below which a long run may fill it: 50 million events of 20 bytes."""
_SHARED_FILE_SYSTEMS = re.compile(
    r"nfs\d?|lustre|gpfs|beegfs\w*|ceph|cifs|smb3|glusterfs|pvfs2|orangefs|panfs|afs|ocfs2|gfs2|wekafs|dvs|"
    r"fuse\.(ceph\w*|glusterfs|beegfs\w*|sshfs|quobyte|daos|dfuse|juicefs|lustre|moosefs|lizardfs|cvmfs2)"
)
"""File systems that several hosts mount."""


def core_finding() -> Finding:
    """The cores that this process may use."""
    total, usable = os.cpu_count() or 1, len(os.sched_getaffinity(0))
    limit = cpu_limit(Path("/proc/self/cgroup").read_text(), MOUNTS.read_text())
    job = in_job()
    of_job = f" (in {job})" if job else ""
    sentence = f"{number(usable)} of {plural(total, 'core')} may be used{of_job}"
    if limit is not None and limit < usable:
        message = (
            f"{sentence}, but a control group limits this process to the time of {number(limit)}; start at most that "
            "many ranks, or raise the limit (docker run --cpus)"
        )
        return finding_of("cores", "caution", message)
    if usable == 1:
        return finding_of("cores", "caution", f"{sentence}; ranks will take turns, so trust no durations")
    return Finding("cores", "ok", sentence)


def cpu_limit(groups: str, mounts: str) -> float | None:
    """The number of cores whose time the control groups of a process allow; None without a limit.

    groups: the text of /proc/self/cgroup. mounts: that of /proc/self/mounts.
    """
    limits: list[float] = []
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        for _, point, kind, options in _mounts(mounts):
            if kind == "cgroup2" and not controllers:
                limits += _limits(point, path, ("cpu.max",))
            elif kind == "cgroup" and "cpu" in controllers.split(",") and "cpu" in options.split(","):
                limits += _limits(point, path, ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
    return min(limits, default=None)


def _limits(mount: Path, path: str, names: tuple[str, ...]) -> Iterator[float]:
    """The limits of a control group and of the groups that contain it, in cores."""
    group = mount / path.lstrip("/")
    for folder in [group, *group.parents]:
        if not folder.is_relative_to(mount) or not all((folder / name).is_file() for name in names):
            continue
        quota, period = " ".join((folder / name).read_text().strip() for name in names).split()
        if quota not in ("max", "-1"):
            yield int(quota) / int(period)


def shared_memory_finding(folder: Path = SHARED_MEMORY) -> Finding:
    """The room for shared memory, which ranks of one host use."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        message = f"{folder} is missing or not writable, so ranks cannot share memory; mount a tmpfs there"
        return finding_of("/dev/shm", "caution", message)
    usage, cores = shutil.disk_usage(folder), len(os.sched_getaffinity(0))
    sentence = f"{folder} has {size(usage.free)} free of {size(usage.total)}"
    if usage.free < _RANK_BYTES * max(cores, 2):
        message = f"{sentence}, too little for a rank on each core; remove old files there, or mount it larger"
        return finding_of("/dev/shm", "caution", f"{message} (docker run --shm-size)")
    return Finding("/dev/shm", "ok", sentence)


def trace_folder_findings(folder: Path) -> list[Finding]:
    """The room in a folder for traces, which may not exist yet, and the hosts that see it."""
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    fault = _fault(place)
    if fault:
        message = f"Traces cannot be written into {place}: {fault}; name another folder with --dir"
        return [finding_of("trace folder", "problem", message)]
    free = shutil.disk_usage(place).free
    sentence = f"{place} can be written and has {size(free)} free"
    room = Finding("trace folder", "ok", sentence)
    if free < _TRACE_BYTES:
        room = finding_of("trace folder", "caution", f"{sentence}; free some space, or name another folder with --dir")
    return [room, _visibility(place)]


def _fault(folder: Path) -> str | None:
    """The reason why recordings cannot be made in a folder. Tries what a rank does: reserve, map and write."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, mmap.PAGESIZE)
            with mmap.mmap(file.fileno(), mmap.PAGESIZE) as memory:
                memory[:1] = b"1"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    return None


def _visibility(folder: Path) -> Finding:
    device, point, kind = mount_of(folder, MOUNTS.read_text())
    if _SHARED_FILE_SYSTEMS.fullmatch(kind):
        return Finding("trace folder", "ok", f"{folder} is on {kind} ({device}), which other hosts can mount")
    sentence = f"Only this host sees {folder} ({kind} at {point})"
    remedy = "for a job on several hosts, name a folder that all of them see with --dir"
    is_cluster = in_job() is not None or any(shutil.which(word) for word in ("sbatch", "qsub", "bsub", "flux"))
    return Finding("trace folder", "caution" if is_cluster else "ok", sentence, remedy)


def mount_of(folder: Path, mounts: str) -> tuple[str, Path, str]:
    """The device, mount point and type of the file system of a folder. mounts: the text of /proc/self/mounts."""
    path = folder.resolve()
    candidates = [(device, point, kind) for device, point, kind, _ in _mounts(mounts) if path.is_relative_to(point)]
    # The last one mounted on a point hides the others there.
    deepest = max((len(point.parts) for _, point, _ in candidates), default=0)
    fitting = [candidate for candidate in candidates if len(candidate[1].parts) == deepest]
    return fitting[-1] if fitting else ("unknown", Path("/"), "unknown file system")


def _mounts(text: str) -> Iterator[tuple[str, Path, str, str]]:
    """Device, mount point, type and options of each mount."""
    for line in text.splitlines():
        # A blank in a path is written as \040.
        words = [re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), word) for word in line.split(" ")]
        if len(words) > 3:
            yield words[0], Path(words[1]), words[2], words[3]
