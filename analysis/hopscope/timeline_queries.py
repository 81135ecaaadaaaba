"""What a timeline asks of the tables, one by one."""

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

NEXT_CALL: Final = (
    "select name, begin_ns, coalesce(place, call_site) as place from ("
    "select region as name, begin_ns, call_site from intervals "
    "where rank = $rank and begin_ns > $at_ns and kind not in ('region', 'overhead', 'off') union all "
    "select op as name, enter_ns as begin_ns, call_site from calls "
    "inner join collectives on calls.collective_id = collectives.collective_id "
    "where rank = $rank and enter_ns > $at_ns) left join places using (call_site) "
    "order by begin_ns, name limit 1"
)

CALLS_AT: Final = (
    "select region as name, begin_ns, end_ns, null as comm, null as seq, kind = 'region' as is_region from intervals "
    "where rank = $rank and begin_ns <= $at_ns and (end_ns > $at_ns or end_ns is null) union all "
    "select op as name, enter_ns as begin_ns, leave_ns as end_ns, comm, seq, false as is_region from calls "
    "inner join collectives on calls.collective_id = collectives.collective_id "
    "where rank = $rank and enter_ns <= $at_ns and (leave_ns > $at_ns or leave_ns is null) "
    "order by begin_ns, end_ns desc, name"
)
