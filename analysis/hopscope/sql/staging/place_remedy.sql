-- place_remedy(resolution, module): the step that gives a place its function and source line, in a few words.
--
-- resolution and module are `how` and `module` of the table `places`. Null if there is nothing to do: the line is
-- known, or the place lies in Python or mpi4py, which users do not recompile for this.
create or replace macro place_remedy(resolution, module) as (
    case
        when coalesce(regexp_matches(module, '/(mpi4py/MPI[.][^/]*|libpython3[^/]*|python3?[0-9.]*)$'), false) then null
        when resolution in ('symbol', 'stripped')
            then 'compile with -g, which goes with any -O, to see functions and source lines'
        when resolution in ('no file', 'another build', 'several builds')
            then 'put the build that ran back and delete the dataset to convert it anew'
        when resolution = 'unidentified' then 'record the run again, for this trace does not say which build ran'
    end
);
