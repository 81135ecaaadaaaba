-- The computing gaps that end in the part of the run that was asked for.
--
-- `whole_computing_gaps` says what a gap is. A gap lies in a part if the MPI call that ends it does: the gap is the work that leads to that call.
--
-- uses whole_computing_gaps
create or replace view computing_gaps as
select * from whole_computing_gaps;
