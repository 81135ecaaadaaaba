-- The ranks that a rank must wait for in an MPI collective, by the name of the function.
--
-- all: everybody for everybody. from root: everybody for the root. to root: the root for everybody. scan: for the ranks up to its own; exscan: for those
-- below it. neighbours: for its neighbours, which only hops can tell. Null for a function that is none of these. All forms of a function (MPI_I...,
-- ..._init, ..._c) are alike. The table mpi_functions is schemas/mpi_functions.h.
create or replace macro operation_kind(op) as (
    select replace(flow, '_', ' ')
    from mpi_functions
    where name = op
);
