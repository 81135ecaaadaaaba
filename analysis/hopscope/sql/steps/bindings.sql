-- Of every hop and every message of the application, what is known of whether its receiver waited for it.
--
-- binding is as in the tables `hops` and `messages`; where it is `undecided`, nobody can tell.
create or replace view bindings as
select
    'hops' as what,
    binding
from hops

union all
select
    'messages' as what,
    binding
from messages;
