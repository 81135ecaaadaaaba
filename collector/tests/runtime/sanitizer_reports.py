"""Finds the sanitizer reports of a job that are the collector's fault.

The preload is instrumented, but most other libraries are not. Most reports of leaks and races concern the MPI library.
It never frees its parameters and datatypes. Suppressions cannot name its modules, because they are unloaded before the
reports are made. ThreadSanitizer does not see the library's atomics and locks, and reports the data that they protect
as races. So a leak counts only if the collector allocated the memory, and a race only if the collector made one of the
accesses. Every other report (an invalid access, undefined behaviour) counts.
"""

from __future__ import annotations

import re
from pathlib import Path

_COLLECTOR = "/collector/src/"
_INTERCEPTED = re.compile(r"sanitizer_common|libsanitizer|_interceptor|lib[at]san")
# report_mutex_bugs=0: TSan sometimes sees the unlocking of an MPI library's mutex but not its locking.
_TSAN = "report_signal_unsafe=0:detect_deadlocks=0:report_mutex_bugs=0:report_thread_leaks=0:history_size=4"


def options(folder: Path) -> dict[str, str]:
    """Returns environment variables with which each process writes its reports to a folder, but does not fail."""
    common = f"exitcode=0:log_path={folder / 'report'}"
    return {
        "ASAN_OPTIONS": common,
        "UBSAN_OPTIONS": f"{common}:print_stacktrace=1",
        "LSAN_OPTIONS": "print_suppressions=0",
        "TSAN_OPTIONS": f"{common}:{_TSAN}",
        # UCX's hooks would run at the end of a thread, when the thread sanitizer no longer knows the thread.
        "UCX_MEM_EVENTS": "no",
    }


def faults(folder: Path) -> list[str]:
    """Returns the reports in the folder that are the collector's fault."""
    return [fault for path in sorted(folder.glob("report.*")) for fault in _faults(path.read_text(errors="replace"))]


def _faults(text: str) -> list[str]:
    counted = []
    if "ThreadSanitizer" in text:
        for report in text.split("=================="):
            if any(_is_of_collector(stack) for stack in _stacks(report)[:2]):
                counted.append(report)
        return counted
    for report in re.split(r"^(?==+\d+==ERROR)", text, flags=re.MULTILINE):
        if "LeakSanitizer: detected" in report:
            counted += [part for part in report.split("\n\n") if "leak of" in part and _is_of_collector(part)]
        elif "ERROR: AddressSanitizer" in report or "runtime error" in report:
            counted.append(report)
    return counted


def _stacks(report: str) -> list[str]:
    return [part for part in report.split("\n\n") if "#0 " in part]


def _is_of_collector(stack: str) -> bool:
    frames = [line for line in stack.splitlines() if re.match(r"\s*#\d+ ", line) and not _INTERCEPTED.search(line)]
    return bool(frames) and _COLLECTOR in frames[0]
