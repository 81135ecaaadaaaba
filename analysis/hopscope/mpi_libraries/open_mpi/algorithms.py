"""Open MPI's algorithms: their numbers and names in its component coll/tuned, by operation, and the recognised names of
their messages. Numbers and names are the same in releases 4.1 and 5.0.

The algorithms' names are those of `ompi_info --param coll tuned --level 9`; the messages' names are those that
hopscope.algorithms gives. If the messages depend on the number of ranks or chains, a function of both returns their
name, or None if Open MPI refuses to run the algorithm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

OWN_CHOICE: Final = "own choice"
"""Stands for the name of messages if the algorithm calls other operations, whose algorithms `tuned` chooses itself."""


class Instead(str):
    """The name of messages of another algorithm, which `tuned` runs instead of the requested one."""

    __slots__ = ()


Sent = str | Callable[[int, int], str | None]


class Algorithm(NamedTuple):
    """An algorithm of coll/tuned. sent: the name of its messages, or a function of ranks and chains that returns it."""

    name: str
    function: str
    """The function that runs the algorithm, by the end of its name, as in the recorded column `calls.algorithm`."""
    sent: Sent


def _above_size(small_ranks: int, name: str, small_name: str) -> Sent:
    """A function that returns `small_name` for up to `small_ranks` ranks, and `name` for more."""
    return lambda ranks, chains: small_name if ranks <= small_ranks else name


def _in_chains(ranks: int, chains: int) -> str:
    if ranks <= max(chains, 1) + 1:
        return "linear"
    return f"chain:{chains}" if chains > 1 else "chain"


def _doubling_or_bruck(ranks: int, chains: int) -> str:
    return "recursive-doubling" if ranks & (ranks - 1) == 0 else Instead("bruck")


def _neighbor_or_ring(ranks: int, chains: int) -> str:
    return _TWO if ranks == 2 else Instead("ring") if ranks % 2 else "neighbor-exchange"


def _two_only(name: str) -> Sent:
    return lambda ranks, chains: name if ranks == 2 else None


_TWO = "recursive-doubling"
"""The recognised name of several algorithms on two ranks, which then just exchange their whole messages."""

ALGORITHMS: Final[Mapping[tuple[str, int], Algorithm]] = {
    ("allreduce", 1): Algorithm("basic_linear", "basic_linear", _above_size(2, "linear", _TWO)),
    ("allreduce", 2): Algorithm("nonoverlapping", "nonoverlapping", OWN_CHOICE),
    ("allreduce", 3): Algorithm("recursive_doubling", "recursivedoubling", "recursive-doubling"),
    ("allreduce", 4): Algorithm("ring", "ring", _above_size(2, "ring", _TWO)),
    ("allreduce", 5): Algorithm("segmented_ring", "ring_segmented", "segmented-ring"),
    ("allreduce", 6): Algorithm("rabenseifner", "redscat_allgather", _above_size(2, "rabenseifner", _TWO)),
    ("reduce", 1): Algorithm("linear", "basic_linear", "linear"),
    ("reduce", 2): Algorithm("chain", "chain", _in_chains),
    ("reduce", 3): Algorithm("pipeline", "pipeline", _above_size(2, "chain", "linear")),
    ("reduce", 4): Algorithm("binary", "binary", _above_size(2, "binary", "linear")),
    ("reduce", 5): Algorithm("binomial", "binomial", _above_size(2, "binomial", "linear")),
    ("reduce", 6): Algorithm("in-order_binary", "in_order_binary", _above_size(2, "in-order-binary", "linear")),
    ("reduce", 7): Algorithm("rabenseifner", "redscat_gather", "rabenseifner"),
    ("bcast", 1): Algorithm("basic_linear", "basic_linear", "linear"),
    ("bcast", 2): Algorithm("chain", "chain", _in_chains),
    ("bcast", 3): Algorithm("pipeline", "pipeline", _above_size(2, "chain", "linear")),
    ("bcast", 4): Algorithm("split_binary_tree", "split_bintree", "split-binary"),
    ("bcast", 5): Algorithm("binary_tree", "bintree", _above_size(2, "binary", "linear")),
    ("bcast", 6): Algorithm("binomial", "binomial", _above_size(2, "binomial", "linear")),
    ("bcast", 7): Algorithm("knomial", "knomial", _above_size(5, "k-nomial:4", "linear")),
    ("bcast", 8): Algorithm("scatter_allgather", "scatter_allgather", "scatter-doubling"),
    ("bcast", 9): Algorithm(
        "scatter_allgather_ring", "scatter_allgather_ring", _above_size(2, "scatter-ring", "scatter-doubling")
    ),
    ("barrier", 1): Algorithm("linear", "basic_linear", _above_size(2, "linear", _TWO)),
    ("barrier", 2): Algorithm("double_ring", "doublering", "double-ring"),
    ("barrier", 3): Algorithm("recursive_doubling", "recursivedoubling", "recursive-doubling"),
    ("barrier", 4): Algorithm("bruck", "bruck", _above_size(2, "dissemination", _TWO)),
    ("barrier", 5): Algorithm("two_proc", "two_procs", _two_only(_TWO)),
    ("barrier", 6): Algorithm("tree", "tree", _above_size(2, "binomial", _TWO)),
    ("gather", 1): Algorithm("basic_linear", "basic_linear", "linear"),
    ("gather", 2): Algorithm("binomial", "binomial", _above_size(2, "binomial", "linear")),
    ("gather", 3): Algorithm("linear_sync", "linear_sync", "linear-sync"),
    ("scatter", 1): Algorithm("basic_linear", "basic_linear", "linear"),
    ("scatter", 2): Algorithm("binomial", "binomial", _above_size(2, "binomial", "linear")),
    ("scatter", 3): Algorithm("linear_nb", "linear_nb", "linear"),
    ("allgather", 1): Algorithm("linear", "basic_linear", OWN_CHOICE),
    ("allgather", 2): Algorithm("bruck", "bruck", _above_size(2, "bruck", _TWO)),
    ("allgather", 3): Algorithm("recursive_doubling", "recursivedoubling", _doubling_or_bruck),
    ("allgather", 4): Algorithm("ring", "ring", _above_size(2, "ring", _TWO)),
    ("allgather", 5): Algorithm("neighbor", "neighborexchange", _neighbor_or_ring),
    ("allgather", 6): Algorithm("two_proc", "two_procs", _two_only(_TWO)),
    ("allgatherv", 1): Algorithm("default", "basic_default", _above_size(2, "linear", _TWO)),
    ("allgatherv", 2): Algorithm("bruck", "bruck", _above_size(2, "bruck", _TWO)),
    ("allgatherv", 3): Algorithm("ring", "ring", _above_size(2, "ring", _TWO)),
    ("allgatherv", 4): Algorithm("neighbor", "neighborexchange", _neighbor_or_ring),
    ("allgatherv", 5): Algorithm("two_proc", "two_procs", _two_only(_TWO)),
    ("alltoall", 1): Algorithm("linear", "basic_linear", _above_size(2, "linear", "pairwise")),
    ("alltoall", 2): Algorithm("pairwise", "pairwise", "pairwise"),
    ("alltoall", 3): Algorithm("modified_bruck", "bruck", _above_size(2, "bruck", "pairwise")),
    ("alltoall", 4): Algorithm("linear_sync", "linear_sync", _above_size(2, "linear", "pairwise")),
    ("alltoall", 5): Algorithm("two_proc", "two_procs", _two_only("pairwise")),
    ("alltoallv", 1): Algorithm("basic_linear", "basic_linear", _above_size(2, "linear", "pairwise")),
    ("alltoallv", 2): Algorithm("pairwise", "pairwise", "pairwise"),
    ("reduce_scatter", 1): Algorithm("non-overlapping", "nonoverlapping", OWN_CHOICE),
    ("reduce_scatter", 2): Algorithm(
        "recursive_halving", "basic_recursivehalving", _above_size(2, "recursive-halving", "ring")
    ),
    ("reduce_scatter", 3): Algorithm("ring", "ring", "ring"),
    ("reduce_scatter", 4): Algorithm("butterfly", "butterfly", _above_size(2, "butterfly", "ring")),
    ("reduce_scatter_block", 1): Algorithm("basic_linear", "basic_linear", OWN_CHOICE),
    ("reduce_scatter_block", 2): Algorithm(
        "recursive_doubling", "recursivedoubling", _above_size(2, "recursive-doubling", "ring")
    ),
    ("reduce_scatter_block", 3): Algorithm(
        "recursive_halving", "recursivehalving", _above_size(2, "recursive-halving", "ring")
    ),
    ("reduce_scatter_block", 4): Algorithm("butterfly", "butterfly", _above_size(2, "butterfly", "ring")),
    ("scan", 1): Algorithm("linear", "linear", _above_size(2, "linear", _TWO)),
    ("scan", 2): Algorithm("recursive_doubling", "recursivedoubling", "recursive-doubling"),
    ("exscan", 1): Algorithm("linear", "linear", _above_size(2, "linear", _TWO)),
    ("exscan", 2): Algorithm("recursive_doubling", "recursivedoubling", "recursive-doubling"),
}

CUT: Final = frozenset(("reduce", number) for number in range(2, 7)) | {("bcast", number) for number in range(2, 8)}
"""The algorithms that cut messages into segments of the requested length."""


def sent(operation: str, number: int, ranks: int, chains: int = 4) -> str | None:
    """The name of an algorithm's messages on `ranks` ranks; None if it does not run there. chains: the fan-out of
    `chain`, 4 by default in Open MPI."""
    messages = ALGORITHMS[operation, number].sent
    return messages if isinstance(messages, str) else messages(ranks, chains)


def sent_by(operation: str, function: str, ranks: int) -> str | None:
    """The name of the messages that one of Open MPI's functions (`Algorithm.function`) sends with default arguments;
    None if unknown, or if the function calls other operations."""
    numbers = [
        number for (op, number), algorithm in ALGORITHMS.items() if (op, algorithm.function) == (operation, function)
    ]
    messages = sent(operation, numbers[0], ranks) if numbers else None
    return None if messages == OWN_CHOICE else messages


def number_of(operation: str, text: str) -> int | None:
    """The number of the algorithm that a setting requests by name or number (text); 0 if the setting requests none.
    None if there is no such algorithm."""
    if text == "ignore" or text.strip() == "0":
        return 0
    numbers = [
        number
        for (op, number), algorithm in ALGORITHMS.items()
        if op == operation and text in (algorithm.name, str(number))
    ]
    return numbers[0] if numbers else None
