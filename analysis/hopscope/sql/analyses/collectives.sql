-- Collectives of the trace, worst first, and what the time of each one's critical path was spent on.
--
-- Another tree can change only `after_last_enter_ns`, the time after the last rank entered. Before that, ranks wait for
-- the last rank.
--
-- param order worst|median|first|duration|spread|bytes|operation|last-rank|engine = "worst" -- worst: longest after
--    the last enter; median: nearest to the median of that time, for the same operation and number of ranks; first: in
--    the order of the run; the others: by that value, from the largest number or in alphabetical order.
-- param reverse BOOLEAN = false -- Reverse the order; rows without a value stay last.
-- param search VARCHAR = null -- Only collectives with each of these words in operation, communicator, call site or
--    engine; COMM:SEQ names one.
-- param least_ms DOUBLE = 0.0 -- Only collectives with at least this duration, in ms.
-- param limit BIGINT = 50 -- At most this many rows.
-- param skip BIGINT = 0 -- Leave out this many rows at the top.
-- param seq BIGINT = null -- Only collectives with this number on their communicator.
-- key collective
-- column collective VARCHAR -- Name of the collective, COMM:SEQ.
-- column collective_id BIGINT -- Number in the dataset.
-- column comm INTEGER -- The communicator.
-- column comm_name VARCHAR -- Name of the communicator.
-- column seq BIGINT -- Number of the collective on the communicator, from 0.
-- column previous_seq BIGINT -- Number of the neighbour on the communicator; null if there is none.
-- column next_seq BIGINT -- Number of the neighbour on the communicator; null if there is none.
-- column operation VARCHAR -- The MPI function.
-- column root INTEGER -- Root in the communicator; null if there is none.
-- column bytes BIGINT -- Largest payload of a member.
-- column ranks INTEGER -- Members of the communicator.
-- column first_enter_ns BIGINT [at] -- Time at which the first rank entered.
-- column duration_ns BIGINT -- Time from the first enter to the last leave; null without a leave.
-- column spread_ns BIGINT -- Time from the first enter to the last.
-- column after_last_enter_ns BIGINT -- Time from the last enter to the last leave.
-- column last_rank INTEGER -- Last rank to enter; null if unknown.
-- column margin_ns BIGINT -- Time from the last enter but one to the last.
-- column path_ns BIGINT -- Length of the collective's critical path; null if there is none.
-- column local_ns BIGINT -- Time on the path in this category.
-- column shm_ns BIGINT -- Time on the path in this category.
-- column lan_ns BIGINT -- Time on the path in this category.
-- column wan_ns BIGINT -- Time on the path in this category.
-- column native_ns BIGINT -- Time on the path in this category.
-- column hops BIGINT -- Hops of the collective.
-- column engine VARCHAR -- tree, native, or native:<reason>.
-- column complete BOOLEAN -- True if every member's enter and leave are recorded.
-- column matches BIGINT -- All collectives that fit, including those beyond --limit.
-- narrow hops, engine, bytes, ranks
-- exact bytes, ranks, hops, complete, matches
-- uses last_enters
-- only-data collective_id, comm, comm_name, seq, previous_seq, next_seq, root, first_enter_ns, margin_ns, path_ns, spread_ns, local_ns, shm_ns, lan_ns, native_ns,
--    complete, matches
-- bar after_last_enter_ns
-- empty note no collective fits; without options, the trace has none
-- example analyze collectives trace --order first --limit 10
-- example analyze collectives trace --search "allreduce solve.c" --order duration
with search_words as (
    select distinct words.word
    from (select unnest(string_split_regex(lower($search::varchar), '\s+')) as word) as words
    where words.word <> ''
),

-- The distinct descriptions of calls. They are few, even if there are many calls.
kinds as (
    select distinct
        calls.call_site,
        calls.engine,
        lower(concat_ws(' ', calls.engine, calls.call_site, places.place)) as description
    from calls
    left join places on calls.call_site = places.call_site
    where $search::varchar is not null
),

said_by_calls as (
    select
        calls.collective_id,
        search_words.word
    from calls
    inner join kinds on calls.engine = kinds.engine and calls.call_site is not distinct from kinds.call_site
    inner join search_words
        on contains(kinds.description, search_words.word) and not regexp_full_match(search_words.word, '[0-9]+:[0-9]+')
),

own_matches as (
    select
        collectives.collective_id,
        search_words.word
    from collectives
    left join comms on collectives.comm = comms.comm
    inner join search_words
        on
            if(
                regexp_full_match(search_words.word, '[0-9]+:[0-9]+'),
                search_words.word = collectives.comm::varchar || ':' || collectives.seq::varchar,
                contains(lower(concat_ws(' ', collectives.op, comms.name)), search_words.word)
            )
),

word_matches as (
    select * from said_by_calls
    union
    select * from own_matches
),

search_results as (
    select collective_id
    from word_matches
    group by collective_id
    having count(*) = (select count(*) from search_words)
),

-- The last rank and the engine of every collective, only for the orders that need them.
ordered_last as (
    select
        collective_id,
        rank
    from last_enters
    where decided and $order = 'last-rank'
),

ordered_engines as (
    select
        collective_id,
        min(engine) as engine
    from calls
    where $order = 'engine'
    group by collective_id
),

fitting as (
    select
        collectives.*,
        ordered_last.rank as order_rank,
        ordered_engines.engine as order_engine,
        collectives.last_leave_ns - collectives.last_enter_ns as after_last_enter_ns,
        abs(
            collectives.last_leave_ns - collectives.last_enter_ns
            - median(collectives.last_leave_ns - collectives.last_enter_ns)
                over (partition by collectives.op, collectives.comm_size)
        ) as from_median_ns
    from collectives
    left join ordered_last on collectives.collective_id = ordered_last.collective_id
    left join ordered_engines on collectives.collective_id = ordered_engines.collective_id
    where
        ($seq::bigint is null or collectives.seq = $seq::bigint)
        and (
            $search::varchar is null
            or trim($search::varchar) = ''
            or collectives.collective_id in (select search_results.collective_id from search_results)
        )
        and (
            $least_ms::double = 0
            or collectives.last_leave_ns - collectives.first_enter_ns >= $least_ms::double * 1e6
        )
),

keyed as (
    select
        *,
        count(*) over () as matches,
        case $order
            when 'worst' then -coalesce(after_last_enter_ns, 0)
            when 'median' then coalesce(from_median_ns, 9e18)
            when 'first' then collective_id
            when 'duration' then first_enter_ns - last_leave_ns
            when 'spread' then first_enter_ns - last_enter_ns
            when 'bytes' then -bytes
            when 'last-rank' then -order_rank
        end as order_number,
        case $order when 'operation' then op when 'engine' then order_engine end as order_word
    from fitting
),

-- In reverse order, numbers are negated and words are sorted from the last one.
placed as (
    select
        *,
        row_number() over (
            order by
                if($reverse, -order_number, order_number) asc nulls last,
                if($reverse, null, order_word) asc nulls last,
                if($reverse, order_word, null) desc nulls last,
                if($reverse, -collective_id, collective_id)
        ) as place
    from keyed
),

selection as (
    select *
    from placed
    where place > $skip::bigint and place <= $skip::bigint + $limit::bigint
),

neighbours as (
    select
        collective_id,
        lag(seq) over on_comm as previous_seq,
        lead(seq) over on_comm as next_seq
    from whole_collectives
    where comm in (select selection.comm from selection)
    window on_comm as (partition by comm order by seq, collective_id)
),

paths as (
    select
        path_collective_id as collective_id,
        sum(end_ns - begin_ns)::bigint as path_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'local'), 0)::bigint as local_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'shm'), 0)::bigint as shm_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'lan'), 0)::bigint as lan_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'wan'), 0)::bigint as wan_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'native'), 0)::bigint as native_ns
    from path_stretches
    where path = 'collective' and path_collective_id in (select selection.collective_id from selection)
    group by path_collective_id
),

hop_counts as (
    select
        collective_id,
        count(*) as hops
    from hops
    where collective_id in (select selection.collective_id from selection)
    group by collective_id
),

engines as (
    select
        collective_id,
        min(engine) as engine
    from calls
    where collective_id in (select selection.collective_id from selection)
    group by collective_id
)

select
    selection.comm::varchar || ':' || selection.seq::varchar as collective,
    selection.collective_id,
    selection.comm,
    comms.name as comm_name,
    selection.seq,
    neighbours.previous_seq,
    neighbours.next_seq,
    selection.op as operation,
    selection.root,
    selection.bytes,
    selection.comm_size as ranks,
    selection.first_enter_ns,
    selection.last_leave_ns - selection.first_enter_ns as duration_ns,
    selection.last_enter_ns - selection.first_enter_ns as spread_ns,
    selection.after_last_enter_ns,
    case when last_enters.decided then last_enters.rank end as last_rank,
    last_enters.margin_ns,
    paths.path_ns,
    paths.local_ns,
    paths.shm_ns,
    paths.lan_ns,
    paths.wan_ns,
    paths.native_ns,
    coalesce(hop_counts.hops, 0) as hops,
    engines.engine,
    selection.complete,
    selection.matches
from selection
left join comms on selection.comm = comms.comm
left join neighbours on selection.collective_id = neighbours.collective_id
left join last_enters on selection.collective_id = last_enters.collective_id
left join paths on selection.collective_id = paths.collective_id
left join hop_counts on selection.collective_id = hop_counts.collective_id
left join engines on selection.collective_id = engines.collective_id
order by selection.place
