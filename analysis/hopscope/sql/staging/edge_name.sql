-- The name of an edge: its role, sender and receiver, as up 3->2.
--
-- Without the role if that is unknown.
create or replace macro edge_name(role, src, dst) as (
    concat_ws(' ', role, format('{}->{}', src, dst))
);
