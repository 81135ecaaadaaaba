-- Calls of nonblocking collectives that an MPI_Test found complete.
--
-- Such a call waits nowhere: how long the program asked again and again until it was done is in no record, so its waiting is not known. The call's
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
    and intervals.region in ('MPI_Test', 'MPI_Testall', 'MPI_Testany', 'MPI_Testsome');
