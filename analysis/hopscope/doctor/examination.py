"""All findings on this machine, and whether a run can be traced here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopscope.doctor.finding import Finding
from hopscope.doctor.host import core_finding, shared_memory_finding, trace_folder_findings
from hopscope.doctor.installations import Installation, find_installations
from hopscope.doctor.libraries import library_findings
from hopscope.doctor.package import package_findings, permission_findings


@dataclass(frozen=True)
class Examination:
    """The MPI libraries of this machine, and the findings."""

    installations: list[Installation]
    findings: list[Finding]

    @property
    def usable(self) -> list[Installation]:
        """The MPI libraries under which a run can be traced."""
        faulty = {finding.library for finding in self.findings if finding.state == "problem"}
        if None in faulty:
            return []
        return [installation for installation in self.installations if str(installation.file) not in faulty]

    @property
    def verdict(self) -> str:
        """A sentence: can a run be traced here?"""
        if self.usable:
            launchers = [installation.launcher for installation in self.usable]
            word = next((launcher.word for launcher in launchers if launcher), "srun")
            return f"A run can be traced here; next: hopscope run -- {word} -n 2 ./app"
        return "No run can be traced here; the problems above say what to do"

    def document(self) -> dict[str, Any]:
        """The examination as schemas/doctor.schema.json has it."""
        return {
            "schema_version": 1,
            "can_trace": bool(self.usable),
            "verdict": self.verdict,
            "findings": [asdict(finding) for finding in self.findings],
        }


def examine(folder: Path, trial: Callable[[Installation], Finding] | None = None) -> Examination:
    """Examine this machine. folder: that of traces. trial: runs a job with a library; None starts no job."""
    installations = find_installations()
    findings = library_findings(installations)
    if trial is not None:
        usable = Examination(installations, findings).usable
        findings += [trial(installation) for installation in usable]
    findings += [core_finding(), shared_memory_finding(), *trace_folder_findings(folder)]
    return Examination(installations, [*findings, *permission_findings(), *package_findings()])
