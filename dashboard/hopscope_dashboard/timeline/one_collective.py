"""One collective in the timeline: its ranks, its marks, and the activity of a rank in it, as texts with their leads."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from hopscope.format import quantities
from hopscope.vocabulary.words import BINDINGS

from hopscope_dashboard.data.trace import MARKS, Columns, Row, Rows, TraceData
from hopscope_dashboard.navigation import leads

_IN_RUN: Final = "see it in the run's timeline"


def span(data: TraceData, calls: Sequence[Row]) -> tuple[int, int]:
    """Give the time from the first enter to the last leave; to the end of the run if a rank never left."""
    begin_ns = min(call["enter_ns"] for call in calls)
    leaves = [call["leave_ns"] for call in calls]
    end_ns = data.timeline.duration_ns if None in leaves else max(leaves)
    return begin_ns, max(end_ns, begin_ns + 1)


def ranks(data: TraceData, name: str) -> list[int]:
    """Give the ranks that called the collective COMM:SEQ. Raises InputError if there is no such collective."""
    return [call["rank"] for call in data.rows("collective-calls", collective=name)]


def waiting(data: TraceData, name: str, grid: Columns) -> Any:
    """Give the time that each row waits for a later rank in each column, in ns. The ranks of a blocking collective wait
    from their enter on; for others it is 0. This is fast even for a long run, of which finding all waiting would take
    seconds."""
    comm, _, seq = name.partition(":")
    is_blocking = not data.collective(int(comm), int(seq))["operation"].startswith("MPI_I")
    edges = grid.begin_ns + np.arange(grid.time_ns.shape[2] + 1) * grid.width_ns
    call_of = {call["rank"]: call for call in data.rows("collective-calls", collective=name) if is_blocking}
    waited = np.zeros(grid.time_ns.shape[1:], np.int64)
    for index, row in enumerate(grid.rows):
        call = call_of.get(row.get("rank"))
        if call is not None:
            begin_ns = call["enter_ns"]
            waited[index] = np.diff(np.clip(edges, begin_ns, begin_ns + (call["waiting_ns"] or 0)))
    return waited


def marks(data: TraceData, name: str, begin_ns: int, end_ns: int) -> dict[str, list[list[Any]] | None]:
    """Give the collective's calls, its hops in a range (each with its text and its lead) and its critical path. `hops`
    is None if there are too many."""
    run_ns = data.timeline.duration_ns
    own = [
        [call["rank"], call["enter_ns"], run_ns if call["leave_ns"] is None else call["leave_ns"]]
        for call in data.rows("collective-calls", collective=name)
    ]
    hops = [
        [hop["src"], hop["dst"], hop["send_begin_ns"], hop["recv_end_ns"], hop["link"], *_hop_lead(hop)]
        for hop in _hops(data, name)
        if hop["send_begin_ns"] < end_ns and hop["recv_end_ns"] > begin_ns
    ]
    path = [
        [step["rank"], step["begin_ns"], step["end_ns"], step["category"], step["src"]]
        for step in data.rows_or_none("critical-path", collective=name)
    ]
    return {"own": own, "hops": hops if len(hops) <= MARKS else None, "path": path, "messages": [], "collectives": []}


def activity(data: TraceData, name: str, rank: int, at_ns: int) -> Rows:
    """Give the activity of a rank in the collective at a time, the innermost last: its call, the steps of the critical
    path, its local work and the messages that it waits for. Empty outside the call."""
    calls = [
        call
        for call in data.rows("collective-calls", collective=name)
        if call["rank"] == rank and call["enter_ns"] <= at_ns and (call["leave_ns"] is None or at_ns < call["leave_ns"])
    ]
    path = data.rows_or_none("critical-path", collective=name)
    steps = data.rows("collective-steps", collective=name)
    return [
        *(_call(call, data.timeline.duration_ns) for call in calls),
        *(_path_step(step) for step in path if calls and step["rank"] == rank and _has(step, at_ns)),
        *(_local_work(step) for step in steps if step["rank"] == rank and _has(step, at_ns)),
        *(
            {
                "text": f"waiting {quantities.duration(hop['recv_end_ns'] - hop['recv_wait_begin_ns'])} for rank "
                f"{hop['src']}{_role(hop)}",
                "href": leads.edge(hop["src"], rank),
                "does": leads.EDGE_DOES,
            }
            for hop in _hops(data, name)
            if hop["dst"] == rank
            and hop["binding"] == "recv"
            and hop["recv_wait_begin_ns"] is not None
            and hop["recv_wait_begin_ns"] <= at_ns < hop["recv_end_ns"]
        ),
    ]


def _hops(data: TraceData, name: str) -> Rows:
    return data.rows_or_none("collective-hops", collective=name)


def _has(stretch: Row, at_ns: int) -> bool:
    return bool(stretch["begin_ns"] <= at_ns < stretch["end_ns"])


def _role(hop: Row) -> str:
    return f" ({hop['role']})" if hop["role"] else ""


def _hop_lead(hop: Row) -> tuple[str, str]:
    segment = f", segment {hop['segment']}" if hop["segment"] else ""
    text = (
        f"Rank {hop['src']} to rank {hop['dst']}{_role(hop)}, {hop['link']}: {quantities.size(hop['bytes'])}{segment} "
        f"in {quantities.duration(hop['recv_end_ns'] - hop['send_begin_ns'])}; {BINDINGS[hop['binding']]}. "
        f"{leads.CLICK}{leads.EDGE_DOES}"
    )
    return text, leads.edge(hop["src"], hop["dst"])


def _call(call: Row, run_ns: int) -> Row:
    left_ns = run_ns if call["leave_ns"] is None else call["leave_ns"]
    lasted = "never left" if call["leave_ns"] is None else f"{quantities.duration(left_ns - call['enter_ns'])} inside"
    return {"text": lasted, "href": leads.timeline(call["enter_ns"], left_ns), "does": _IN_RUN}


def _path_step(step: Row) -> Row:
    hop = "" if step["src"] is None else f", rank {step['src']} to rank {step['dst']}"
    text = f"step {step['step']} of the critical path: {step['what']}, {quantities.duration(step['time_ns'])}{hop}"
    return {"text": text, "href": leads.timeline(step["begin_ns"], step["end_ns"]), "does": _IN_RUN}


def _local_work(step: Row) -> Row:
    text = f"{step['kind']}, {quantities.duration(step['time_ns'])}"
    return {"text": text, "href": leads.timeline(step["begin_ns"], step["end_ns"]), "does": _IN_RUN}
