-- place_remedy(how, module): what to do so that a place gets its function and source line, in a few words.
--
-- how and module are those of the table `places`. Null where nothing is to be done: the line is known, or the place lies in Python or mpi4py, which nobody
-- compiles anew for that.
create or replace macro place_remedy(how, module) as (
    case
        when coalesce(regexp_matches(module, '/(mpi4py/MPI[.][^/]*|libpython3[^/]*|python3?[0-9.]*)$'), false) then null
        when how in ('symbol', 'stripped')
            then 'compile with -g, which goes with any -O, to see functions and source lines'
        when how in ('no file', 'another build', 'several builds')
            then 'put the build that ran back and delete the dataset to convert it anew'
        when how = 'unidentified' then 'record the run again, for this trace does not say which build ran'
    end
);
