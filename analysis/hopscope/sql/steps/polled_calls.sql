-- Calls of nonblocking collectives that MPI_Test found incomplete several times, with time between the tests, and then complete.
--
-- The collector records tests that follow one another without a pause as one interval, which begins where the rank began to wait: wait_begin_ns is its enter.
-- Where an earlier test lies apart, the rank computed or polled in between. Nothing tells which, so its waiting is unknown.
create or replace view polled_calls as
with tests as (
    select
        rank,
        begin_ns,
        lag(begin_ns) over (partition by rank order by begin_ns) as earlier_ns
    from intervals
    where region in (
        select mpi_functions.name
        from mpi_functions
        where mpi_functions.kind = 'test'
    )
)

select distinct
    calls.call_id,
    calls.collective_id,
    calls.rank
from calls
inner join tests on calls.rank = tests.rank and calls.wait_begin_ns = tests.begin_ns
where tests.earlier_ns >= calls.enter_ns;
