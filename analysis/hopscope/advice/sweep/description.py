"""The header of `analyze decide`, in the format of the analyses' headers (header.py)."""

DESCRIPTION = """\
-- Best algorithm of each operation, message size and number of ranks, as measured by a sweep.
--
-- FILE is what `hopscope sweep` wrote. A method's time is the least of its repeats; the best one is chosen on every
-- other repeat and scored on the others. Each model chooses by its formula for the farthest link, the replay over the
-- ranks' own links.
--
-- -o writes the rules that make the library follow the best methods where its own choice is over 2 % slower.
--
-- key operation, ranks, bytes
-- column operation VARCHAR -- The MPI function.
-- column ranks INTEGER -- Ranks, the first ones of the job.
-- column bytes BIGINT [bytes] -- The larger of what a rank sends and receives.
-- column best VARCHAR -- Best method, in the library's words, or `default`.
-- column time_ns DOUBLE -- Its time.
-- column default_ns DOUBLE -- Time of the library's own choice.
-- column penalty DOUBLE [share] -- Its excess over the best; 0 where it is the best.
-- column hockney VARCHAR -- Method that this model chooses; null if none.
-- column loggp VARCHAR -- Method that this model chooses; null if none.
-- column plogp VARCHAR -- Method that this model chooses; null if none.
-- column replay VARCHAR -- Method that this model chooses; null if none.
-- column hockney_penalty DOUBLE [share] -- Measured excess of that method over the best.
-- column loggp_penalty DOUBLE [share] -- Measured excess of that method over the best.
-- column plogp_penalty DOUBLE [share] -- Measured excess of that method over the best.
-- column replay_penalty DOUBLE [share] -- Measured excess of that method over the best.
-- column methods INTEGER -- Methods measured.
-- column formulas INTEGER -- Methods with formulas.
-- column replays INTEGER -- Methods that can be replayed.
-- column repeats INTEGER -- Repeats of the best one.
-- column unsteady BOOLEAN -- True if repeats, without the longest, differ by more than 5 %.
-- only-data formulas, replays, repeats
-- narrow methods, replay, plogp, loggp, hockney, default_ns, time_ns
-- example analyze decide machine-rules.json
-- example analyze decide machine-rules.json -o rules.conf
"""
