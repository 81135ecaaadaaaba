"""In what two recordings of one sample differ: calls, hops and recognised algorithms, which no machine's speed changes.

Times are left out, and so is what follows from them: who waited, which message bound, how long a path is.
"""

from collections import Counter
from collections.abc import Iterator

import hopscope

Rows = Counter[tuple[object, ...]]

CALLS = """
select op, rank, engine, tree, c.algorithm, count(*) as n
from calls c join collectives using (collective_id) group by all
"""
HOPS = """
select op, src, dst, source, phase, round, segment, h.bytes, count(*) as n
from hops h join collectives using (collective_id) group by all
"""
MESSAGES = "select comm, tag, src, dst, bytes, count(*) as n from messages group by all"
RECOGNISED = ("op", "ranks", "bytes", "algorithm", "segment_bytes", "source", "messages", "collectives")


def structure_of(trace: hopscope.Trace) -> dict[str, Rows]:
    """What is compared, by its name: each row with how often it occurs."""
    facts: dict[str, Rows] = {}
    for name, query in (("calls", CALLS), ("hops", HOPS), ("messages", MESSAGES)):
        rows = trace.sql(query).to_pylist()
        facts[name] = Counter({tuple(row.values())[:-1]: row["n"] for row in rows})
    rows = trace.run("algorithms").to_pylist()
    facts["algorithms"] = Counter(tuple(row[column] for column in RECOGNISED) for row in rows)
    return facts


def summary(trace: hopscope.Trace) -> str:
    """Numbers of calls, hops and messages, and the recognised algorithms, in a few words."""
    facts = structure_of(trace)
    counts = [f"{facts[name].total()} {name}" for name in ("calls", "hops", "messages") if facts[name]]
    names = sorted({str(row[RECOGNISED.index("algorithm")]) for row in facts["algorithms"]})
    return ", ".join(counts + names)


def differences(before: hopscope.Trace, after: hopscope.Trace) -> Iterator[str]:
    """A line for each row that one of the two has more often than the other."""
    old, new = structure_of(before), structure_of(after)
    for name in old:
        for row in sorted(old[name].keys() | new[name].keys(), key=str):
            if old[name][row] != new[name][row]:
                yield f"{name} {' '.join(map(str, row))}: {old[name][row]} before, {new[name][row]} now"
