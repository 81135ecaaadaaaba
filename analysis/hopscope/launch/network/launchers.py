"""Makes a launcher start its ranks on the hosts of an emulated network, by options for each MPI library and release.

Ranks of one host share memory. Ranks of different hosts communicate only over the network.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from hopscope.errors import InputError
from hopscope.launch.command import launcher_options, rank_count
from hopscope.launch.network.holder import Network
from hopscope.launch.network.mca import reconcile
from hopscope.launch.network.plan import INTERFACE

_OWN_HOSTS = {"--host", "-H", "-host", "--hostfile", "-hostfile", "-machinefile", "--machinefile", "-f", "-hosts"}
_OWN_MAPPING = {"--map-by", "-map-by", "--rankfile", "-rankfile", "-rf", "--bynode", "--byslot", "-rankmap", "-ppn"}
OWN_PLACEMENT = _OWN_HOSTS | _OWN_MAPPING
"""Options by which a command places its ranks itself."""


@dataclass(frozen=True)
class Launcher:
    """A launcher, and its options for starting ranks on a network's hosts."""

    version: re.Pattern[str]
    """Pattern of its `--version` text."""
    words: tuple[str, ...]
    """The options for every job. {agent}, {interface}, {folder} and {hosts} are filled in."""
    block: tuple[str, ...]
    """The options that place ranks in blocks, by the hosts' slots."""
    round_robin: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()


_AS_ROOT = (("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"))

LAUNCHERS = (
    # Every host sees all cores of the machine. So a launcher must not bind ranks: it would bind the ranks of each host
    # to the same first cores. Ranks must yield when they wait, although no host sees that ranks outnumber cores.
    # Open MPI keeps a job's files in a folder named after host and process, which may be the same in two networks.
    Launcher(
        re.compile(r"Open MPI\) 4\.|OpenRTE\) 4\."),
        (
            *("--mca", "plm_rsh_agent", "{agent}", "--mca", "oob_tcp_if_include", "{interface}"),
            *("--mca", "orte_tmpdir_base", "{folder}"),
            *("--mca", "pml", "ob1", "--mca", "btl", "vader,tcp,self", "--mca", "btl_tcp_if_include", "{interface}"),
            *("--mca", "mpi_yield_when_idle", "1"),
            *("--host", "{hosts}", "--bind-to", "none", "--oversubscribe"),
        ),
        block=("--map-by", "slot"),
        round_robin=("--map-by", "node"),
        variables=_AS_ROOT,
    ),
    Launcher(
        re.compile(r"Open MPI\) 5\.|PRRTE|prterun"),
        (
            *("--prtemca", "plm_ssh_agent", "{agent}", "--prtemca", "prte_if_include", "{interface}"),
            *("--prtemca", "prte_tmpdir_base", "{folder}"),
            *("--mca", "pml", "ob1", "--mca", "btl", "sm,tcp,self", "--mca", "btl_tcp_if_include", "{interface}"),
            *("--mca", "mpi_yield_when_idle", "1"),
            *("--host", "{hosts}", "--bind-to", "none"),
        ),
        block=("--map-by", "slot:oversubscribe"),
        round_robin=("--map-by", "node:oversubscribe"),
        variables=(*_AS_ROOT, ("PRTE_ALLOW_RUN_AS_ROOT", "1"), ("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1")),
    ),
    Launcher(
        re.compile(r"Intel\(R\) MPI"),
        ("-launcher", "ssh", "-launcher-exec", "{agent}", "-iface", "{interface}", "-hosts", "{hosts}"),
        block=(),
        round_robin=(),
        variables=(("I_MPI_PIN", "0"), ("FI_PROVIDER", "tcp"), ("FI_TCP_IFACE", INTERFACE)),
    ),
    Launcher(
        re.compile(r"HYDRA|MPICH"),
        ("-launcher", "ssh", "-launcher-exec", "{agent}", "-iface", "{interface}", "-hosts", "{hosts}"),
        block=(),
        round_robin=(),
        # UCX takes hosts that share a kernel for one host, and would pass messages between them through memory.
        variables=(("UCX_TLS", "tcp,self"), ("UCX_NET_DEVICES", INTERFACE), ("FI_PROVIDER", "tcp")),
    ),
)


def slots(ranks: int, hosts: int) -> list[int]:
    """The number of ranks on each host, in equal blocks. If ranks are left over, the first hosts get one more each."""
    return [ranks // hosts + (host < ranks % hosts) for host in range(hosts)]


def _launcher(word: str) -> Launcher:
    path = shutil.which(word)
    version = ""
    if path is not None:
        try:
            done = subprocess.run(
                [path, "--version"], capture_output=True, text=True, check=False, timeout=30, stdin=subprocess.DEVNULL
            )
            version = done.stdout + done.stderr
        except (OSError, subprocess.TimeoutExpired):
            pass
    launcher = next((launcher for launcher in LAUNCHERS if launcher.version.search(version)), None)
    if launcher is None:
        raise InputError(
            f"--net does not know the launcher {word!r}; start the command with mpirun or mpiexec of Open MPI 4 or 5, "
            "or of MPICH or Intel MPI"
        )
    return launcher


def on_hosts(words: Sequence[str], network: Network) -> tuple[list[str], dict[str, str]]:
    """The command line that runs a job on the hosts of a network, and the variables that it needs. The launcher itself
    runs on the first host. If the command names hosts, places ranks or sets MCA parameters, these options stay.

    Raises InputError for an unknown launcher, for a command without the number of ranks, or for an MCA parameter that
    does not fit the network.
    """
    launcher = _launcher(words[0])
    options = launcher_options(words)
    own_hosts, own_mapping = (not words_of.isdisjoint(options) for words_of in (_OWN_HOSTS, _OWN_MAPPING))
    ranks = rank_count(words)
    if ranks is None and not own_hosts:
        raise InputError(
            "--net places the ranks on the network's hosts, so their number must be known; give it as an option of the "
            "launcher, such as `mpirun -n 8`"
        )
    dealt = () if own_mapping else launcher.round_robin if _deals(network) else launcher.block
    filled = [
        word.format(
            agent=network.agent,
            interface=INTERFACE,
            folder=network.folder,
            hosts=_host_list(network, ranks or 0, cycles=not launcher.round_robin),
        )
        for word in (*launcher.words, *dealt)
    ]
    if own_hosts:
        position = next(i for i, word in enumerate(launcher.words) if word == "{hosts}")
        del filled[position - 1 : position + 1]
    filled, words = reconcile(words, filled)
    variables = {name: value for name, value in launcher.variables if name not in os.environ}
    return [*network.on_host(network.spec.hosts[0]), words[0], *filled, *words[1:]], variables


def _deals(network: Network) -> bool:
    return network.spec.placement == "round-robin"


def _host_list(network: Network, ranks: int, *, cycles: bool) -> str:
    """The list of hosts and slots, such as `a0:2,a1:2`. cycles: True for a launcher that begins its list again at the
    end. With one slot for each host, such a launcher places ranks round robin."""
    of_host = slots(ranks, len(network.spec.hosts))
    if cycles and _deals(network):
        of_host = [min(1, count) for count in of_host]
    return ",".join(f"{name}:{count}" for name, count in zip(network.spec.hosts, of_host, strict=True) if count)
