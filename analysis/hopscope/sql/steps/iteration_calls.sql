-- The calls of the first rank that mark iterations, numbered from 0.
--
-- These are the calls from the place in `iteration_marker`. collective_id is null if they are no collectives.
--
-- uses iteration_marker, first_rank_calls
-- kept beside the dataset
create or replace view iteration_calls as
select
    first_rank_calls.begin_ns,
    first_rank_calls.collective_id,
    row_number() over (order by first_rank_calls.n) - 1 as iteration
from first_rank_calls
inner join iteration_marker
    on
        first_rank_calls.site = iteration_marker.site
        and (first_rank_calls.is_start or not iteration_marker.starts);
