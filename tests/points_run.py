"""A run of benchmarks/programs/points.c over emulated links: barrier, broadcast, reduce and alltoall that all ranks
enter together, of several sizes."""

import json
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi

POINTS = Path(__file__).parents[1] / "benchmarks" / "programs" / "points.c"
RANKS, LATENCY_NS, BYTES_PER_SECOND = 4, 2_000_000, 20_000_000
SIZES = (8, 16_384, 131_072)
REPEATED = 7


def run_of_points(mpi: local_mpi.LocalMpi, folder: Path) -> hopscope.Trace:
    """Four ranks on hosts of one cluster, 2 ms apart, whose interfaces carry 20 MB/s: broadcasts and reductions along
    binary trees, a barrier by dissemination, pairwise alltoalls."""
    hosts = [{"name": f"h{rank}", "cluster": "c", "ranks": [rank]} for rank in range(RANKS)]
    interface = {"bytes_per_second": BYTES_PER_SECOND, "cut_through": True}
    emulate = {"links": {"lan": {"latency_ns": LATENCY_NS}}, "host_interface": interface}
    along = {"reduce_tree": "binary", "broadcast_tree": "binary"}
    tree = {
        "schema_version": 1,
        "trees": {"binary": {"shape": "kary", "fan_out": 2}},
        "rules": [
            {"operations": ["MPI_Bcast", "MPI_Reduce"], **along},
            {"operations": ["MPI_Barrier"], "algorithm": "dissemination"},
            {"operations": ["MPI_Alltoall"], "algorithm": "pairwise"},
        ],
    }
    topology = {"schema_version": 1, "hosts": hosts, "placement": "listed", "emulate": emulate}
    files = {"tree": folder / "tree.json", "topology": folder / "topology.json"}
    for file, content in zip(files.values(), (tree, topology), strict=True):
        file.write_text(json.dumps(content))
    options = [word for name, file in files.items() for word in (f"--{name}", str(file))]
    words = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", str(folder / "trace"), *options, "--"]
    numbers = [str(REPEATED), f"3,{RANKS}", ",".join(map(str, SIZES))]
    words += [*mpi.launch(RANKS), str(mpi.compile(POINTS)), *numbers]
    subprocess.run(words, check=True, capture_output=True, timeout=120)
    return hopscope.open(folder / "trace")
