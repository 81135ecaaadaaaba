-- The MPI call that a thread was in when one end of an application's message began or began to wait.
--
-- Give it the name of a table with a location and at_ns, the time of that event. region is the function of the last
-- call that began up to at_ns. call_site is its call site, or null if the call had ended before at_ns, because then no
-- known call caused the event.
create or replace macro calls_at(ends) as table
    with queries as (
        select * from query_table(ends)
    ),

    recorded as (
        select
            location,
            begin_ns,
            end_ns,
            region,
            call_site
        from whole_intervals
        where kind not in ('region', 'overhead', 'off', 'idle', 'join', 'tool')
    )

    select
        queries.*,
        recorded.region,
        case when queries.at_ns <= coalesce(recorded.end_ns, queries.at_ns) then recorded.call_site end as call_site
    from queries
    asof left join recorded on queries.location = recorded.location and queries.at_ns >= recorded.begin_ns;
