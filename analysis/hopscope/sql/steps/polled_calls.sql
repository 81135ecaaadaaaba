-- Calls of nonblocking collectives that MPI_Test found complete, after earlier tests at other times.
--
-- The collector records tests that follow one another without a pause as one interval. The rank began to wait at the
-- begin of that interval, so it is the call's wait_begin_ns. If an earlier test lies apart, the rank computed or polled
-- in between. The trace does not show which of them, so the rank's waiting is unknown.
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
