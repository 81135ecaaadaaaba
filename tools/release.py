"""Checks that this commit can be released, makes the wheels, and prints the command that tags it.

`make release` runs this. It changes nothing except dist/. Every check runs; if any fails, this prints their names and
no command.
"""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import release_wheels

ROOT = Path(__file__).parents[1]
COLLECTORS = ("openmpi-4", "openmpi-5", "mpich-4", "mpich-5", "abi-1")
"""The MPI libraries whose collectors a released wheel includes."""
LARGEST_BYTES = 60_000_000
DOCUMENT_TESTS = ("test_documents.py", "test_documentation.py", "test_readme.py", "test_tour.py", "test_words.py")


def version_of(root: Path) -> str:
    """The version in pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]


def output(root: Path, *words: str) -> str:
    """The standard output of a command in the tree."""
    return subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout


def version_problems(root: Path) -> Iterator[str]:
    """Reasons why this commit cannot have its version's tag."""
    version = version_of(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"{version} in pyproject.toml is not a release's version, such as 0.1.0"
    if output(root, "git", "tag", "--list", f"v{version}"):
        yield f"the tag v{version} exists; raise the version in pyproject.toml"
    if changed := output(root, "git", "status", "--porcelain"):
        yield f"these files differ from the commit; commit them:\n{changed.rstrip()}"


def changelog_problems(root: Path) -> Iterator[str]:
    """Reasons why CHANGELOG.md does not describe this version."""
    version = version_of(root)
    sections = re.split(r"^## ", (root / "CHANGELOG.md").read_text(), flags=re.MULTILINE)[1:]
    has_section = bool(sections) and re.match(rf"{re.escape(version)}\b(?!\.)", sections[0]) is not None
    if not has_section:
        yield f"CHANGELOG.md does not begin with {version}; run: towncrier build --version {version}"
    elif not re.search(r"^- ", sections[0], flags=re.MULTILINE):
        yield f"CHANGELOG.md says nothing about {version}"
    if has_section and (fragments := sorted(path.name for path in (root / "changes").glob("*.md"))):
        yield (
            f"CHANGELOG.md lacks {len(fragments)} sentences that are still in changes/; move them into its section "
            f"{version}: {' '.join(fragments)}"
        )


def document_problems(root: Path) -> Iterator[str]:
    """The checks of generated documents, links, shown commands and outputs that fail."""
    tests = [f"tests/house/{name}" for name in DOCUMENT_TESTS]
    for words in (["tools/check"], [sys.executable, "-m", "pytest", "-q", *tests]):
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            end = "\n".join((done.stdout + done.stderr).rstrip().splitlines()[-15:])
            yield f"{' '.join(words)} fails:\n{end}"


def wheel_problems(wheel: Path, version: str) -> Iterator[str]:
    """Reasons why a wheel cannot be released."""
    files = [Path(name).name for name in zipfile.ZipFile(wheel).namelist()]
    if not wheel.name.startswith(f"hopscope-{version}-"):
        yield f"{wheel.name} is not of version {version}"
    if wheel.stat().st_size > LARGEST_BYTES:
        yield f"{wheel.name} has {wheel.stat().st_size:,} bytes; at most {LARGEST_BYTES:,} are allowed"
    if absent := [library for library in COLLECTORS if f"libhopscope-{library}.so" not in files]:
        yield f"{wheel.name} lacks the collectors for {', '.join(absent)}; run make dev where their mpicc is found"
    if "OTF2-COPYRIGHT" not in files:
        yield f"{wheel.name} lacks OTF2's licence"
    words = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    shown = subprocess.run(words, capture_output=True, text=True, check=False)
    sentences = " ".join((shown.stdout or shown.stderr).split())
    print(f"release: auditwheel show: {sentences}")
    if f'consistent with the following platform tag: "{wheel.stem.rpartition("-")[2]}"' not in sentences:
        yield f"{wheel.name} does not keep its policy, says auditwheel show"


def build_problems(root: Path) -> Iterator[str]:
    """Makes both wheels, and says what is wrong with them."""
    for tag in release_wheels.MINORS:
        try:
            wheel = release_wheels.build(tag, root / "dist")
        except (release_wheels.NoPythonError, subprocess.CalledProcessError) as error:
            yield f"there is no wheel {tag}: {error}"
        else:
            print(f"release: {wheel}: {wheel.stat().st_size:,} bytes")
            yield from wheel_problems(wheel, version_of(root))


CHECKS: dict[str, Callable[[Path], Iterator[str]]] = {
    "version": version_problems,
    "changelog": changelog_problems,
    "documents": document_problems,
    "wheels": build_problems,
}


def main(root: Path = ROOT) -> int:
    """Run every check, then print the command or the names of the checks that failed."""
    failed: list[str] = []
    for name, check in CHECKS.items():
        problems = list(check(root))
        failed += [name] if problems else []
        for problem in problems:
            print(f"release: {name}: {problem}", flush=True)
        if not problems:
            print(f"release: {name}: good", flush=True)
    if failed:
        print(f"release: refused because of {', '.join(failed)}")
        return 1
    version, commit = version_of(root), output(root, "git", "rev-parse", "HEAD").strip()
    print(f"release: every check passed; now run: git tag -a v{version} -m 'Hopscope {version}' {commit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
