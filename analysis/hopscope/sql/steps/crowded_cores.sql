-- Machines whose ranks had more busy threads than cores, by their most crowded set of cores.
--
-- A set is the cores that some rank may use, or the cores that all ranks of a machine may use together. Its ranks are
-- those that may use no other core; a rank whose threads are unknown counts as one thread. queued_share is the time in
-- which their threads waited for a free core, as a share of the time in which they ran or waited for one; null if the
-- kernel did not report it.
--
-- uses share_of
create or replace view crowded_cores as
with spans as (
    select
        rank,
        clock_host as machine,
        string_split(unnest(string_split(cores, ',')), '-') as ends
    from ranks
    where cores is not null
),

rank_cores as (
    select
        spans.machine,
        spans.rank,
        list_sort(flatten(list(range(spans.ends[1]::integer, spans.ends[-1]::integer + 1)))) as cores
    from spans
    group by spans.machine, spans.rank
),

core_sets as (
    select
        machine,
        cores
    from rank_cores
    group by machine, cores

    union
    select
        machine,
        list_sort(list_distinct(flatten(list(cores)))) as cores
    from rank_cores
    group by machine
),

sharing as (
    select
        core_sets.machine,
        core_sets.cores,
        count(*) as ranks,
        sum(coalesce(ranks.busy_threads, 1)) as busy_threads,
        share_of(sum(ranks.queued_ns), sum(ranks.queued_ns + ranks.cpu_ns)) as queued_share
    from core_sets
    inner join rank_cores
        on core_sets.machine = rank_cores.machine and list_has_all(core_sets.cores, rank_cores.cores)
    inner join ranks on rank_cores.rank = ranks.rank
    group by core_sets.machine, core_sets.cores
)

select
    machine,
    ranks,
    busy_threads,
    len(cores) as cores,
    queued_share
from sharing
where busy_threads > len(cores)
qualify row_number() over (partition by machine order by busy_threads / len(cores) desc, ranks desc) = 1;
