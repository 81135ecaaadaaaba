"""A candidate for a recorded run: its change of the run, and its predicted gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from hopscope.mpi_libraries.written import Choice

if TYPE_CHECKING:
    import pyarrow as pa

Kind = Literal["tree", "setting", "order"]


class HasTables(Protocol):
    """The interface of a trace that remapping needs."""

    def table(self, name: str) -> pa.Table:
        """One table of the dataset."""
        ...


@dataclass(frozen=True)
class Structure:
    """The structure of an algorithm. depth: the number of messages in its longest chain of messages that wait for one
    another. wan_crossings: the largest number of WAN messages in such a chain. wan_messages: the number of WAN messages
    in a collective. None if the value is unknown, as for messages of the MPI library."""

    depth: int | None = None
    wan_crossings: int | None = None
    wan_messages: int = 0


@dataclass(frozen=True)
class Candidate:
    """A change of the run, and its prediction.

    predicted_gain: the saved share of an iteration's time, with the interval gain_low to gain_high; None without a
    prediction, and `reason_unpredicted` says why. predicted_ns: the mean time of an iteration, with its interval.
    extrapolates: everything that the candidate uses and the run did not measure, such as a class of links.

    The change is one of these: `tree`, the text of a tree file; `choices` and `besides`, algorithms of the MPI library
    and further parameters or variables to set with them (`mpi_libraries.written.setting_file` writes both); or `hosts`,
    the host of each rank of MPI_COMM_WORLD (`mpi_libraries.rank_files.write_order` writes them).

    parts: labels of the selections that the candidate changes. is_suggested: True for at most one of the candidates.
    """

    name: str
    kind: Kind
    operations: tuple[str, ...] = ()
    predicted_gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    extrapolates: tuple[str, ...] = ()
    reason_unpredicted: str | None = None
    tree: str | None = None
    choices: tuple[Choice, ...] = ()
    besides: tuple[tuple[str, str], ...] = ()
    hosts: tuple[str, ...] = ()
    predicted_ns: float | None = None
    predicted_low_ns: float | None = None
    predicted_high_ns: float | None = None
    structure: Structure = Structure()
    comm: int | None = None
    bytes: tuple[int, int] | None = None
    parts: tuple[str, ...] = ()
    is_suggested: bool = False
