-- Of each rank, the useful time: outside all MPI, between the first and the last communication of the run.
--
-- In the words of POP, useful computation; of a rank with several threads that of the first.
--
-- uses mpi_spans, communication_window
create or replace view useful_times as
with mpi_times as (
    select
        mpi_spans.rank,
        sum(
            greatest(
                0,
                least(mpi_spans.end_ns, communication_window.end_ns)
                - greatest(mpi_spans.begin_ns, communication_window.begin_ns)
            )
        ) as mpi_ns
    from mpi_spans
    cross join communication_window
    group by mpi_spans.rank
)

select
    ranks.rank,
    communication_window.end_ns - communication_window.begin_ns as time_ns,
    coalesce(mpi_times.mpi_ns, 0)::bigint as mpi_ns,
    (communication_window.end_ns - communication_window.begin_ns - coalesce(mpi_times.mpi_ns, 0))::bigint as useful_ns
from ranks
cross join communication_window
left join mpi_times on ranks.rank = mpi_times.rank
where communication_window.begin_ns is not null;
