-- Settings and traffic of the links between clusters, in a run on a network of namespaces.
--
-- From the run's `network` list (schemas/run.schema.json): one row for each direction between two clusters. Latency is
-- one way. late_p50_ns and late_p99_ns are the median and the 99th percentile of the time by which packets were
-- forwarded too late.
create or replace view network_links as
with links as (
    select unnest(from_json(network, '["JSON"]')) as link
    from run
    where network is not null
)

select
    json_extract_string(link, 'from') as from_cluster,
    json_extract_string(link, 'to') as to_cluster,
    cast(json_extract_string(link, 'latency_ns') as double) as latency_ns,
    cast(json_extract_string(link, 'bytes_per_second') as double) as bytes_per_second,
    cast(json_extract_string(link, 'packets') as bigint) as packets,
    cast(json_extract_string(link, 'bytes') as bigint) as bytes,
    cast(json_extract_string(link, 'dropped') as bigint) as dropped,
    cast(json_extract_string(link, 'late_p50_ns') as bigint) as late_p50_ns,
    cast(json_extract_string(link, 'late_p99_ns') as bigint) as late_p99_ns
from links;
