-- The links that a run emulated, in words: one row a link class, pair of hosts or interface.
--
-- From the run's `emulated` object (`emulate` in schemas/topology.schema.json). Latency is one way. Units are chosen to be read, not computed with.
--
-- uses duration_in_words
create or replace view emulated_links as
with given as (
    select
        emulated,
        json_extract(emulated, '$.links') as links,
        json_extract(emulated, '$.host_interface') as interface
    from run
    where emulated is not null
),

classes as (
    select
        links,
        unnest(json_keys(links)) as link
    from given
),

pairs as (
    select unnest(from_json(json_extract(emulated, '$.pairs'), '["JSON"]')) as pair
    from given
),

settings as (
    select
        list_position(['self', 'shm', 'lan', 'wan'], link) as place,
        link as what,
        json_extract(links, link) as setting
    from classes

    union all
    select
        10 as place,
        json_extract_string(pair, 'from') || ' to ' || json_extract_string(pair, 'to') as what,
        pair as setting
    from pairs

    union all
    select
        11 as place,
        'every host one message at a time' as what,
        interface as setting
    from given
    where interface is not null
)

select
    place,
    what || ' ' || concat_ws(
        ' and ',
        case
            when json_exists(setting, '$.latency_trace_ns') then 'latencies of a trace'
            else duration_in_words(cast(json_extract_string(setting, 'latency_ns') as double))
        end,
        duration_in_words(cast(json_extract_string(setting, 'per_message_ns') as double)) || ' each',
        format('{:.6g} bytes/s', cast(json_extract_string(setting, 'bytes_per_second') as double))
    ) as words
from settings;
