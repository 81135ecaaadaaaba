"""The collector's cost: a call, a hop, the engine, starting and ending, memory and disk.

The sides of a comparison take turns within one run, and each figure is the median of the repetitions. Times are medians
over batches of calls, so that another job that sometimes takes the processor away does not count.
"""

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from hopscope.launch import find_mpi
from measure import PROGRAM, PROGRAMS, allreduce_ns, interleaved, local_mpi, preloaded

Row = tuple[str, str]

ENGINE_TREE = "recursive-doubling"


def observed_call(folder: Path, repetitions: int) -> list[Row]:
    """Rows on the cheapest collective, an Allreduce on COMM_SELF, plain and observed."""
    arguments = ["self", "1", "400000", "1000"]
    trace = folder / "self"

    def job(observed: bool, figure: str) -> Callable[[], float]:
        return lambda: preloaded(1, arguments, trace=trace if observed else None)[figure]

    names = {"plain": False, "observed": True}
    ns = interleaved(repetitions, {name: job(observed, "ns") for name, observed in names.items()})
    whole = interleaved(repetitions, {name: job(observed, "processor_ns") for name, observed in names.items()})
    calls = 200_000
    allreduce_ns(1, ["self", "1", str(calls), "1000"], trace=folder / "archive")
    size = sum(file.stat().st_size for file in (folder / "archive").rglob("*.evt"))
    preloaded(1, ["self", "1", str(calls), "1000"], trace=folder / "spool", spool_chunk_bytes="20480")
    recorded = sum(file.stat().st_size for file in (folder / "spool").rglob("*.spool"))
    return [
        ("Allreduce on COMM_SELF, plain", f"{ns['plain']:.0f} ns"),
        ("  observed, added to a call", f"{ns['observed'] - ns['plain']:.0f} ns (Score-P 8.4 tracing: 133 ns)"),
        (
            "  the same, with the preparation of the recording's next chunk spread over all calls, processor time",
            f"{whole['observed'] - whole['plain']:.0f} ns",
        ),
        ("  its size in the recording, while the program runs", f"{recorded / (calls + 1000):.1f} B"),
        ("  its size in the archive", f"{size / (calls + 1000):.1f} B (Score-P: 44 B)"),
    ]


def engine(folder: Path, repetitions: int) -> list[Row]:
    """Rows on the engine against the library on two ranks, unrecorded and recorded, over both transports."""
    arguments = ["world", "2", "20000", "200"]
    trace = folder / "two"
    rows: list[Row] = []
    for figure, title in (
        ("ns", "8-byte Allreduce on 2 ranks"),
        ("processor_ns", "  the same, processor time of all calls"),
    ):

        def run(record: str, transport: str, figure: str = figure) -> Callable[[], float]:
            settings = {"tree": ENGINE_TREE, "record": record, "transport": transport}
            return lambda: preloaded(2, arguments, trace=trace, **settings)[figure]

        jobs: dict[str, Callable[[], float]] = {"native": lambda figure=figure: preloaded(2, arguments)[figure]}
        for transport in ("shm", "mpi"):
            jobs[f"{transport}, unrecorded"] = run("0", transport)
            jobs[f"{transport}, recorded"] = run("1", transport)
        ns = interleaved(repetitions, jobs)
        native = ns.pop("native")
        rows.append((f"{title}, native", f"{native:.0f} ns"))
        for name, value in ns.items():
            rows.append((f"  {ENGINE_TREE} by the engine over {name}", f"{value:.0f} ns, {value / native:.2f}x"))
    return rows


def hop_event(folder: Path, repetitions: int) -> list[Row]:
    """A row on a Barrier of one exchange. It has four hop events on each rank (post, send, sent, received) and the
    call's own two events."""
    arguments = ["barrier", "1", "20000", "200"]

    def run(record: str) -> Callable[[], float]:
        return lambda: preloaded(2, arguments, trace=folder / "hop", tree=ENGINE_TREE, record=record)["ns"]

    ns = interleaved(repetitions, {"unrecorded": run("0"), "recorded": run("1")})
    added = ns["recorded"] - ns["unrecorded"]
    return [("Barrier on 2 ranks by the engine, recording adds to each of 4 hop events", f"{added / 4:.0f} ns")]


def lines_of_python(folder: Path, repetitions: int) -> list[Row]:
    """Rows on a call through mpi4py: plain, recorded with its place in mpi4py's extension, and with its line of
    Python."""
    mpi = local_mpi.find()[0]
    library = find_mpi([str(mpi.compile(PROGRAM))]).path
    if library is None or find_spec("mpi4py") is None:
        return [("Allreduce on COMM_SELF through mpi4py", "left out: mpi4py or its MPI library is not here")]
    environment = {"MPI4PY_MPIABI": mpi.flavour, "LD_LIBRARY_PATH": str(library.parent)}
    program = [sys.executable, str(PROGRAMS / "allreduce_python.py")]

    def run(settings: dict[str, str] | None) -> Callable[[], float]:
        trace = None if settings is None else folder / "python"
        return lambda: preloaded(
            1, ["100"], mpi=mpi, trace=trace, environment=environment, program=program, **settings or {}
        )["ns"]

    ns = interleaved(repetitions, {"plain": run(None), "extension": run({"python": "0"}), "line": run({"python": "1"})})
    added = ns["line"] - ns["extension"]
    return [
        ("Allreduce on COMM_SELF through mpi4py, plain", f"{ns['plain']:.0f} ns"),
        (
            "  observed with its place in the extension, added",
            f"{ns['extension'] - ns['plain']:.0f} ns, {ns['extension'] / ns['plain']:.2f}x",
        ),
        ("  with its line of Python, added to that", f"{added:.0f} ns, {ns['line'] / ns['extension']:.2f}x"),
    ]


def native_hops(folder: Path, repetitions: int, mpi: local_mpi.LocalMpi) -> list[Row]:
    """Rows on the library's own messages. A Barrier of one exchange records two message ends on each rank; a rank's
    message to itself records none."""
    environment = local_mpi.MPICH_IN_MESSAGES if mpi.flavour == "mpich" else {"HOPSCOPE_NATIVE": "1"}

    def run(ranks: int, arguments: list[str], settings: dict[str, str] | None) -> Callable[[], float]:
        trace = None if settings is None else folder / "native"
        return lambda: preloaded(ranks, arguments, mpi=mpi, trace=trace, environment=environment, **settings or {})[
            "ns"
        ]

    ways = {"plain": None, "without": {"native": "0"}, "with": {}}
    barrier, message = (
        interleaved(repetitions, {name: run(ranks, arguments, settings) for name, settings in ways.items()})
        for ranks, arguments in ((2, ["barrier", "1", "20000", "200"]), (1, ["message", "1", "400000", "1000"]))
    )
    return [
        (f"Barrier on 2 ranks by {mpi.release}, not traced", f"{barrier['plain']:.0f} ns"),
        ("  observed without its messages, added", f"{barrier['without'] - barrier['plain']:.0f} ns"),
        ("  each end of its messages adds", f"{(barrier['with'] - barrier['without']) / 2:.0f} ns"),
        ("Message to itself (Irecv, Send, Wait), not traced", f"{message['plain']:.0f} ns"),
        ("  observed, added", f"{message['without'] - message['plain']:.0f} ns"),
        ("  with the library's messages recorded, added to that", f"{message['with'] - message['without']:.0f} ns"),
    ]


def transports(folder: Path, repetitions: int) -> list[Row]:
    """Rows on the engine's two transports, by size of the message."""
    rows: list[Row] = []
    for integers, calls, batch in ((2, 20000, 200), (256, 10000, 100), (4096, 2000, 50), (262144, 60, 6)):
        arguments = ["world", str(integers), str(calls), str(batch)]

        def run(transport: str, arguments: list[str] = arguments) -> Callable[[], float]:
            return lambda: preloaded(
                2, arguments, trace=folder / "sizes", tree="binomial", record="0", transport=transport
            )["ns"]

        jobs = {"shm": run("shm"), "mpi": run("mpi")}
        ns = interleaved(repetitions, jobs)
        text = f"{ns['shm'] / 1e3:.2f} us, {ns['mpi'] / 1e3:.2f} us, {ns['mpi'] / ns['shm']:.2f}x"
        rows.append((f"Allreduce of {4 * integers:,} B, binomial, through shared memory, over MPI's messages", text))
    return rows


def start_and_end(folder: Path, repetitions: int, mpi: local_mpi.LocalMpi, ranks: int) -> list[Row]:
    """Seconds that the collector adds to a job of many ranks, from its launch to its end, without the archive's
    assembly."""

    def run(**settings: str) -> Callable[[], float]:
        def job() -> float:
            start = time.perf_counter()
            preloaded(ranks, ["world", "1", "1", "1"], mpi=mpi, trace=folder / "many" if settings else None, **settings)
            return time.perf_counter() - start

        return job

    seconds = interleaved(repetitions, {"plain": run(), "observed": run(record="1"), "tree": run(tree="binomial")})
    return [
        (f"{ranks} ranks, {mpi.flavour}: a job of four calls, plain", f"{seconds['plain']:.2f} s"),
        ("  observed, start and end added", f"{seconds['observed'] - seconds['plain']:+.2f} s"),
        ("  under a tree, start and end added", f"{seconds['tree'] - seconds['plain']:+.2f} s"),
    ]


def memory(folder: Path, calls: int) -> list[Row]:
    """Private memory of a long run, after a tenth of it and at its end. The mapped piece of the recording does not
    count, because it belongs to the file."""
    arguments = ["self", "1", str(calls), "1000"]
    plain = preloaded(1, arguments)
    observed = preloaded(1, arguments, trace=folder / "long")
    added = [(observed[name] - plain[name]) / 1024 for name in ("early_kib", "late_kib")]
    return [
        (
            f"private memory added in a run of {2 * calls:,} events, after a tenth of it, at its end",
            f"{added[0]:.1f} MiB, {added[1]:.1f} MiB",
        )
    ]


def measure(folder: Path, repetitions: int = 5) -> list[Row]:
    """Rows for the report."""
    rows = observed_call(folder, repetitions)
    rows += lines_of_python(folder, repetitions)
    rows += hop_event(folder, repetitions)
    for mpi in local_mpi.find():
        rows += native_hops(folder, repetitions, mpi)
    rows += engine(folder, repetitions)
    rows += transports(folder, max(1, repetitions // 2))
    for mpi in local_mpi.find():
        rows += start_and_end(folder, 3, mpi, 32 if mpi.flavour == "openmpi" else 4)
    rows += memory(folder, 5_000_000)
    return rows
