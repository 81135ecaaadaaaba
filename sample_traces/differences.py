"""Compares two recordings of one sample by calls, hops and recognised algorithms, which do not depend on a machine's
speed.

Times are left out, and so is all that follows from them: who waited, which message was binding, how long a path is, and
the rounds of an unrecognised algorithm.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator

import hopscope

Rows = Counter[tuple[object, ...]]

CALLS = """
select op, rank, engine, tree, c.algorithm, count(*) as n
from calls c join collectives using (collective_id) group by all
"""
HOPS = """
select c.comm, c.root, op, src, dst, source, role, round, segment, h.bytes, count(*) as n
from hops h join collectives c using (collective_id) group by all
"""
TIMED = "select distinct comm, root, op from kinds where depth is null"
"""Communicators, roots and operations whose rounds come from times. Whether an algorithm is recognised depends on these
times, too, so the query must run on both recordings."""
MESSAGES = "select comm, tag, src, dst, bytes, count(*) as n from messages group by all"
SHARED_COLUMNS = ("op", "ranks", "bytes", "source", "messages")
"""Columns of `analyze algorithms` that collectives with the same messages share."""
EXAMPLES = 8
"""The least number of collectives for which an algorithm is compared. If several algorithms have the same messages, the
order of messages decides, which may be chance in fewer collectives."""


def structure_of(trace: hopscope.Trace, timed: Collection[tuple[object, ...]] = ()) -> dict[str, Rows]:
    """The compared rows by name, each with its number of occurrences. timed: the communicators, roots and operations
    whose rounds are left out."""
    facts = {name: Rows() for name in ("calls", "hops", "messages")}
    for name, query in (("calls", CALLS), ("hops", HOPS), ("messages", MESSAGES)):
        for row in trace.sql(query).to_pylist():
            number = row.pop("n")
            if name == "hops" and (row.pop("comm"), row.pop("root"), row["op"]) in timed:
                row["round"] = None
            facts[name][tuple(row.values())] += number
    return facts


def timed_rounds(trace: hopscope.Trace) -> set[tuple[object, ...]]:
    """Communicator, root and operation of collectives whose rounds come from times."""
    return {tuple(row.values()) for row in trace.sql(TIMED).to_pylist()}


def algorithms_of(trace: hopscope.Trace) -> dict[tuple[object, ...], dict[str, int]]:
    """The number of collectives of each algorithm and segment length, by SHARED_COLUMNS."""
    algorithms: dict[tuple[object, ...], dict[str, int]] = defaultdict(dict)
    for row in trace.run("algorithms").to_pylist():
        alike = algorithms[tuple(row[column] for column in SHARED_COLUMNS)]
        name = f"{row['algorithm']} {row['segment_bytes']}"
        alike[name] = alike.get(name, 0) + row["collectives"]
    return algorithms


def summary(trace: hopscope.Trace) -> str:
    """Numbers of calls, hops and messages, and the recognised algorithms, in a few words."""
    facts = structure_of(trace)
    counts = [f"{facts[name].total()} {name}" for name in ("calls", "hops", "messages") if facts[name]]
    names = sorted({name.split()[0] for names in algorithms_of(trace).values() for name in names})
    return ", ".join(counts + names)


def differences(old_trace: hopscope.Trace, new_trace: hopscope.Trace) -> Iterator[str]:
    """A line for each row whose number of occurrences differs between the two traces, and for each algorithm that
    changed."""
    timed = timed_rounds(old_trace) | timed_rounds(new_trace)
    old, new = structure_of(old_trace, timed), structure_of(new_trace, timed)
    for name in old:
        for row in sorted(old[name].keys() | new[name].keys(), key=str):
            if old[name][row] != new[name][row]:
                yield f"{name} {' '.join(map(str, row))}: {old[name][row]} before, {new[name][row]} now"
    first, second = algorithms_of(old_trace), algorithms_of(new_trace)
    for alike in sorted(first.keys() & second.keys(), key=str):
        names = first[alike], second[alike]
        if all(len(name) == 1 and sum(name.values()) >= EXAMPLES for name in names) and set(names[0]) != set(names[1]):
            yield f"algorithms {' '.join(map(str, alike))}: {', '.join(names[0])} before, {', '.join(names[1])} now"
