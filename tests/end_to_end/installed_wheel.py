"""Traces, analyses and shows a short mpi4py program in a new installation, as a user would.

check_wheel.py starts this by the installation's own Python, on a Debian that has nothing else and no network:
`python installed_wheel.py PROGRAM`. Prints the time of each step. Ends with an error if a step fails, or if its answer
is wrong.
"""

import os
import re
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

BIN = Path(sys.executable).parent
PATIENCE_S = 300
INSTALL = "pip install 'hopscope[dashboard]'"


def output(*words: str, code: int = 0) -> str:
    """Both outputs of a command that must end with this exit code."""
    start_s = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    text = done.stdout + done.stderr
    if done.returncode != code:
        sys.exit(f"{' '.join(words)} ended with code {done.returncode}:\n{text}")
    print(f"  {time.monotonic() - start_s:5.1f} s  {' '.join(words)}", flush=True)
    return text


def expect(pattern: str, text: str) -> None:
    """Ends the trial if a text lacks what it must say."""
    if not re.search(pattern, text):
        sys.exit(f"nothing here matches {pattern}:\n{text}")


def show(trace: str) -> None:
    """Starts the dashboard and asks it for a page."""
    start_s = time.monotonic()
    words = ["hopscope", "dashboard", trace, "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as dashboard:
        try:
            assert dashboard.stderr is not None
            lines: list[str] = []
            while not (address := re.search(r"runs at (http://\S+)", "".join(lines))):
                line = dashboard.stderr.readline()
                if not line:
                    sys.exit(f"{' '.join(words)} serves nothing:\n{''.join(lines)}")
                lines.append(line)
            for page, pattern in (("", "<title>Hopscope</title>"), ("_dash-layout", r'"props"')):
                with urllib.request.urlopen(address[1] + page, timeout=PATIENCE_S) as answer:
                    expect(pattern, answer.read().decode())
        finally:
            dashboard.terminate()
    print(f"  {time.monotonic() - start_s:5.1f} s  {' '.join(words)}", flush=True)


def main() -> None:
    """Does the steps of README's first block, then asks for the dashboard without its packages."""
    os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"
    start_s = time.monotonic()
    print(output("hopscope", "doctor"), flush=True)
    output("hopscope", "run", "--dir", "trace", "--", "mpirun", "-n", "2", "python", sys.argv[1])
    expect(r"[Rr]ank 1 ", output("analyze", "trace"))
    expect(r"calls of MPI_Allreduce,100\b", output("analyze", "summary", "trace", "--format", "csv"))
    show("trace")
    print(f"  {time.monotonic() - start_s:5.1f} s  in all", flush=True)
    output("pip", "uninstall", "-q", "-y", "dash")
    expect(re.escape(INSTALL), output("hopscope", "dashboard", "trace", code=2))


if __name__ == "__main__":
    main()
