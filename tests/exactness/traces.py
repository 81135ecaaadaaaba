"""Is the trace of a run whole? Its archive is converted and held against the dataset's promises. Where the program was
aborted, as one of ScaLAPACK's testers does to itself, the first command makes the archive.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ANALYZE = Path(sys.executable).with_name("analyze")


def rows(trace: Path, command: str, *options: str) -> list[dict[str, Any]]:
    """The rows of an analyze command. Raises RuntimeError with its words if it has none."""
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
