-- The ranks that a rank must wait for in an MPI collective, by the name of the function.
--
-- all: every rank waits for all others. from root: every rank waits for the root. to root: the root waits for all
-- others. scan: a rank waits for the ranks up to its own; exscan: for those below it. neighbours: a rank waits for its
-- neighbours, which only hops show. Null for a function that is none of these. All forms of a function (MPI_I...,
-- ..._init, ..._c) are alike. The table mpi_functions has the contents of schemas/mpi_functions.h.
create or replace macro operation_kind(op) as (
    select replace(flow, '_', ' ')
    from mpi_functions
    where name = op
);
