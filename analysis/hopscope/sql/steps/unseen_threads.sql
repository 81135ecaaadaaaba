-- Limits of the answers, in sentences, that come from unseen work and waiting of threads.
--
-- The first sentence says that several communicating threads of a rank were outside MPI at the same time, so one of
-- them may have waited for another. The second says that a rank had more busy threads than communicating threads.
--
-- uses thread_pieces, communicating_threads, rank_times, share_of, quantity
create or replace view unseen_threads as
with communicating as (
    select
        rank,
        count(*) as threads
    from communicating_threads
    group by rank
),

shared_times as (
    select share_of(sum(end_ns - begin_ns), (select sum(rank_times.time_ns) from rank_times)) as share
    from thread_pieces
    where computing > 1
),

silent_ranks as (
    select count(*) as ranks
    from ranks
    inner join communicating on ranks.rank = communicating.rank
    where ranks.busy_threads > communicating.threads
)

select
    format(
        'In {} of all ranks'' time, several threads of a rank that communicate were outside MPI. If one of them'
        || ' waited for another there (locks, condition variables, OpenMP''s barriers), that counts as computing; only'
        || ' waits in pthread_join are seen.',
        quantity(share, 'share')
    ) as sentence
from shared_times
where share > 0.01

union all
select
    format(
        '{} more threads that compute than threads that call MPI. The others'' work is not seen: a rank computes'
        || ' while a thread that calls MPI is outside it, also where that waits for others.',
        if(ranks = 1, '1 rank has', quantity(ranks, 'ranks') || ' have')
    ) as sentence
from silent_ranks
where ranks > 0;
