-- Each call site of MPI in the program, with its place.
--
-- One row per call site of the whole run. If some calls, messages or stretches of the critical path have no call site,
-- there is one more row, in which both columns have the word for an unknown place.
--
-- uses message_calls
create or replace view program_places as
with call_sites as (
    select distinct call_site from whole_calls
    union
    select distinct call_site from whole_intervals
    where kind not in ('region', 'overhead', 'off', 'idle', 'join', 'tool')
    union
    select distinct call_site from whole_path_stretches
    where path = 'run'
    union
    select distinct call_site from message_calls
)

select
    coalesce(call_sites.call_site, unknown_place()) as call_site,
    coalesce(places.place, call_sites.call_site, unknown_place()) as place
from call_sites
left join places on call_sites.call_site = places.call_site;
