"""The SQL queries of a timeline."""

from typing import Final

PATH_IN: Final = (
    "select rank, begin_ns, end_ns, category from path_stretches "
    "where path = 'run' and begin_ns < $end_ns and end_ns > $begin_ns"
)

MARK_QUERIES: Final = {
    "path": f"{PATH_IN} and begin_ns < end_ns order by begin_ns",
    "collectives": (
        "select comm, seq, op, first_enter_ns, last_enter_ns, last_leave_ns from collectives "
        "where first_enter_ns < $end_ns and last_leave_ns > $begin_ns order by collective_id"
    ),
    "hops": (
        "select src, dst, send_begin_ns, recv_end_ns, link, bytes from hops "
        "where send_begin_ns < $end_ns and recv_end_ns > $begin_ns order by hop_id"
    ),
    "messages": (
        "select src, dst, send_begin_ns, recv_end_ns, bytes from messages "
        "where send_begin_ns < $end_ns and recv_end_ns > $begin_ns order by message_id"
    ),
    "regions": (
        "select intervals.rank, region, depth, begin_ns, coalesce(end_ns, last_event_ns) as end_ns from intervals "
        "inner join ranks on intervals.rank = ranks.rank where kind = 'region' and begin_ns < $end_ns "
        "and coalesce(end_ns, last_event_ns) > $begin_ns order by interval_id"
    ),
}

_CALLS: Final = "from mpi_calls where begin_ns < $end_ns and end_ns > $begin_ns"

LONG_CALLS: Final = (
    f"select rank, begin_ns, end_ns, operation as name {_CALLS} and end_ns - begin_ns >= $least_ns "
    "order by begin_ns, rank, end_ns desc, name limit $limit"
)
"""The calls of MPI functions that take at least `$least_ns`, from the view mpi_calls."""

OPERATIONS_IN: Final = (
    "select operation, count(*) as calls, "
    "sum(least(end_ns, $end_ns) - greatest(begin_ns, $begin_ns))::bigint as time_ns "
    f"{_CALLS} and ($ranks is null or list_contains($ranks, rank)) "
    "group by operation order by time_ns desc, operation"
)
"""The calls of each MPI function in a range, and their time in it, from the view mpi_calls."""

WAITING_IN: Final = (
    "select operation, sum(least(end_ns, $end_ns) - greatest(begin_ns, $begin_ns))::bigint as waiting_ns "
    "from timeline_waiting($begin_ns, $end_ns) "
    "where $ranks is null or list_contains($ranks, rank) group by operation order by operation"
)
"""The time that calls of each MPI function in a range spent waiting for another rank."""

CALLS_AT: Final = (
    "select region as name, begin_ns, end_ns, null as comm, null as seq from intervals "
    "where rank = $rank and begin_ns <= $at_ns and (end_ns > $at_ns or end_ns is null) union all "
    "select op as name, enter_ns as begin_ns, leave_ns as end_ns, comm, seq from calls "
    "inner join collectives on calls.collective_id = collectives.collective_id "
    "where rank = $rank and enter_ns <= $at_ns and (leave_ns > $at_ns or leave_ns is null) "
    "order by begin_ns, end_ns desc, name"
)

NEAREST_CALLS: Final = (
    "with things as ("
    "select enter_ns as begin_ns, leave_ns as end_ns, op as name, comm, seq, location, call_site from calls "
    "inner join collectives on calls.collective_id = collectives.collective_id where rank = $rank union all "
    "select begin_ns, end_ns, region as name, null as comm, null as seq, location, call_site from intervals "
    "where rank = $rank and kind not in ('region', 'overhead', 'off', 'idle', 'join', 'tool')), "
    "sides as (select *, case when begin_ns > $at_ns then 'after' when end_ns <= $at_ns then 'before' else 'inside' "
    "end as side from things), "
    "nearest as (select side, min_by(sides, row(if(side = 'after', begin_ns, -end_ns), begin_ns)) as call from sides "
    "group by side) "
    "select side, call.name, call.comm, call.seq, call.begin_ns, call.end_ns, call.location, "
    "coalesce(places.place, call.call_site) as place from nearest "
    "left join places on call.call_site = places.call_site order by side"
)
"""The last call that a rank left before a time, the call that it was in, and the first call that it entered
afterwards."""

REGION_IN: Final = (
    "select region from intervals where location = $location and kind = 'region' and begin_ns < $end_ns "
    "and coalesce(end_ns, $end_ns) > $begin_ns group by region, depth "
    "having 2 * sum(least(coalesce(end_ns, $end_ns), $end_ns) - greatest(begin_ns, $begin_ns)) > $end_ns - $begin_ns "
    "order by depth desc, region limit 1"
)
"""The innermost region that covers more than half of a stretch of time."""
