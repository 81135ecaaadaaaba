-- The binding of every hop and of every message of the application: whether its receiver waited for it.
--
-- binding is as in the tables `hops` and `messages`; `undecided` means that the trace does not show it.
create or replace view bindings as
select
    'hops' as table_name,
    binding
from hops

union all
select
    'messages' as table_name,
    binding
from messages;
