"""A small run, simulated and drawn as an archive: `python tests/convert/draw.py DIRECTORY` writes it and converts it.

Eight ranks are placed in turn on hosts a0 (site A), b0 and b1 (site B). They do 40 iterations: compute, exchange halos
with both neighbours, MPI_Allreduce over the binomial tree in which a rank's parent is the rank without its lowest set
bit. Between the sites a message takes 20 ms. Rank 5 computes 3 ms longer than the others' 2 ms; rank 2 is 10 ms late in
every tenth iteration.
"""

import json
import random
import sys
from pathlib import Path

from archive_drawing import DOWN, UP, Drawing, Place, hop_tag
from otf2 import events

RANKS = 8
HOSTS = [("a0", "A"), ("b0", "B"), ("b1", "B")]
LATENCY_NS = {"shm": 2_000, "lan": 60_000, "wan": 20_000_000}
COMPUTE_NS = 2_000_000
LATE_RANK, LATE_NS = 5, 3_000_000
TREE = "binomial-mpich"
SPENT_NS = 400  # time of a rank for a send, a receive or a combine


def link(a: int, b: int) -> str:
    """Link class of two ranks."""
    left, right = HOSTS[a % 3], HOSTS[b % 3]
    return "wan" if left[1] != right[1] else "lan" if left != right else "shm"


def children_of(rank: int) -> list[int]:
    """The children of a rank in the order in which they are combined: nearest first."""
    children: list[int] = []
    bit = 1
    while bit < RANKS and not rank & bit:
        if rank | bit < RANKS:
            children.append(rank | bit)
        bit <<= 1
    return children


class Run:
    """Draws one iteration after another. clocks: the time of each rank."""

    def __init__(self, drawing: Drawing, seed: int) -> None:
        self.drawing = drawing
        self.shadow = drawing.shadow(drawing.world, TREE)
        self.random = random.Random(seed)
        self.clocks = [1_000_000_000 + 10_000 * rank for rank in range(RANKS)]
        self.requests = 0

    def request(self) -> int:
        self.requests += 1
        return self.requests

    def start(self) -> None:
        for rank in range(RANKS):
            self.drawing.span(rank, self.clocks[rank], self.clocks[rank] + 500_000, "MPI_Init")
            self.clocks[rank] += 500_000

    def finish(self) -> None:
        for rank in range(RANKS):
            self.drawing.span(rank, self.clocks[rank], self.clocks[rank] + 200_000, "MPI_Finalize")

    def compute(self, iteration: int) -> None:
        for rank in range(RANKS):
            time = COMPUTE_NS + self.random.randrange(100_000)
            if rank == LATE_RANK:
                time += LATE_NS
            if rank == 2 and iteration % 10 == 9:
                time += 10_000_000
            self.clocks[rank] += time

    def halo(self) -> None:
        """Draws Irecv from both neighbours, Isend to both, and Waitall."""
        begin = list(self.clocks)
        drawing, world = self.drawing, self.drawing.world
        ends = [begin[rank] + 8_000 for rank in range(RANKS)]
        completed: list[list[tuple[int, object]]] = [[] for _ in range(RANKS)]
        for rank in range(RANKS):
            for i, peer in enumerate(p for p in (rank - 1, rank + 1) if 0 <= p < RANKS):
                tag = 0 if peer < rank else 1
                sent, received = self.request(), self.request()
                post = begin[rank] + 1_000 * i
                drawing.span(rank, post, post + 500, "MPI_Irecv", "heat+0x10")
                drawing.add(rank, events.MpiIrecvRequest(post + 100, received))
                send = begin[rank] + 4_000 + 1_000 * i
                drawing.span(rank, send, send + 500, "MPI_Isend", "heat+0x20")
                drawing.add(rank, events.MpiIsend(send + 100, peer, world, tag, 1024, sent))
                completed[rank].append((send + 2_000, events.MpiIsendComplete(0, sent)))
                arrival = begin[peer] + 4_000 + 2_000 + LATENCY_NS[link(rank, peer)]
                done = max(arrival, begin[rank] + 8_000)
                completed[rank].append((done, events.MpiIrecv(0, peer, world, 1 - tag, 1024, received)))
                ends[rank] = max(ends[rank], done)
        for rank in range(RANKS):
            wait = begin[rank] + 7_000
            drawing.span(rank, wait, ends[rank] + 500, "MPI_Waitall", "heat+0x30")
            for time, event in sorted(completed[rank], key=lambda pair: pair[0]):
                event.time = max(time, wait + 100)  # type: ignore[attr-defined]
                drawing.add(rank, event)
            self.clocks[rank] = ends[rank] + 600

    def allreduce(self, seq: int) -> None:
        enter = list(self.clocks)
        posts = [enter[rank] + 300 for rank in range(RANKS)]
        self._up(seq, enter, posts)
        self._down(seq, posts)
        for rank in range(RANKS):
            self.clocks[rank] += SPENT_NS
            self.drawing.collective(rank, enter[rank], self.clocks[rank], "MPI_Allreduce", call_site="heat+0x40")
            self.clocks[rank] += 1

    def _up(self, seq: int, enter: list[int], posts: list[int]) -> None:
        for rank in range(RANKS):
            self.clocks[rank] = enter[rank] + 600
        for rank in reversed(range(RANKS)):  # every child has a higher number than its parent
            for child in children_of(rank):
                self._hop(UP, seq, child, rank, posts[rank])
                self.drawing.span(rank, self.clocks[rank], self.clocks[rank] + SPENT_NS, "combine")
                self.clocks[rank] += SPENT_NS

    def _down(self, seq: int, posts: list[int]) -> None:
        for rank in range(RANKS):
            for child in reversed(children_of(rank)):
                self._hop(DOWN, seq, rank, child, posts[child] + 100)

    def _hop(self, role: int, seq: int, src: int, dst: int, post: int) -> None:
        """Draws a hop. The sender spends its time; then the receiver needs the message, and waits if it is not there
        yet."""
        begin = self.clocks[src]
        sent = begin + SPENT_NS
        arrival = begin + LATENCY_NS[link(src, dst)] + self.random.randrange(2_000)
        need = self.clocks[dst]
        waited = arrival > need
        done = (arrival if waited else need) + 100
        self.drawing.hop(
            self.shadow,
            src,
            dst,
            hop_tag(role, seq),
            send=(begin, sent),
            receive=(post, done),
            receive_wait=need + 50 if waited else None,
            request=self.request(),
        )
        self.clocks[src] = sent + 1
        self.clocks[dst] = done + 1


def draw(directory: Path, iterations: int = 40, seed: int = 1) -> Path:
    """Writes the archive and its run.json. Returns the trace directory."""
    places = [Place(*HOSTS[rank % 3], clock_host="n1", pid=1000 + rank, core=rank % 2) for rank in range(RANKS)]
    topology = {
        "schema_version": 1,
        "placement": "round-robin",
        "hosts": [{"name": host, "cluster": cluster} for host, cluster in HOSTS],
        "emulate": {"links": {"wan": {"latency_ns": LATENCY_NS["wan"]}}},
    }
    tree = {
        "schema_version": 1,
        "name": TREE,
        "trees": {TREE: {"shape": TREE}},
        "rules": [{"operations": ["MPI_Allreduce"], "reduce_tree": TREE}],
    }
    facts = {
        "mpi_library": "simulated",
        "command": "./heat 1024",
        "started_at": "2026-11-21T04:00:00Z",
        "mode": "tree",
        "tree_file": json.dumps(tree),
        "topology_file": json.dumps(topology),
        "emulated": topology["emulate"],
        "presence": "complete",
        "event_cost_ns": 25.0,
    }
    drawing = Drawing(directory, places, properties={"HOPSCOPE::RUN": json.dumps(facts)})
    run = Run(drawing, seed)
    run.start()
    for iteration in range(iterations):
        run.compute(iteration)
        run.halo()
        run.allreduce(iteration)
    run.finish()
    drawing.write()
    (directory / "run.json").write_text(json.dumps(facts), encoding="utf-8")
    return directory


if __name__ == "__main__":
    from hopscope.dataset.convert import ensure_dataset

    print(ensure_dataset(draw(Path(sys.argv[1]))))
