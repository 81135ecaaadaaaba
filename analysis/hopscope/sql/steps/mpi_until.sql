-- The ranks' time in MPI up to each given time.
--
-- Give it the name of a table with a rank and at_ns. mpi_ns is the time in all MPI calls from the begin of the
-- `communication_window` to at_ns. communication_ns is the time in those calls that would only wait on an ideal network
-- (`mpi_spans`). The time in MPI between two times is the difference of their values.
--
-- uses mpi_spans, communication_window
create or replace macro mpi_until(times) as table
    with queries as (
        select * from query_table(times)
    ),

    started_spans as (
        select
            mpi_spans.rank,
            greatest(mpi_spans.begin_ns, communication_window.begin_ns) as begin_ns,
            mpi_spans.end_ns,
            mpi_spans.communicates
        from mpi_spans
        cross join communication_window
        where communication_window.begin_ns is null or mpi_spans.end_ns > communication_window.begin_ns
    ),

    spans as (
        select
            rank,
            begin_ns,
            end_ns,
            communicates,
            sum(end_ns - begin_ns) over preceding_spans - (end_ns - begin_ns) as before_ns,
            sum(if(communicates, end_ns - begin_ns, 0)) over preceding_spans
            - if(communicates, end_ns - begin_ns, 0) as communicated_ns
        from started_spans
        window preceding_spans as (
            partition by rank order by begin_ns, end_ns rows between unbounded preceding and current row
        )
    )

    select
        queries.*,
        coalesce(spans.before_ns + least(queries.at_ns, spans.end_ns) - spans.begin_ns, 0)::bigint as mpi_ns,
        coalesce(
            spans.communicated_ns + if(spans.communicates, least(queries.at_ns, spans.end_ns) - spans.begin_ns, 0), 0
        )::bigint as communication_ns
    from queries
    asof left join spans on queries.rank = spans.rank and queries.at_ns >= spans.begin_ns;
