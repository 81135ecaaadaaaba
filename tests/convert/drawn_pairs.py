"""Pairs of archives of one run, as Hopscope and Score-P would write them, with known truth.

Each iteration has a function `assemble` (which calls `spend`), a Sendrecv in `exchange`, a function `smooth` (which
also calls `spend`) and an Allreduce in `step`. One rank takes longer in one of the functions. The foreign recorder
wraps ours. Its clock has an offset and a drift for each rank, and wavers around them. Each recorder may miss calls at
either end. A second thread of each rank may send and receive, and a third may compute.
"""

from dataclasses import dataclass, field
from math import sin
from pathlib import Path
from random import Random
from typing import Any, Final

from archive_drawing import Drawing, Place

RANKS: Final = 3
ITERATIONS: Final = 24
GUILTY_NS: Final = 3_000_000
MAIN, HELPER, WORKER = range(3)
"""Threads of a rank."""
CALL_SITE: Final = "app+0x10"
"""The call site of all calls in our archive: the other tool's wrapper."""


@dataclass(frozen=True)
class Plan:
    """The truth of a pair. The cuts are the numbers of calls that a recorder misses at the start and at the end."""

    seed: int
    guilty_rank: int
    guilty_function: str
    error_ns: int
    offset_ns: int
    rank_offsets_ns: tuple[int, ...]
    drifts: tuple[float, ...]
    cuts: tuple[int, int]
    foreign_cuts: tuple[int, int]
    has_threads: bool
    ticks_per_second: int


@dataclass
class Span:
    """A region or call of a thread, in true time. number: the number of a call of MPI on its thread, else None."""

    name: str
    begin: int
    end: int
    number: int | None = None


@dataclass
class Program:
    """The true times of all threads. calls: the number of calls of MPI of each thread."""

    plan: Plan
    spans: dict[tuple[int, int], list[Span]] = field(default_factory=dict[tuple[int, int], list[Span]])
    calls: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])

    def span(self, thread: tuple[int, int], name: str, begin: int, end: int) -> int:
        """Adds a span and returns its end."""
        number = None
        if name.startswith("MPI_"):
            number = self.calls.get(thread, 0)
            self.calls[thread] = number + 1
        self.spans.setdefault(thread, []).append(Span(name, begin, end, number))
        return end


def plan_of(seed: int) -> Plan:
    """The plan of a pair, drawn by a seed."""
    draw = Random(seed)
    return Plan(
        seed=seed,
        guilty_rank=draw.randrange(RANKS),
        guilty_function=draw.choice(["assemble", "smooth"]),
        error_ns=draw.choice([200, 1_000, 5_000]),
        offset_ns=draw.randrange(10**15),
        rank_offsets_ns=tuple(draw.randrange(10**6) for _ in range(RANKS)),
        drifts=tuple(draw.uniform(-1e-4, 1e-4) for _ in range(RANKS)),
        cuts=(draw.randrange(8), draw.randrange(8)),
        foreign_cuts=(draw.randrange(8), draw.randrange(8)),
        has_threads=seed % 2 == 1,
        ticks_per_second=draw.choice([10**9, 2_445_451_291]),
    )


def program_of(plan: Plan) -> Program:
    """The true times of a plan's run."""
    draw, program = Random(plan.seed), Program(plan)
    clock = [1_000_000 + draw.randrange(100_000) for _ in range(RANKS)]
    begins = [*clock]
    clock = [
        program.span((rank, MAIN), "MPI_Init", clock[rank], clock[rank] + 900_000) + 5_000 for rank in range(RANKS)
    ]
    for _ in range(ITERATIONS):
        starts = [*clock]
        for rank in range(RANKS):
            clock[rank] = _work(program, rank, "assemble", clock[rank], draw)
        for rank in range(RANKS):
            enter = clock[rank] + draw.randrange(1_000, 3_000)
            end = program.span((rank, MAIN), "MPI_Sendrecv", enter, enter + draw.randrange(10_000, 30_000))
            program.span((rank, MAIN), "exchange", clock[rank], end + 500)
            clock[rank] = _work(program, rank, "smooth", end + 1_000, draw)
        last_enter = max(clock)
        for rank in range(RANKS):
            enter = clock[rank] + draw.randrange(1_000, 3_000)
            clock[rank] = program.span(
                (rank, MAIN), "MPI_Allreduce", enter, last_enter + draw.randrange(10_000, 30_000)
            )
            program.span((rank, MAIN), "step", starts[rank], clock[rank] + 800)
            clock[rank] += 1_000
    for rank in range(RANKS):
        end = program.span((rank, MAIN), "MPI_Finalize", clock[rank] + 20_000, clock[rank] + 400_000)
        program.span((rank, MAIN), "main", begins[rank] - 10_000, end + 10_000)
        if plan.has_threads:
            _help(program, rank, begins[rank] + 1_000_000, clock[rank] // 2, draw)
    return program


def _work(program: Program, rank: int, name: str, begin: int, draw: Random) -> int:
    plan = program.plan
    is_guilty = rank == plan.guilty_rank and name == plan.guilty_function
    length = int(draw.gauss(1_000_000, 30_000)) + (GUILTY_NS if is_guilty else 0)
    program.span((rank, MAIN), "spend", begin + 2_000, begin + 2_000 + length)
    return program.span((rank, MAIN), name, begin + 200, begin + length + 4_000)


def _help(program: Program, rank: int, begin: int, end: int, draw: Random) -> None:
    """A second thread that sends and receives in `progress`, and a third that only computes. They end early, so that
    the run ends with its first threads."""
    time = begin
    while time < end - 500_000:
        name = draw.choice(["MPI_Send", "MPI_Recv"])
        enter = time + draw.randrange(100_000, 700_000)
        leave = program.span((rank, HELPER), name, enter, enter + draw.randrange(2_000, 60_000))
        program.span((rank, HELPER), "progress", time, leave + 800)
        time = leave + 1_000
    program.span((rank, WORKER), "crunch", begin, end)


def our_archive(program: Program, path: Path) -> Path:
    """Writes the archive that Hopscope would write: calls of MPI, and a few that the other tool made for itself."""
    plan = program.plan
    drawing = Drawing(path, [Place("h0") for _ in range(RANKS)])
    for (rank, thread), spans in sorted(program.spans.items()):
        location = drawing.main[rank] if thread == MAIN else None
        total = program.calls.get((rank, thread), 0)
        for span in spans:
            if span.number is not None and plan.cuts[0] <= span.number < total - plan.cuts[1]:
                if location is None:
                    location = drawing.thread(rank, f"thread {thread}")
                _draw_call(drawing, location, span.name, span.begin, span.end, call_site=CALL_SITE)
            if span.name == "MPI_Init":
                for call in range(6):  # what the other tool does at the start, between MPI_Init and the program
                    drawing.span(location, span.end + 200 + 500 * call, span.end + 500 + 500 * call, "MPI_Send")
    return drawing.write()


def foreign_archive(program: Program, path: Path) -> Path:
    """Writes the archive that Score-P would write: calls of MPI and functions, in a clock of its own."""
    plan, draw = program.plan, Random(program.plan.seed + 1)
    drawing = Drawing(
        path, [Place("h0") for _ in range(RANKS)], by_hopscope=False, ticks_per_second=plan.ticks_per_second
    )
    for (rank, thread), spans in sorted(program.spans.items(), key=lambda item: (item[0][0], -item[0][1])):
        location = drawing.main[rank] if thread == MAIN else drawing.thread(rank, f"thread {thread}")
        total = program.calls.get((rank, thread), 0)
        for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
            if span.number is None or plan.foreign_cuts[0] <= span.number < total - plan.foreign_cuts[1]:
                wrap_ns = 0 if span.number is None else draw.randrange(100, 400)
                begin, end = (_foreign(plan, rank, time) for time in (span.begin - wrap_ns, span.end + wrap_ns))
                _draw_call(drawing, location, span.name, begin, end)
    return drawing.write()


def _foreign(plan: Plan, rank: int, time: int) -> int:
    """A true time in ticks of the foreign clock, which wavers with a period of 20 ms, and differently on each rank."""
    error = plan.error_ns * sin(time * 6.28 / 20_000_000 + rank)
    ns = plan.offset_ns + plan.rank_offsets_ns[rank] + time * (1 + plan.drifts[rank]) + error
    return int(ns * plan.ticks_per_second / 10**9)


def _draw_call(drawing: Drawing, location: Any, name: str, begin: int, end: int, *, call_site: str = "") -> None:
    draw = drawing.collective if name == "MPI_Allreduce" else drawing.span
    draw(location, begin, end, name, call_site=call_site)
