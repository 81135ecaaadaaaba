-- Calls of nonblocking collectives that an MPI_Test found complete.
--
-- Such a call never waits inside MPI, and nothing records how long the program polled, so its waiting is unknown. The call's
-- wait_begin_ns is the enter of the test that found it complete.
create or replace view polled_calls as
select distinct
    calls.call_id,
    calls.collective_id,
    calls.rank
from calls
inner join intervals on calls.rank = intervals.rank and calls.wait_begin_ns = intervals.begin_ns
where
    calls.wait_begin_ns is not null
    and intervals.region in (
        select mpi_functions.name
        from mpi_functions
        where mpi_functions.kind = 'test'
    );
