-- The links that a run emulated, in words: one row for each setting of a link class, pair, interface or rank.
--
-- From the run's `emulated` object (`emulate` in schemas/topology.schema.json). A pair is one of clusters or of hosts.
-- Latency is one way. The texts are for reading, not for computing.
--
-- uses quantity
create or replace view emulated_links as
with emulation as (
    select
        emulated,
        json_extract(emulated, '$.links') as links,
        json_extract(emulated, '$.host_interface') as interface,
        json_extract(emulated, '$.rank') as rank
    from run
    where emulated is not null
),

classes as (
    select
        links,
        unnest(json_keys(links)) as link
    from emulation
),

cluster_pairs as (
    select unnest(from_json(json_extract(emulated, '$.cluster_pairs'), '["JSON"]')) as pair
    from emulation
),

pairs as (
    select unnest(from_json(json_extract(emulated, '$.pairs'), '["JSON"]')) as pair
    from emulation
),

settings as (
    select
        list_position(link_classes(), link) as place,
        link as scope,
        json_extract(links, link) as setting
    from classes

    union all
    select
        10 as place,
        'all from ' || json_extract_string(pair, 'from') || ' to ' || json_extract_string(pair, 'to') as scope,
        pair as setting
    from cluster_pairs

    union all
    select
        11 as place,
        json_extract_string(pair, 'from') || ' to ' || json_extract_string(pair, 'to') as scope,
        pair as setting
    from pairs

    union all
    select
        12 as place,
        'every host one message at a time' as scope,
        interface as setting
    from emulation
    where interface is not null

    union all
    select
        13 as place,
        'every rank one message at a time' as scope,
        rank as setting
    from emulation
    where rank is not null
)

select
    place,
    scope || ' ' || concat_ws(
        ' and ',
        case
            when json_exists(setting, '$.latency_trace_ns') then 'latencies of a trace'
            else quantity(cast(json_extract_string(setting, 'latency_ns') as double), 'ns')
        end,
        quantity(cast(json_extract_string(setting, 'per_message_ns') as double), 'ns') || ' each',
        quantity(cast(json_extract_string(setting, 'per_byte_ns') as double), 'ns') || ' a byte',
        case
            when json_exists(setting, '$.bytes_per_second_trace') then 'bandwidths of a trace'
            else quantity(cast(json_extract_string(setting, 'bytes_per_second') as double), 'bytes/s')
        end,
        case when json_extract_string(setting, 'cut_through') = 'true' then 'bytes passed on as they come' end,
        'leaving by ' || json_extract_string(setting, '$.gateways.from'),
        'coming in by ' || json_extract_string(setting, '$.gateways.to')
    ) as words
from settings;
