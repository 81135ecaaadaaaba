-- What is not known of the ranks' threads: how many ranks have it, and how much of all ranks' time it concerns.
--
-- Two rows. how `together`: several communicating threads of a rank were outside MPI at a time, so one of them may have waited for another. how `silent`: a rank had
-- more busy threads than communicating ones (its share is null).
--
-- uses thread_pieces, communicating_threads, rank_times, share_of
create or replace view unseen_threads as
with communicating as (
    select
        rank,
        count(*) as threads
    from communicating_threads
    group by rank
)

select
    'together' as how,
    count(distinct rank) as ranks,
    share_of(sum(end_ns - begin_ns), (select sum(rank_times.time_ns) from rank_times)) as share
from thread_pieces
where computing > 1

union all
select
    'silent' as how,
    count(*) as ranks,
    null as share
from ranks
inner join communicating on ranks.rank = communicating.rank
where ranks.busy_threads > communicating.threads;
