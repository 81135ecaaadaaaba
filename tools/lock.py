"""Resolves the requirements of pyproject.toml into requirements/: one file for each set of packages that tools/setup
installs, with one version of each package and its hashes. `make lock` runs this. With --check, which needs no network,
it fails if a lock does not fit pyproject.toml.

Only pyproject.toml has bounds: change them there, then run `make lock`.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "requirements"
COMMAND = "make lock"
_RESOLVER = "uv>=0.13,<0.14"
# Lines of a lock that are not comments: a package at one version, perhaps for some Pythons only, or a hash.
_PIN = re.compile(r"(?P<name>[a-z0-9][a-z0-9.-]*)==(?P<version>[^ ;]+)(?: ; (?P<marker>[^\\]+?))?(?P<hashed> \\)?")
_HASH = re.compile(r" {4}--hash=sha256:[0-9a-f]{64}(?: \\)?")
_REQUEST = re.compile(r" {4}# +(?:via )?-r -")


@dataclass
class Pin:
    """A package of a lock: its version, the environments that it is for, and whether pyproject.toml itself names it."""

    name: str
    version: str
    marker: str
    is_requested: bool = False
    hashes: int = 0


def requirements_by_lock(project: dict) -> dict[str, list[str]]:
    """The requirements of each lock, as in pyproject.toml."""
    extras = project["project"]["optional-dependencies"]
    # The build runs in .venv, not in a separate environment, so .venv needs its requirements too.
    demo = [*project["project"]["dependencies"], *extras["dashboard"], *project["build-system"]["requires"]]
    return {"demo": demo, "test": [*demo, *extras["dev"]], **project["dependency-groups"]}


def pythons(project: dict) -> list[str]:
    """The Pythons that the project claims to run on, such as 3.11, the oldest first."""
    words = [line.rpartition(" :: ")[2] for line in project["project"]["classifiers"]]
    return sorted((word for word in words if re.fullmatch(r"3\.\d+", word)), key=lambda word: int(word[2:]))


def pyproject() -> dict:
    """The content of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def resolve(uv: Path, name: str, requirements: list[str], oldest: str, *options: str) -> None:
    """Write one lock, for all Pythons from the oldest on. Uses only packages with wheels: a source archive would be
    built with whatever the machine happens to have."""
    words = [str(uv), "pip", "compile", "--no-config", "--quiet", "--universal", "--python-version", oldest]
    words += ["--only-binary", ":all:", "--generate-hashes", "--upgrade", "--custom-compile-command", COMMAND]
    # Package sources are the machine's decision: the lock has no address of a registry and no folder of packages.
    words += ["--no-emit-index-url", "--no-emit-find-links", *options, "-o", str(LOCKS / f"{name}.txt"), "-"]
    environment = {key: value for key, value in os.environ.items() if key not in ("UV_FIND_LINKS", "PIP_FIND_LINKS")}
    lines = "\n".join(requirements)
    if subprocess.run(words, input=lines, text=True, cwd=ROOT, env=environment, check=False).returncode != 0:
        sys.exit(f"lock: requirements/{name}.txt could not be resolved from pyproject.toml; see above")


def make(project: dict) -> None:
    """Resolve all locks anew, each package at the newest version that the bounds allow."""
    LOCKS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hopscope-lock-") as folder:
        venv.create(folder, with_pip=True)
        pip = [str(Path(folder) / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
        if subprocess.run([*pip, _RESOLVER], check=False).returncode != 0:
            sys.exit(f"lock: the resolver ({_RESOLVER}) could not be installed; see above")
        uv = Path(folder) / "bin" / "uv"
        oldest = pythons(project)[0]
        requirement_lists = requirements_by_lock(project)
        resolve(uv, "test", requirement_lists.pop("test"), oldest)
        # The demo has the same versions as the tests.
        resolve(uv, "demo", requirement_lists.pop("demo"), oldest, "-c", str((LOCKS / "test.txt").relative_to(ROOT)))
        for name, requirements in requirement_lists.items():
            resolve(uv, name, requirements, oldest)


def read(text: str) -> tuple[list[Pin], list[str]]:
    """A lock's packages, and the lines that do not belong in a lock."""
    pins: list[Pin] = []
    strangers: list[str] = []
    for line in text.splitlines():
        match = _PIN.fullmatch(line)
        if match:
            pins.append(Pin(match["name"], match["version"], match["marker"] or ""))
        elif pins and _HASH.fullmatch(line):
            pins[-1].hashes += 1
        elif pins and line.lstrip().startswith("#"):
            pins[-1].is_requested |= bool(_REQUEST.fullmatch(line))
        elif line.strip() and not line.startswith("#"):
            strangers.append(line)
    return pins, strangers


def faults(text: str, requirements: list[str], versions: list[str]) -> list[str]:
    """The differences of a lock from its requirements, in sentences."""
    from packaging.markers import Marker
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pins, strangers = read(text)
    sentences = [f"the line {line!r} is neither a package nor a hash" for line in strangers]
    sentences += [f"{pin.name} has no hash" for pin in pins if not pin.hashes]
    names = {canonicalize_name(Requirement(words).name) for words in requirements}
    sentences += [
        f"pyproject.toml no longer asks for {pin.name}" for pin in pins if pin.is_requested and pin.name not in names
    ]
    for words in requirements:
        requirement = Requirement(words)
        for python in versions:
            environment = {"python_version": python, "python_full_version": f"{python}.0"}
            locked = [
                pin.version
                for pin in pins
                if pin.name == canonicalize_name(requirement.name)
                and (not pin.marker or Marker(pin.marker).evaluate(environment))
            ]
            if len(locked) != 1 or not requirement.specifier.contains(locked[0], prereleases=True):
                versions_found = ", ".join(locked) or "none"
                sentences.append(f"pyproject.toml asks for {words}; for Python {python} the lock has {versions_found}")
    return sentences


def check(project: dict) -> int:
    """Compare each lock with pyproject.toml; print what is stale and how to fix it."""
    stale = 0
    texts: dict[str, str] = {}
    for name, requirements in requirements_by_lock(project).items():
        path = LOCKS / f"{name}.txt"
        texts[name] = path.read_text() if path.is_file() else ""
        for fault in faults(texts[name], requirements, pythons(project)):
            print(f"requirements/{name}.txt: {fault}", file=sys.stderr)
            stale += 1
    tested = {(pin.name, pin.version, pin.marker) for pin in read(texts["test"])[0]}
    for pin in read(texts["demo"])[0]:
        if (pin.name, pin.version, pin.marker) not in tested:
            print(f"requirements/demo.txt: {pin.name} {pin.version} differs from what the tests use", file=sys.stderr)
            stale += 1
    if stale:
        print(f"The locks are stale. Run {COMMAND}", file=sys.stderr)
    return 1 if stale else 0


def main() -> int:
    """Make the locks, or with --check check them."""
    if "--check" in sys.argv[1:]:
        return check(pyproject())
    make(pyproject())
    return 0


if __name__ == "__main__":
    sys.exit(main())
