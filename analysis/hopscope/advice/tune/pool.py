"""The candidates for a recorded run: other settings of its MPI library and launcher, and the engine's trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from hopscope.advice.remap import candidates
from hopscope.advice.sweep.decision import choices_of, extra_settings_of
from hopscope.advice.sweep.measured import read
from hopscope.advice.tune.candidate import FOLDER, HOSTS, TREE, Candidate
from hopscope.errors import InputError
from hopscope.launch.command import launcher_options
from hopscope.launch.inputs import kind_of
from hopscope.launch.network.launchers import OWN_PLACEMENT
from hopscope.machine.parameters import read_machine
from hopscope.machine.parameters.link_costs import with_probed_links
from hopscope.mpi_libraries.installed import flavour_of
from hopscope.mpi_libraries.offered import operation_name
from hopscope.mpi_libraries.rank_files import file_of, launcher_of
from hopscope.query.opened import OpenedTrace
from hopscope.replay.basis import Recost

MOST_CANDIDATES: Final = 12
"""The largest number of candidates that are measured."""
_LEAST_CHANGE: Final = 1e-3
"""An algorithm with a smaller predicted change is left out: it sends the same messages as the baseline."""
_EAGER_BYTES: Final = 1 << 20
_EAGER: Final = {"btl_tcp_eager_limit": 64 << 10, "btl_vader_eager_limit": 4 << 10, "btl_sm_eager_limit": 4 << 10}
"""Open MPI's default limits in bytes: up to them, a message is sent without waiting for the receiver."""
_BINDING: Final = {"--bind-to", "-bind-to", "--cpu-set", "--cpu-list", "--rankfile", "-rankfile", "-rf"}


@dataclass(frozen=True)
class Recorded:
    """A recorded run and the launcher's words that started it."""

    trace: OpenedTrace
    words: Sequence[str]
    on_network: bool

    @property
    def library(self) -> str:
        """The version text of the run's MPI library."""
        return str(self.trace.run_facts.get("mpi_library") or "")

    @property
    def flavour(self) -> str | None:
        """`openmpi`, `mpich` or None."""
        return flavour_of(self.library)

    @cached_property
    def hosts(self) -> list[str]:
        """The host of each rank."""
        return [row["host"] for row in self.trace.sql("select host from ranks order by rank").to_pylist()]

    @property
    def target(self) -> dict[str, Any]:
        """The target that a tuning is valid for: number of ranks, host of each rank, and MPI library."""
        return {"ranks": self.trace.run_facts["ranks"], "hosts": self.hosts, "mpi_library": self.library}

    @cached_property
    def diagnosis(self) -> list[dict[str, Any]]:
        """The entries of the diagnosis, the costliest first."""
        return self.trace.run("diagnose").to_pylist()

    @property
    def is_oversubscribed(self) -> bool:
        """True if the diagnosis says that ranks outnumber cores."""
        return any(entry["kind"] == "oversubscribed" for entry in self.diagnosis)

    @property
    def is_open_mpi_4(self) -> bool:
        """True if the library's parameters have the names of Open MPI 4."""
        return launcher_of(self.library) == "openmpi-4"


def candidates_for(
    recorded: Recorded, machine: Path | None = None, *, engine: bool = False
) -> tuple[list[Candidate], list[str]]:
    """At most MOST_CANDIDATES candidates, the most promising first, and sentences on proposals that failed.

    machine: the file of a sweep, whose rules become the first candidate; or the file of a probe, whose link costs the
    replay uses. engine: True also proposes the algorithms of Hopscope's engine.
    """
    swept: list[Candidate] = []
    recost: Recost | None = None
    if machine is not None and kind_of(machine) == "machine":
        recost = partial(with_probed_links, read_machine(machine))
    elif machine is not None:
        swept = list(_swept(recorded, machine))
    proposed, notes = all_candidates(recorded, recost, engine=engine)
    return [*swept, *screened(proposed)][:MOST_CANDIDATES], notes


def all_candidates(
    recorded: Recorded, recost: Recost | None = None, *, engine: bool = False
) -> tuple[list[Candidate], list[str]]:
    """All candidates, unordered, and sentences on proposals that failed. recost: changes the costs of the replay."""
    notes: list[str] = []
    pool = [*_bindings(recorded), *_parameters(recorded)]
    proposals = [_orders(recorded), _settings(recorded, recost), *([_trees(recorded, recost)] if engine else [])]
    for proposal in proposals:
        try:
            pool += proposal
        except InputError as problem:
            notes.append(str(problem))
    return pool, notes


def screened(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The most promising candidates: alternately one with a predicted gain and one without a prediction, then those
    with a predicted loss."""
    gains = sorted(
        (candidate for candidate in candidates if _gain(candidate) > 0), key=lambda candidate: -_gain(candidate)
    )
    losses = sorted(
        (candidate for candidate in candidates if _gain(candidate) < 0), key=lambda candidate: -_gain(candidate)
    )
    unpredicted = sorted((candidate for candidate in candidates if _gain(candidate) == 0), key=_reluctance)
    turns = (candidate for pair in zip_longest(gains, unpredicted) for candidate in pair if candidate is not None)
    return [*turns, *losses][:MOST_CANDIDATES]


def _gain(candidate: Candidate) -> float:
    return candidate.predicted_gain or 0.0


def _reluctance(candidate: Candidate) -> int:
    """The sort key of a candidate without a prediction, the smallest first. A pipeline with segments that are sent
    eagerly may gain most; with longer segments, it waits for a CTS for each segment."""
    if candidate.kind != "algorithm":
        return 0
    segment = max((choice.segment_bytes for choice in candidate.choices), default=0)
    return 1 if 0 < segment < _EAGER["btl_tcp_eager_limit"] else 3 if segment else 2


def _swept(recorded: Recorded, machine: Path) -> Iterator[Candidate]:
    """The rules of a sweep for the operations of this run. Raises InputError where the sweep measured another
    library."""
    sweep = read(machine)
    if sweep.made["library"].split(",")[0] != recorded.library.split(",")[0]:
        raise InputError(
            f"{machine} was measured with {sweep.made['library']}, and the program runs {recorded.library}"
        )
    operations = {
        operation_name(row["op"]) for row in recorded.trace.sql("select distinct op from collectives").to_pylist()
    }
    choices = [choice for choice in choices_of(sweep) if choice.algorithm.operation in operations]
    if choices:
        extra_settings = tuple(extra_settings_of(sweep, choices))
        yield Candidate(f"rules of {machine.name}", "algorithm", choices=tuple(choices), besides=extra_settings)


def _settings(recorded: Recorded, recost: Recost | None) -> Iterator[Candidate]:
    """The library's own algorithms for the collectives that cost time. A predicted loss is ignored where it
    extrapolates, for example to sizes that the recorded run does not have."""
    for proposed in candidates(recorded.trace, "setting", launcher=recorded.words[0], recost=recost):
        gain = proposed.predicted_gain
        if gain is not None and gain < 0 and proposed.extrapolates:
            gain = None
        if (proposed.choices or proposed.besides) and (gain is None or abs(gain) >= _LEAST_CHANGE):
            name = f"{operation_name(proposed.operations[0])}: {proposed.name}"
            yield Candidate(name, "algorithm", choices=proposed.choices, besides=proposed.besides, predicted_gain=gain)


def _orders(recorded: Recorded) -> Iterator[Candidate]:
    """The rank order that the replay prefers, where there are several hosts and the command does not place ranks. The
    replay always uses costs that were fitted to the run's hops, never a probe's."""
    baseline = recorded.hosts
    launcher = launcher_of(recorded.library)
    if len(set(baseline)) < 2 or launcher is None or OWN_PLACEMENT & set(launcher_options(recorded.words)):
        return
    for proposed in candidates(recorded.trace, "order"):
        if list(proposed.hosts) != baseline:
            file = file_of(launcher, list(proposed.hosts), f"{FOLDER}/{HOSTS}", recorded.library)
            words = [word.strip("'") for word in file.command.split()]
            options = tuple(words[words.index("-n") + 2 :])
            gain = proposed.predicted_gain
            yield Candidate("rank order", "order", options=options, files={HOSTS: file.text}, predicted_gain=gain)


def _trees(recorded: Recorded, recost: Recost | None) -> Iterator[Candidate]:
    """Algorithms of Hopscope's engine, instead of the library's."""
    for proposed in candidates(recorded.trace, "tree", recost=recost):
        if proposed.tree is not None:
            name, gain = f"engine: {proposed.name}", proposed.predicted_gain
            yield Candidate(name, "tree", files={TREE: proposed.tree}, tree=True, predicted_gain=gain)


def _bindings(recorded: Recorded) -> Iterator[Candidate]:
    """Candidates that bind ranks to cores in another way and, if ranks outnumber cores, make waiting ranks yield their
    core."""
    free = not _BINDING & set(launcher_options(recorded.words)) and not recorded.on_network
    if recorded.flavour == "openmpi":
        if free:
            target = "none" if recorded.is_oversubscribed else "core"
            yield Candidate(f"bind to {target}", "binding", options=("--bind-to", target))
        if recorded.is_oversubscribed and not recorded.on_network:
            yield Candidate("yield when idle", "binding", options=("--mca", "mpi_yield_when_idle", "1"))
    elif recorded.flavour == "mpich":
        if free and not recorded.is_oversubscribed:
            yield Candidate("bind to core", "binding", options=("-bind-to", "core"))
        if recorded.is_oversubscribed:
            throttle = "MPIR_CVAR_CH4_PROGRESS_THROTTLE"
            variables = {throttle: "1", f"{throttle}_NO_PROGRESS_COUNT": "1"}
            yield Candidate("yield when idle", "binding", variables=variables)


def _parameters(recorded: Recorded) -> Iterator[Candidate]:
    """Candidates for Open MPI: a larger eager limit if this run has messages between the limits, and `han` switched on
    or off."""
    if recorded.flavour != "openmpi":
        return
    several_hosts = len(set(recorded.hosts)) > 1
    rows = recorded.trace.sql(
        "select bytes as size, count(*) as messages from messages group by all "
        "union all select bytes, count(*) from hops group by all"
    ).to_pylist()
    shared = "btl_vader_eager_limit" if recorded.is_open_mpi_4 else "btl_sm_eager_limit"
    limits = [shared, *(["btl_tcp_eager_limit"] if several_hosts else [])]
    concerned = [name for name in limits if any(_EAGER[name] < row["size"] < _EAGER_BYTES for row in rows)]
    if concerned:
        options = [word for name in concerned for word in ("--mca", name, str(_EAGER_BYTES))]
        yield Candidate("eager up to 1 MiB", "parameter", options=tuple(options))
    if several_hosts and len(set(recorded.hosts)) < len(recorded.hosts):
        name, value = ("han for several hosts", "100") if recorded.is_open_mpi_4 else ("no han", "0")
        yield Candidate(name, "parameter", options=("--mca", "coll_han_priority", value))
