"""The runs that the sample traces record: each one's program, MPI library and settings.

The answers of the analyses on a sample are recorded beside it. A planted run is lighter: a short run with one known
truth, such as the rank that was late. Tests check only this truth.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
PLANTED = "planted"
"""The folder of the planted runs."""

HEAT_PLATE = ROOT / "demo" / "heat_plate.c"
MIX, POINTS_C = (ROOT / "benchmarks" / "programs" / f"{name}.c" for name in ("mix", "points"))
_END_TO_END = ROOT / "tests" / "end_to_end" / "programs"
TWO_HALVES = _END_TO_END / "two_halves.c"
CAUSES = _END_TO_END / "planted.c"
SITUATIONS_C = _END_TO_END / "situations.c"
IMBALANCE_F90, SERIAL_PY = (_END_TO_END / name for name in ("imbalance.f90", "serial_section.py"))
LATE_RECEIVER, LATE_ENDS = (_END_TO_END / f"late_{part}.c" for part in ("receiver", "ends"))
LATE_MESSAGES, EVERY_KIND = (ROOT / "tests" / "native" / "programs" / f"{name}.c" for name in ("late", "collectives"))
ALL_FORMS = FOLDER / "planned_collectives.c"

Options = tuple[str | Mapping[str, Any], ...]


@dataclass(frozen=True)
class Sample:
    """One sample. runs has, for each of its archives, the options of `hopscope run`: for `trace`, or for the pair
    `base` and `new`. A mapping among the options is the content of a file. By default the program is the solver, and
    the MPI library is Open MPI 4. With `first`, the ranks run before all other processes, so that only the planted rank
    is late."""

    ranks: int
    arguments: str
    runs: Mapping[str, Options]
    program: Path = HEAT_PLATE
    release: str = "openmpi-4"
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    first: bool = False


NEWEST = "openmpi-5"
"""The release that has all forms of collectives, also the persistent ones."""
TWO_SITES = ("--topology", "demo/topology.json")
SOLVER = "--tolerance 0 --quiet"
MANY_COLLECTIVES = "sample_traces/many_collectives"

WITHOUT_THE_LIBRARYS = {"HOPSCOPE_NATIVE": "0"}
"""Leaves out the MPI library's own messages, in samples whose recorded answers have none."""

ANSWERED = {
    "changed_tree": Sample(
        4,
        f"{SOLVER} --size 16 --iterations 60 --sleep-ms 2 --no-halo",
        {"base": ("--tree", "hierarchical", *TWO_SITES), "new": ("--tree", "binomial", *TWO_SITES)},
    ),
    "demo": Sample(8, f"{SOLVER} --size 256 --iterations 40", {"trace": ("--tree", "binomial", *TWO_SITES)}),
    "late_rank": Sample(
        4,
        f"{SOLVER} --size 16 --iterations 100 --sleep-ms 6 --late-rank 2 --late-ms 3 --no-halo",
        {"trace": ("--tree", "binomial")},
    ),
    "many_collectives": Sample(
        6,
        "",
        {"trace": ("--tree", f"{MANY_COLLECTIVES}/tree.json", "--topology", f"{MANY_COLLECTIVES}/topology.json")},
        ALL_FORMS,
        NEWEST,
        WITHOUT_THE_LIBRARYS,
        first=True,
    ),
    "native_collectives": Sample(6, "", {"trace": ()}, ALL_FORMS, NEWEST, WITHOUT_THE_LIBRARYS, first=True),
    "observe_only": Sample(6, f"{SOLVER} --size 128 --iterations 60", {"trace": ()}, environment=WITHOUT_THE_LIBRARYS),
}


def _planted(ranks: int, arguments: str, program: Path, *options: str | Mapping[str, Any], **fields: Any) -> Sample:
    return Sample(ranks, arguments, {"trace": options}, program, first=True, **fields)


def _tree(name: str) -> Options:
    return "--tree", name


def _sites(wan_ms: int) -> tuple[str, dict[str, Any]]:
    """Options for two clusters with a host each, and an emulated latency of `wan_ms` between them."""
    hosts = [{"name": "a0", "cluster": "A"}, {"name": "b0", "cluster": "B"}]
    links = {"wan": {"latency_ns": wan_ms * 1_000_000}}
    return "--topology", {"schema_version": 1, "hosts": hosts, "placement": "block", "emulate": {"links": links}}


def _late_ranks() -> Iterator[tuple[str, Sample]]:
    """Samples with a rank that sleeps 20 ms longer than the others, which sleep 6 ms, and one without such a rank."""
    work = f"{SOLVER} --size 16 --iterations 40 --sleep-ms 6"
    late_work = f"{work} --late-rank 2 --late-ms 20"
    native = {"HOPSCOPE_NATIVE": "1"}
    yield "late_by_engine", _planted(4, f"{late_work} --no-halo", HEAT_PLATE, *_tree("binomial"), environment=native)
    yield "late_by_library", _planted(4, f"{late_work} --no-halo", HEAT_PLATE, environment=native)
    yield "late_with_halo", _planted(4, late_work, HEAT_PLATE, *_tree("binomial"))
    yield "on_time", _planted(4, f"{work} --no-halo", HEAT_PLATE, *_tree("binomial"))


def _links() -> Iterator[tuple[str, Sample]]:
    """Samples on two sites, 20 ms or 0 ms apart."""
    work = f"{SOLVER} --size 16 --iterations 20 --sleep-ms 20 --no-halo"
    for wan_ms in (20, 0):
        yield f"wan_{wan_ms}_ms", _planted(4, work, HEAT_PLATE, *_tree("binomial"), *_sites(wan_ms))


def _late_ends() -> Iterator[tuple[str, Sample]]:
    """Samples of point-to-point messages with a late sender, a late receiver and a wrong order."""
    for release in ("openmpi-4", "mpich-5"):
        yield f"late_ends_{release}", _planted(2, "10 8 20 5", LATE_ENDS, release=release)


KIB = 1024


def _receivers() -> Iterator[tuple[str, Sample]]:
    """Samples with a rank that comes 15 ms late to receive messages, in each of 12 iterations."""

    def receiver(op: str, kib: float, *options: str | Mapping[str, Any], late_rank: int = 5, **fields: Any) -> Sample:
        ranks = 2 if op in ("send", "isend") else 6
        late_rank = min(late_rank, ranks - 1)
        return _planted(ranks, f"{op} {int(kib * KIB)} 12 {late_rank} 15", LATE_RECEIVER, *options, **fields)

    for release in ("openmpi-4", "mpich-5"):
        for transport in ("shm", "mpi"):
            settings = {"HOPSCOPE_TRANSPORT": transport}
            sample = receiver("bcast", 256, *_tree("binomial"), release=release, environment=settings)
            yield f"receiver_{transport}_{release}", sample
        for op in ("send", "isend"):
            yield f"receiver_{op}_{release}", receiver(op, 256, release=release)
    for kib in (64, 4096):
        yield f"receiver_{kib}_kib", receiver("bcast", kib, *_tree("binomial"))
    for op, tree in (("bcast", "flat"), ("scatter", "binomial"), ("gather", "binomial"), ("alltoall", "pairwise")):
        yield f"receiver_{op}_{tree}", receiver(op, 256, *_tree(tree))
    for rank in (3, 4, 5):
        yield f"receiver_over_wan_{rank}", receiver("bcast", 256, *_tree("binomial"), *_sites(20), late_rank=rank)
    for op, kib in (("bcast", 64), ("bcast", 4096), ("scatter", 256), ("gather", 256), ("alltoall", 64)):
        sample = receiver(op, kib, environment={"HOPSCOPE_NATIVE": "1"})
        yield f"receiver_native_{op}_{kib}_openmpi-4", sample
    in_messages = {"HOPSCOPE_NATIVE": "mpich", "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": str(10**9)}
    small = (("bcast", 0.0625), ("bcast", 4096), ("scatter", 1), ("gather", 256), ("alltoall", 64))
    for release in ("mpich-4", "mpich-5"):
        for op, kib in small:
            sample = receiver(op, kib, release=release, environment=in_messages)
            yield f"receiver_native_{op}_{kib if kib >= 1 else 'small'}_{release}", sample


def _librarys_paths() -> Iterator[tuple[str, Sample]]:
    """Samples that record Open MPI's own messages: collectives with a rank that is 20 ms late, and every kind of
    collective."""
    native = {"HOPSCOPE_NATIVE": "1"}
    kinds = ("nonblocking", "between", "persistent")
    for release in ("openmpi-4", NEWEST):
        for kind in kinds if release == NEWEST else kinds[:2]:
            yield f"late_{kind}_{release}", _planted(4, kind, LATE_MESSAGES, release=release, environment=native)
        yield f"every_kind_{release}", _planted(4, "", EVERY_KIND, release=release, environment=native)


CULPRITS: dict[str, tuple[str, int, tuple[int, ...]]] = {
    "late_2": ("late", 2, (1,)),
    "late_8": ("late", 8, (5,)),
    "late_2_of_3": ("late", 3, (0, 2)),
    "late_2_of_4": ("late", 4, (1, 2)),
    "late_4_of_8": ("late", 8, (0, 3, 5, 6)),
    "started_2": ("started", 2, (1,)),
    "started_4": ("started", 4, (2,)),
    "overlap_2": ("overlap", 2, (1,)),
    "overlap_3": ("overlap", 3, (1,)),
    "overlap_4": ("overlap", 4, (2,)),
    "message_3": ("message", 3, (1,)),
    "message_4": ("message", 4, (1,)),
    "message_8": ("message", 8, (1,)),
    "inner_4": ("inner", 4, (2,)),
    "inner_8": ("inner", 8, (4,)),
    "persistent_4": ("persistent", 4, (2,)),
}
"""The fault planted in a run of `planted.c`, the number of ranks, and the ranks to blame."""

WITHOUT_HOPS: Final = ("started_4", "overlap_4", "persistent_4")
"""Runs with nonblocking or persistent collectives that are also recorded under MPICH, where these have no hops."""


def cause(name: str, release: str) -> str:
    """The name of the planted run."""
    return f"cause_{name}_{release}"


def _causes() -> Iterator[tuple[str, Sample]]:
    """Samples with ranks that work 8 ms longer than the others, which work 2 ms, and some without such ranks."""
    for release in ("openmpi-4", NEWEST):
        for name, (kind, _, _) in CULPRITS.items():
            if kind == "persistent" and release != NEWEST:
                continue
            yield cause(name, release), _caused(name, release)
    for name in WITHOUT_HOPS:
        yield cause(name, "mpich-5"), _caused(name, "mpich-5")


def _caused(name: str, release: str) -> Sample:
    kind, ranks, late_ranks = CULPRITS[name]
    return _planted(ranks, f"{kind} 40 2 8 {' '.join(map(str, late_ranks))}", CAUSES, release=release)


def _crossings() -> Iterator[tuple[str, Sample]]:
    """Samples of the algorithm `leaders` on two to four clusters that are 20 ms apart. Nine ranks are placed on the
    clusters in turn, and each cluster has two hosts."""
    operations = ["allreduce", "reduce", "bcast", "barrier", "allgather", "allgatherv", "reduce_scatter"]
    names = [f"MPI_{name.capitalize()}" for name in operations]
    words = " ".join(f"{name} 72" for name in operations)
    for clusters, exchange in ((2, "all-to-all"), (3, "ring"), (3, "recursive-doubling"), (4, "recursive-doubling")):
        hosts = [
            {"name": f"{'ABCD'[cluster]}{host}", "cluster": "ABCD"[cluster], "ranks": ranks}
            for cluster in range(clusters)
            for host in range(2)
            if (ranks := [*range(9)][cluster + host * clusters :: 2 * clusters])
        ]
        links = {"wan": {"latency_ns": 20_000_000}}
        topology = {"schema_version": 1, "placement": "listed", "hosts": hosts, "emulate": {"links": links}}
        rule = {"operations": names, "algorithm": "leaders", "between": exchange}
        options = ("--tree", {"schema_version": 1, "rules": [rule]}, "--topology", topology)
        yield f"leaders_{clusters}_{exchange}", _planted(9, f"2 0 {words}", MIX, *options)


def _hosts(clusters: str) -> list[dict[str, str]]:
    """Hosts, one for each letter, each in the cluster that has the letter as its name."""
    return [{"name": f"h{number}", "cluster": cluster} for number, cluster in enumerate(clusters)]


SITUATIONS: dict[str, tuple[str, tuple[int, ...]]] = {
    "balanced": ("balanced 30 5 0", (2, 4, 8)),
    "imbalance": ("imbalance 30 5 2", (2, 4, 8)),
    "gradient": ("gradient 30 5 2", (2, 4, 8)),
    "serial": ("serial 30 5 2", (2, 4, 8)),
    "rotating": ("rotating 32 5 2", (2, 4, 8)),
    "noise": ("noise 160 2 1", (2, 4, 8)),
    "sender": ("sender 30 5 2", (2, 4, 8)),
    "receiver": ("receiver 30 5 2", (2, 4, 8)),
    "order": ("order 30 5 2", (3, 4, 8)),
    "comms": ("comms 10 5 20", (2, 4, 8)),
    "small": ("small 10 0.2 150", (2, 4, 8)),
    "large": ("large 15 0.5 8192", (2, 4)),
    "start": ("start 20 2 3000", (2, 4, 8)),
    "overlap": ("overlap 20 5 1024", (2, 4, 8)),
    "host": ("host 30 5 2", (4, 8)),
    "link": ("balanced 30 5 0", (4, 8)),
    "pairs": ("pairs 20 2 64", (4, 8)),
    "crossings": ("algorithm 16 5 3", (4, 8)),
    "algorithm": ("algorithm 16 0.1 8", (8,)),
}
"""The arguments of `situations.c` for each problem, and the numbers of ranks with which it is recorded."""
SLOW_LINK: Final = ("C", "D")
"""The sites between which messages take longer than between others."""
RING: dict[str, str] = {
    "OMPI_MCA_coll_han_priority": "0",
    "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
    "OMPI_MCA_coll_tuned_allreduce_algorithm": "4",
    "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring",
    "MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE": "0",
}
"""Settings of Open MPI and of MPICH for a ring, which is slow for few bytes and crosses between hosts repeatedly."""
_HOSTS: dict[str, Options] = {
    "host": ("--topology", {"schema_version": 1, "placement": "block", "hosts": _hosts("AA")}),
    "link": (
        "--net",
        {
            "schema_version": 1,
            "hosts": _hosts("ABCD"),
            "network": {
                "links": {"wan": {"latency_ns": 1_000_000}},
                "cluster_pairs": [
                    {"from": src, "to": dst, "latency_ns": 10_000_000} for src, dst in (SLOW_LINK, SLOW_LINK[::-1])
                ],
            },
        },
    ),
    "pairs": (
        "--net",
        {
            "schema_version": 1,
            "hosts": _hosts("AB"),
            "network": {"links": {"wan": {"latency_ns": 1_000_000, "bytes_per_second": 5e7}}},
        },
    ),
    "crossings": (
        "--net",
        {"schema_version": 1, "hosts": _hosts("AB"), "network": {"links": {"wan": {"latency_ns": 10_000_000}}}},
    ),
}
"""The options that place a problem's ranks on several hosts."""


_BY_RING: Final = ("algorithm", "crossings")


def situation(name: str, ranks: int, release: str) -> str:
    """The name of the planted run."""
    return f"situation_{name}_{ranks}_{release}"


def has_hops(name: str, release: str) -> bool:
    """True if the library's messages show the problem. Messages of MPICH's nonblocking collectives are not recorded,
    and the replay misses the time of its ranks that share a core while they poll."""
    return name not in ("overlap", "algorithm") or release != "mpich-5"


def _situations() -> Iterator[tuple[str, Sample]]:
    """Samples with one known problem each, recorded with the messages of three libraries."""
    native = {"HOPSCOPE_NATIVE": "1"}
    in_messages = {"HOPSCOPE_NATIVE": "mpich", "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": str(10**9)}
    for release, settings in (("openmpi-4", native), (NEWEST, native), ("mpich-5", in_messages)):
        for name, (arguments, sizes) in SITUATIONS.items():
            for ranks in sizes if has_hops(name, release) else ():
                options = _HOSTS.get(name, ())
                environment = {**settings, **(RING if name in _BY_RING else {})}
                sample = _planted(ranks, arguments, SITUATIONS_C, *options, release=release, environment=environment)
                # Ranks with priority would keep the relay of a network off the cores.
                yield situation(name, ranks, release), dataclasses.replace(sample, first="--net" not in options)


OTHER_LANGUAGES: dict[str, Path] = {"imbalance_fortran": IMBALANCE_F90, "serial_python": SERIAL_PY}
"""Programs with a problem that are not written in C. Debug information of the Fortran program is beside its trace, so
that call sites have lines."""


def _other_languages() -> Iterator[tuple[str, Sample]]:
    """Samples of the programs in OTHER_LANGUAGES, on four ranks."""
    for name, program in OTHER_LANGUAGES.items():
        yield situation(name, 4, "openmpi-4"), _planted(4, "", program)


CHAIN = {"reduce_tree": "chain", "broadcast_tree": "chain"}
SLOW: dict[str, dict[str, str]] = {
    "gather": CHAIN,
    "scatter": CHAIN,
    "allgather": {"algorithm": "ring"},
    "allgatherv": {"algorithm": "ring"},
    "alltoall": {"algorithm": "pairwise"},
    "alltoallv": {"algorithm": "pairwise"},
    "reduce_scatter": {"algorithm": "ring"},
    "reduce_scatter_block": {"algorithm": "ring"},
    "scan": {"algorithm": "linear"},
    "exscan": {"algorithm": "linear"},
}
"""For each operation, an algorithm that is slow if ranks are placed on two sites in turn, because it crosses between
them again and again."""


def slow_file(*operations: str) -> dict[str, Any]:
    """A tree file that makes the operations slow."""
    rules = [{"operations": [f"MPI_{operation.capitalize()}"], **SLOW[operation]} for operation in operations]
    return {"schema_version": 1, "trees": {"chain": {"shape": "chain"}}, "rules": rules}


SLOW_ITERATIONS = 8


def slow_arguments(operation: str) -> str:
    """Arguments of the program `mix` for this operation only, in iterations separated by the library's barrier."""
    return f"{SLOW_ITERATIONS} 1000 {operation} 1024 barrier 0"


def dealt_sites(wan_ms: int) -> dict[str, Any]:
    """Topology of two sites with a host each, on which ranks are placed in turn. All messages of a host share its
    interface."""
    topology = _sites(wan_ms)[1]
    interface = {"bytes_per_second": 5e7, "cut_through": True}
    emulated = topology["emulate"] | {"host_interface": interface}
    return topology | {"placement": "round-robin", "emulate": emulated}


def _to_be_improved() -> Iterator[tuple[str, Sample]]:
    """Samples with slow trees, over ranks placed in turn on two sites. `remap` finds a faster tree for each sample."""
    dealt = _sites(20)[1] | {"placement": "round-robin"}
    words = " ".join(f"{operation} 1024" for operation in SLOW)
    yield "slow_operations", _planted(6, f"4 0 {words}", MIX, "--tree", slow_file(*SLOW), "--topology", dealt)
    for operation in SLOW:
        options = ("--tree", slow_file(operation), "--topology", dealt_sites(20))
        yield f"slow_{operation}", _planted(6, slow_arguments(operation), MIX, *options)
    yield "slow_halves", _planted(8, "10", TWO_HALVES, *_tree("chain"), *_sites(10))
    words = "12 500 allreduce 8 bcast 1048576"
    dealt = _sites(10)[1] | {"placement": "round-robin"}
    yield "slow_parts", _planted(8, words, MIX, *_tree("chain"), "--topology", dealt)


POINT_RANKS, POINT_LATENCY_NS, POINT_BYTES_PER_SECOND = 4, 2_000_000, 20_000_000
POINT_SIZES, POINT_TIMES = (8, 16_384, 131_072), 7
"""Bytes of the messages of the run `points`, and its number of calls of each operation."""


def _points() -> Iterator[tuple[str, Sample]]:
    """A sample on four hosts of one cluster: broadcasts and reductions along binary trees, a barrier by dissemination,
    and pairwise alltoalls. All ranks enter each collective together."""
    interface = {"bytes_per_second": POINT_BYTES_PER_SECOND, "cut_through": True}
    emulate = {"links": {"lan": {"latency_ns": POINT_LATENCY_NS}}, "host_interface": interface}
    hosts = [{"name": f"h{rank}", "cluster": "c", "ranks": [rank]} for rank in range(POINT_RANKS)]
    topology = {"schema_version": 1, "hosts": hosts, "placement": "listed", "emulate": emulate}
    tree = {
        "schema_version": 1,
        "trees": {"binary": {"shape": "kary", "fan_out": 2}},
        "rules": [
            {"operations": ["MPI_Bcast", "MPI_Reduce"], "reduce_tree": "binary", "broadcast_tree": "binary"},
            {"operations": ["MPI_Barrier"], "algorithm": "dissemination"},
            {"operations": ["MPI_Alltoall"], "algorithm": "pairwise"},
        ],
    }
    words = f"{POINT_TIMES} 3,{POINT_RANKS} {','.join(map(str, POINT_SIZES))}"
    yield "points", _planted(POINT_RANKS, words, POINTS_C, "--tree", tree, "--topology", topology)


_RUNS = (
    _late_ranks,
    _links,
    _late_ends,
    _receivers,
    _librarys_paths,
    _causes,
    _crossings,
    _to_be_improved,
    _points,
    _situations,
    _other_languages,
)
SAMPLES = ANSWERED | {f"{PLANTED}/{name}": sample for runs in _RUNS for name, sample in runs()}
