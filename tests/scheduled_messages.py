"""The messages that a tree file's schedules prescribe, and the messages that the engine recorded."""

from collections import Counter

import hopscope
from hopscope.algorithms.engine import of_schedules
from hopscope.native import _plan
from hopscope.replay.run.calls import NO_ROOT
from hopscope.replay.run.subject import Subject, source_of

Messages = Counter[tuple[int, ...]]
"""Numbers of messages by sender, receiver, bytes and round. The round is the length of the longest sequence of messages
that ends with it."""


def recorded_messages(trace: hopscope.Trace) -> dict[str, Messages]:
    """The engine's messages by operation, in the operation's last collective that has any."""
    op_of = {row["collective_id"]: row["op"] for row in trace.table("collectives").to_pylist()}
    hops = [row for row in trace.table("hops").to_pylist() if row["source"] == "tree"]
    last: dict[str, int] = {}
    for hop in hops:
        op = op_of[hop["collective_id"]]
        last[op] = max(last.get(op, -1), hop["collective_id"])
    messages: dict[str, Messages] = {op: Counter() for op in last}
    for hop in hops:
        op = op_of[hop["collective_id"]]
        messages[op][hop["src"], hop["dst"], hop["bytes"], hop["round"]] += hop["collective_id"] == last[op]
    return {op: +counter for op, counter in messages.items()}


def scheduled_messages(file: bytes, trace: hopscope.Trace) -> dict[str, Messages]:
    """The messages by operation that the first fitting rule of the tree file schedules for the trace's calls."""
    subject: Subject = source_of(trace.table).subject
    tree_file = _plan.TreeFile(file)
    messages: dict[str, Messages] = {}
    for call in subject.calls:
        rule = tree_file.rule(call.op, range(len(subject.hosts)), call.size)
        assert rule is not None, call
        root = None if call.root == NO_ROOT else call.root
        schedules = tree_file.schedules(rule, call.op, subject.hosts, subject.clusters, call.lengths, root)
        sent = of_schedules(schedules, schedules["unit_bytes"])
        messages[call.op] = Counter(
            (*message[:3], level) for message, level in zip(sent.messages, sent.levels, strict=True)
        )
    return messages
