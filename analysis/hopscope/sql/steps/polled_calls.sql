-- Calls of nonblocking collectives that MPI_Test found complete, after earlier tests at other times.
--
-- A row of polls that follow one another without a pause is one wait, which begins with its first poll: wait_begin_ns. If
-- an earlier test lies apart, the rank computed or polled in between. The trace does not show which of them, so the rank's
-- waiting is unknown.
create or replace view polled_calls as
with tests as (
    select
        rank,
        begin_ns,
        end_ns
    from intervals
    where region in (
        select mpi_functions.name
        from mpi_functions
        where mpi_functions.kind = 'test'
    )
),

found_by_test as (
    select
        calls.call_id,
        calls.collective_id,
        calls.rank,
        calls.enter_ns,
        calls.wait_begin_ns
    from calls
    asof inner join tests on calls.rank = tests.rank and calls.complete_ns > tests.begin_ns
    where coalesce(tests.end_ns >= calls.complete_ns, true)
)

select
    found_by_test.call_id,
    found_by_test.collective_id,
    found_by_test.rank
from found_by_test
asof inner join tests on found_by_test.rank = tests.rank and found_by_test.wait_begin_ns > tests.begin_ns
where tests.begin_ns >= found_by_test.enter_ns;
