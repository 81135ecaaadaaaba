"""Checks that a run's trace is complete: converts its archive and checks the dataset's rules. If the program aborts, as
one of ScaLAPACK's testers does, the first command makes the archive."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ANALYZE = Path(sys.executable).with_name("analyze")


def rows(trace: Path, command: str, *options: str) -> list[dict[str, Any]]:
    """The rows of an analyze command. Raises RuntimeError with its message if it fails."""
    words = [str(ANALYZE), command, str(trace), *options, "--format", "json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        errors = done.stderr.strip().splitlines()
        raise RuntimeError(f"analyze {command} ends with {done.returncode}: {' '.join(errors[-3:])}") from None


def faults_of(trace: Path) -> list[str]:
    """Faults of a trace, as sentences."""
    try:
        rules = rows(trace, "check-data")
    except RuntimeError as trouble:
        return [str(trouble)]
    return [f"{row['rule']}: {row['beyond']} of {row['rows']}, {row['example']}" for row in rules if row["beyond"]]
