-- The name of an edge: its role, sender and receiver, such as up 3->2.
--
-- If the role is unknown, the name has only sender and receiver.
create or replace macro edge_name(role, src, dst) as (
    concat_ws(' ', role, format('{}->{}', src, dst))
);
