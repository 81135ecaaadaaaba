"""What `analyze decide` says about itself, as the header of an analysis."""

DESCRIPTION = """\
-- Show the best algorithm of each operation, message size and number of ranks, as a sweep measured them.
--
-- FILE is what `hopscope sweep` wrote. A time is the least of the repeats of a collective, after which all ranks
-- reported to the root. The best method is chosen on every other repeat and scored on the others. `penalty` is what it
-- costs to follow the library's own choice.
--
-- With -o, writes what makes the library follow the best methods: Open MPI's dynamic rules, or MPICH's variables, which
-- know neither sizes nor numbers of ranks. Where its own choice is as good within 2 %, that stays.
--
-- key operation, ranks, bytes
-- column operation VARCHAR -- The operation.
-- column ranks INTEGER -- Number of ranks, the first ones of the job.
-- column bytes BIGINT [bytes] -- The greater of what a rank sends and receives.
-- column best VARCHAR -- The best method, in the library's words, with the segment size; `default`: its own choice.
-- column time_ns DOUBLE -- What it takes.
-- column default_ns DOUBLE -- What the library's own choice takes.
-- column penalty DOUBLE [share] -- By how much that is longer; 0 where it is the best.
-- column methods INTEGER -- Methods that were measured there.
-- column repeats INTEGER -- Repeats of the best one.
-- column unsteady BOOLEAN -- Whether its repeats differ by more than 5 %, the longest left out.
-- only-data repeats
-- example analyze decide machine-rules.json
-- example analyze decide machine-rules.json -o rules.conf
"""
