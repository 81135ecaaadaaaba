-- The computing gaps that end in the part of the run that was asked for.
--
-- `whole_computing_gaps` says what a gap is. A gap is the work that leads to the MPI call after it, so the gap lies in
-- a part if that call does.
--
-- uses whole_computing_gaps
create or replace view computing_gaps as
select * from whole_computing_gaps;
