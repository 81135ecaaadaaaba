-- The threads that stand for their rank's computing and waiting: those that communicate, or wait for such a thread.
--
-- One row per thread. A rank that never communicates has a row for its first thread. is_alone is true if the thread is
-- the only one of its rank here, and also the rank's first thread.
create or replace view communicating_threads as
with things as (
    select distinct
        rank,
        location,
        true as communicates
    from whole_calls

    union
    select distinct
        rank,
        location,
        kind in ('p2p', 'wait', 'comm', 'rma', 'io', 'mpi', 'join', 'mixed') as communicates
    from whole_intervals
    where kind <> 'region'
),

threads as (
    select
        rank,
        location,
        bool_or(communicates) as communicates,
        min(location) over (partition by rank) as first_location
    from things
    group by rank, location
)

select
    rank,
    location,
    count(*) over (partition by rank) = 1 and location = first_location as is_alone
from (
    select *
    from threads
    qualify communicates or (location = first_location and not bool_or(communicates) over (partition by rank))
) as carrying;
