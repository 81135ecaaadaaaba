-- Which ranks a rank must wait for in an MPI collective, by the name of the function.
--
-- all: everybody for everybody. from root: everybody for the root. to root: the root for everybody. scan: for the ranks up to its own; exscan: for those
-- below it. neighbours: for its neighbours, which only hops can tell. Null for a function that is none of these. The forms that return before they are
-- done (MPI_I...), persistent ones (..._init) and large counts (..._c) count as the plain one.
create or replace macro operation_kind(op) as (
    case
        when regexp_full_match(
            op, 'MPI_I?(allreduce|barrier|allgatherv?|alltoall[vw]?|reduce_scatter(_block)?)(_init)?(_c)?', 'i'
        ) then 'all'
        when regexp_full_match(op, 'MPI_I?(bcast|scatterv?)(_init)?(_c)?', 'i') then 'from root'
        when regexp_full_match(op, 'MPI_I?(reduce|gatherv?)(_init)?(_c)?', 'i') then 'to root'
        when regexp_full_match(op, 'MPI_I?scan(_init)?(_c)?', 'i') then 'scan'
        when regexp_full_match(op, 'MPI_I?exscan(_init)?(_c)?', 'i') then 'exscan'
        when op ilike 'MPI_%neighbor%' then 'neighbours'
    end
);
