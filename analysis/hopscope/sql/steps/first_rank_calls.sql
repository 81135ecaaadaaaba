-- The MPI calls of the first rank, in order, as input of the search for iterations.
--
-- They are the calls of the rank's thread with most calls, except MPI_Init and MPI_Finalize. One row per call; n counts
-- from 1. site is the call site, or the operation and its communicator if call sites are unknown (is_place is false).
-- collective_id is null for calls that are not collectives. The ranks of a program mostly go through the same loop, so
-- one rank represents them all. A short loop in the main loop, as over a rank's neighbours, calls a site several times
-- in a row. A call is a start if it is the first of such a row: more calls lie between it and the previous call from
-- its site than the smallest number at this site.
create or replace view first_rank_calls as
with first_rank as (
    select min(rank) as rank from ranks
),

things as (
    select
        calls.location,
        calls.enter_ns as begin_ns,
        coalesce(calls.call_site, collectives.op || ' on ' || collectives.comm::varchar) as site,
        calls.collective_id,
        collectives.comm_size,
        calls.call_site is not null as is_place
    from whole_calls as calls
    inner join whole_collectives as collectives on calls.collective_id = collectives.collective_id
    where calls.rank = (select first_rank.rank from first_rank)

    union all
    select
        location,
        begin_ns,
        coalesce(call_site, region) as site,
        null as collective_id,
        0 as comm_size,
        call_site is not null as is_place
    from whole_intervals
    where
        (
            kind not in ('init', 'finalize', 'region', 'overhead', 'off', 'idle', 'join', 'tool')
            or (kind = 'region' and region = part_iteration_at())
        )
        and rank = (select first_rank.rank from first_rank)
),

busiest as (
    select location
    from things
    group by location
    order by count(*) desc, location asc
    limit 1
),

numbered as (
    select
        *,
        row_number() over (order by begin_ns, site) as n
    from things
    where location = (select busiest.location from busiest)
),

spaced as (
    select
        *,
        n - lag(n) over (partition by site order by n) as distance
    from numbered
)

select
    n,
    begin_ns,
    site,
    collective_id,
    comm_size,
    is_place,
    distance is null or distance > min(distance) over (partition by site) as is_start
from spaced;
