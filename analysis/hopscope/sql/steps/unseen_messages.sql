-- Limits of the answers, in sentences, that come from messages inside the MPI library that are in no hop.
--
-- The sentence of place -2 says that messages of collectives without a recorded call were seen; it must come first.
-- Sentences of place 3 say why such collectives would not be noticed, and which messages were not recorded.
--
-- uses quantity
create or replace view unseen_messages as
with library as (
    select
        *,
        coalesce(mpi_library like '%MPICH%' or mpi_library like 'Intel(R) MPI%', false) as is_mpich,
        (select bool_or(hops.source = 'native') from hops) as has_native_hops,
        (select bool_or(collectives.native_reason = 'shared') from collectives) as uses_memory
    from run
    where mode <> 'foreign' and ranks > 1
),

reasons as (
    select
        case
            when native_off is not null then 'the MPI library''s own messages were not recorded'
            when is_mpich and native_unseen is null
                then 'MPICH''s own messages are recorded with HOPSCOPE_NATIVE=mpich only'
            when native_unseen is null and unfinished is not null then 'the job did not come to its end'
            when native_unseen is null and has_native_hops
                then 'the collector that recorded it did not tell their messages from others'
            when native_unseen is null then 'the MPI library''s own messages were not recorded (HOPSCOPE_NATIVE)'
            when uses_memory then 'the MPI library ran collectives without messages, through shared memory'
            when is_mpich then 'messages of nonblocking and persistent collectives are not known under MPICH'
        end as reason
    from library
    where coalesce(native_unseen, 0) = 0
)

select
    -2 as place,
    'unseen' as kind,
    format(
        'Collectives ran without a recorded call: {} ends of their messages were seen. The program called them by'
        || ' addresses that it looked up itself (dlsym, as ctypes, cffi and Julia do) or by an extension of the MPI'
        || ' library (MPIX_...), or another tool called them. They are missing from every answer, their time counts as'
        || ' computing, and a rank that others waited for there looks on time.',
        quantity(native_unseen, '')
    ) as sentence
from run
where native_unseen > 0

union all
select
    3 as place,
    'unproven' as kind,
    format(
        'Nothing shows whether every collective was recorded: {}. Collectives that a program calls by addresses of its'
        || ' own (dlsym) or by an extension of the MPI library (MPIX_...) would be missing without a sign.',
        reason
    ) as sentence
from reasons
where reason is not null

union all
select
    3 as place,
    'native' as kind,
    'The MPI library''s messages inside collectives were not recorded: ' || native_off || '.' as sentence
from run
where native_off is not null

union all
select
    3 as place,
    'native' as kind,
    format(
        'For {} ends of messages inside the MPI library it is not known to which collective they belong, so they'
        || ' are in no hop.',
        quantity(native_unknown, '')
    ) as sentence
from run
where native_unknown > 0

union all
select
    3 as place,
    'native' as kind,
    format(
        '{} ends of messages inside the MPI library were not recorded, because too many messages were under way'
        || ' at once. HOPSCOPE_NATIVE=every:N records fewer.',
        quantity(native_lost, '')
    ) as sentence
from run
where native_lost > 0;
