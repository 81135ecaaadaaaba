"""The applications of `make check-apps`: Debian's LAMMPS, HPCC and the test programs of ScaLAPACK.

An application consists of its command, its input and the rules for reading its output.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from outputs import Rules

PACKAGES = ("lammps", "lammps-examples", "hpcc", "scalapack-mpi-test")


@dataclass(frozen=True)
class Application:
    """One program with one input, as a job."""

    name: str
    flavours: tuple[str, ...]
    """The MPI libraries with which Debian has built it."""
    words: tuple[str, ...]
    rules: Rules
    copied: tuple[Path, ...] = ()
    """Files that it reads from its working directory."""
    changed: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    """Replacements (pattern and text) in these files, so that a run takes seconds."""
    output: str = ""
    """The file with its results; empty: stdout."""
    output_from: str = ""
    """Text that marks the beginning of the results."""
    ranks: int = 4

    def prepare(self, folder: Path) -> None:
        """Puts the input into a folder. Raises RuntimeError if a replacement no longer fits the input."""
        for path in self.copied:
            text = path.read_text()
            for pattern, new in self.changed.get(path.name, ()):
                text, times = re.subn(pattern, new, text, flags=re.MULTILINE)
                if times == 0:
                    raise RuntimeError(f"{self.name}: {path} has no {pattern!r} to replace")
            (folder / path.name.lstrip("_")).write_text(text)

    def results(self, folder: Path, stdout: str) -> str:
        """The results in the output of a run."""
        text = (folder / self.output).read_text() if self.output else stdout
        return text[text.index(self.output_from) :] if self.output_from else text


EXAMPLES = Path("/usr/share/lammps/examples")
LAMMPS = Rules(
    timed_lines=r"^(Loop time|Performance:|Total wall time|(Pair|Bond|Kspace|Neigh|Comm|Output|Modify|Other) +\|)"
    r"|CPU = |% CPU use|^OMP_NUM_THREADS",
    # The output has eight digits, and rounding errors grow some hundred times over such a run.
    bound=1e-6,
)


def _lammps(example: str, steps: int, *data: str, **changed: str) -> Application:
    """A LAMMPS example with fewer steps. changed: new lines, by their first word."""
    folder = EXAMPLES / example
    lines = tuple((rf"^{word}\s.*", f"{word} {rest}") for word, rest in {"run": str(steps), **changed}.items())
    return Application(
        f"LAMMPS {example}",
        ("openmpi",),
        ("lmp", "-in", f"in.{example}", "-log", "none"),
        LAMMPS,
        (folder / f"in.{example}", *(folder / name for name in data)),
        {f"in.{example}": lines},
    )


HPCC = Application(
    "HPCC",
    ("openmpi",),
    ("hpcc",),
    Rules(
        timed_lines=r"(?i)^Current time|^\w*(time\d?|[GT]flops|GUPs|GBs|usec|GBytes|STREAM_(Copy|Scale|Add|Triad))=",
        residuals="^(HPL_RnormI|PTRANS_residual|MPIFFT_maxErr)=",
        largest_residual=1e-11,
        bound=1e-5,
    ),
    (Path("/usr/share/doc/hpcc/examples/_hpccinf.txt"),),
    {"_hpccinf.txt": ((r"^1000( +Ns)", r"200\1"), (r"^80( +NBs)", r"32\1"))},
    output="hpccoutf.txt",
    output_from="Begin of Summary section",
)

TESTERS = Path("/usr/lib/x86_64-linux-gnu/scalapack")
INPUTS = Path("/usr/share/scalapack")
SCALAPACK = Rules(
    # Ranks print these lines at any time; the last kind is on stderr. The BLACS tester also skips its test of
    # repeatable sums if sums that need not repeat do repeat. They are added in the order in which messages from any
    # source arrive, and the result differs only if one rank's message comes first. With that rank and the root on one
    # core and the others on the other core, the test passes in three of five runs, also without the collector.
    timed_lines=r"^BLACS WARNING|^from \{|^\{\d+,\d+\}, pnum=\d+|^ (SKIPPED|PASSED ) REPEATABLE SUM TEST",
    timed_columns="Time|MFLOPS|WALL|CPU",
    timed_words=r"(?<=^Passed ).{20}",
    residuals="(?i)^(Resid|CHK|QTQ)|^Passed ",
    # In units of the rounding error. The testers themselves allow up to 100.
    largest_residual=100,
)
# It hangs in some runs, with and without the collector: in its iterative refinement (pdlacon) the last bits make ranks
# take different branches, and then they wait for one another forever.
_HANGS_UNDER_OPEN_MPI = re.compile("x[sdcz]llt")
_LETTERS = {"s": "single", "d": "double", "c": "complex", "z": "double complex"}
_ALGEBRA = ["lu", "dblu", "dtlu", "gblu", "llt", "pbllt", "ptllt", "inv", "qr", "ls", "brd", "hrd", "trd", "nep"]


def _grids_of_two(text: str) -> tuple[tuple[str, str], ...]:
    """The replacements that make the process grids of an input grids of two; none if it has no grids."""
    for rows, columns in ((r"\s+values of P\b", r"\s+values of Q\b"), (r"\s+NPROW\b", r"\s+NPCOL\b")):
        if re.search(rows, text):
            places = (rf"^[\d ]+\b({rows})", "1 2 1 2 1 2 1 2 1"), (rf"^[\d ]+\b({columns})", "2 1 2 1 2 1 2 1 2")
            return tuple((pattern, rf"{new}\1") for pattern, new in places)
    return ()


def _tester(program: str) -> Iterator[Application]:
    inputs = tuple(path for folder in ("", "PBLAS", "BLACS") for path in sorted((INPUTS / folder).glob("*.dat")))
    grids = {path.name: _grids_of_two(path.read_text()) for path in inputs}
    for flavour in ("mpich",) if _HANGS_UNDER_OPEN_MPI.fullmatch(program) else ("openmpi", "mpich"):
        # If ranks outnumber cores, MPICH takes minutes for each program.
        on_two = flavour == "mpich"
        yield Application(
            f"ScaLAPACK {Path(program).name}",
            (flavour,),
            (str(TESTERS / f"{flavour}-tests" / program),),
            SCALAPACK,
            inputs,
            grids if on_two else {},
            ranks=2 if on_two else 4,
        )


def scalapack(whole: bool) -> Iterator[Application]:
    """ScaLAPACK's test programs. Of a program in four precisions, one or (whole) all."""
    letters = "sdcz" if whole else "d"
    for name in _ALGEBRA:
        for letter in letters:
            yield from _tester(f"x{letter}{name}")
    for name in ("xssep", "xdsep", "xdsvd", "xdsyevr", "xdhseqr", "xzheevr", "xzevc"):
        yield from _tester(name)
    for level in (1, 2, 3):
        for letter in letters:
            yield from _tester(f"PBLAS/{letter}pb{level}tst")
    yield from _tester("xCbtest")
    yield from _tester("xFbtest")


def applications(whole: bool) -> list[Application]:
    """All applications."""
    lammps = [
        _lammps("melt", 250),
        _lammps("peptide", 100, "data.peptide"),
        _lammps("rigid", 300, "data.rigid"),
        # A fixed number of steps without a stopping criterion, because the criterion and the chaos of a longer run
        # depend on the last bit.
        _lammps("min", 100, minimize="0 0 40 1000"),
    ]
    return [*lammps, HPCC, *scalapack(whole)]
