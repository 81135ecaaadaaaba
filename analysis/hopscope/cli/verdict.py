"""Gets the first sentence of a diagnosis, for a user who waits for a job."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_WAIT_S: Final = 2.0
"""The time in seconds that the diagnosis may add to a job's end."""
_MOST_BYTES: Final = 32 << 20
"""The largest trace that is diagnosed, in bytes. A larger one would take longer than _WAIT_S."""
_CLOSE_S: Final = 5.0
"""The time in seconds that an interrupted command has to tidy up."""
_ASK: Final = "from hopscope.cli.start import analyze_main; analyze_main()"


def verdict_of(trace: Path) -> str | None:
    """The first sentence of the diagnosis of a new trace; None if it takes too long or fails.

    It runs in a subprocess, which a signal can end without leaving half a dataset.
    """
    if sum(file.stat().st_size for file in trace.rglob("*") if file.is_file()) > _MOST_BYTES:
        return None
    words = [sys.executable, "-c", _ASK, "diagnose", str(trace), "--format", "json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            answer, _ = process.communicate(timeout=_WAIT_S)
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_CLOSE_S)
            process.kill()
            return None
    if process.returncode != 0:
        return None
    first = json.loads(answer)["entries"][0]
    return f"{first['severity']}: {first['sentence']}" if first["severity"] != "OK" else str(first["sentence"])
