"""What `analyze decide` says about itself, as the header of an analysis."""

DESCRIPTION = """\
-- Best algorithm of each operation, message size and number of ranks, as measured by a sweep.
--
-- FILE is what `hopscope sweep` wrote. A method's time is the least of its repeats; the best one is chosen on every
-- other repeat and scored on the others. Each model chooses the method with the shortest time by its formula for the
-- farthest link; the replay uses the ranks' own links. A model without times, or with equal ones, chooses none
-- (null).
--
-- -o writes the rules that make the library follow the best methods where its own choice is over 2 % slower: Open
-- MPI's dynamic rules, or MPICH's variables.
--
-- key operation, ranks, bytes
-- column operation VARCHAR -- The MPI function.
-- column ranks INTEGER -- Ranks, the first ones of the job.
-- column bytes BIGINT [bytes] -- The larger of what a rank sends and receives.
-- column best VARCHAR -- Best method, in the library's words; `default` is its own choice.
-- column time_ns DOUBLE -- Its time.
-- column default_ns DOUBLE -- Time of the library's own choice.
-- column penalty DOUBLE [share] -- Its excess over the best, as a share.
-- column hockney VARCHAR -- Method that Hockney's model chooses.
-- column loggp VARCHAR -- The choice of LogGP.
-- column plogp VARCHAR -- The choice of PLogP.
-- column replay VARCHAR -- The choice of the replay.
-- column hockney_penalty DOUBLE [share] -- Measured excess of that method over the best, as a share.
-- column loggp_penalty DOUBLE [share] -- The penalty of LogGP's choice.
-- column plogp_penalty DOUBLE [share] -- The penalty of PLogP's choice.
-- column replay_penalty DOUBLE [share] -- The penalty of the replay's choice.
-- column methods INTEGER -- Methods measured.
-- column formulas INTEGER -- Methods with formulas.
-- column replays INTEGER -- Methods that can be replayed.
-- column repeats INTEGER -- Repeats of the best one.
-- column unsteady BOOLEAN -- True if its repeats differ by more than 5 %, the longest left out.
-- only-data formulas, replays, repeats
-- narrow methods, replay, plogp, loggp, hockney, default_ns, time_ns
-- example analyze decide machine-rules.json
-- example analyze decide machine-rules.json -o rules.conf
"""
