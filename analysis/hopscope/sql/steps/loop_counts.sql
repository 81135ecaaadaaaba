-- The number of iterations, and the number of the first rank's calls at its most frequent call site.
--
-- Notes use these numbers to say why a run has no iterations. One row, for the whole run. most_calls is 0 if the first
-- rank calls only MPI_Init and MPI_Finalize or the like.
--
-- uses iteration_calls, first_rank_calls
create or replace view loop_counts as
with calls_of_sites as (
    select count(*) as calls
    from first_rank_calls
    group by site
)

select
    (select count(*) from iteration_calls) as iterations,
    (select coalesce(max(calls_of_sites.calls), 0) from calls_of_sites) as most_calls;
